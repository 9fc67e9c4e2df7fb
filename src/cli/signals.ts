// What a command does on a signal changes as it goes on: while it waits, the first one ends the
// wait and the second one the process; later they are handed to whoever asks for them.

import { FORWARDED_SIGNALS } from './child.ts';
import type { ForwardedSignal } from './child.ts';
import { signalExitCode } from './exit-code.ts';

/** Signals that came and were not handed over yet; more say nothing new. */
const PENDING_MAX = 16;

/** Catches every signal that would end the process, from its making on until `close`. */
export class SignalInbox {
  private readonly controller = new AbortController();
  /** Aborts with the first signal of the wait. */
  readonly interrupted: AbortSignal = this.controller.signal;
  /** The signal that ended the wait; null while none has. */
  interruption: ForwardedSignal | null = null;
  private pending: ForwardedSignal[] = [];
  private handler: (signal: ForwardedSignal) => void;
  private readonly release: () => void;

  constructor() {
    this.handler = (signal) => {
      this.interruption = signal;
      this.leaveOnNext();
      this.controller.abort();
    };
    const listeners = FORWARDED_SIGNALS.map((signal) => {
      const listener = (): void => {
        this.handler(signal);
      };
      process.on(signal, listener);
      return { signal, listener };
    });
    this.release = () => {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    };
  }

  /** The wait is over: signals are kept until somebody asks for them. */
  keep(): void {
    this.handler = (signal) => {
      if (this.pending.length < PENDING_MAX) this.pending.push(signal);
    };
  }

  /** Hands signals to `handler` from now on, first those that were kept. */
  deliver(handler: (signal: ForwardedSignal) => void): void {
    const kept = this.pending;
    this.pending = [];
    this.handler = handler;
    for (const signal of kept) handler(signal);
  }

  /** From now on the next signal ends the process at once. */
  leaveOnNext(): void {
    this.handler = (signal) => {
      process.exit(signalExitCode(signal));
    };
  }

  /** Gives the signals their usual meaning back. */
  close(): void {
    this.release();
  }
}
