import type { ClockSettings } from './clock.ts';
import type { ProcessPorts } from './ports.ts';
import type { Around, SimProcess } from './process.ts';

/** A process that can be started as often as it dies. */
export interface ProcessSpec<T> {
  readonly name: string;
  /** Where it listens and is dialled, `host:port`; default `<name>:1`. */
  readonly address?: string;
  /** True for programs that use no promises. */
  readonly isSync: boolean;
  readonly clock?: ClockSettings;
  readonly start: (ports: ProcessPorts) => T;
  /** Runs each call-back into it; unless given, they just run. */
  readonly around?: Around;
}

/** How a process is handled from outside. */
export interface ProcessHandle<T> {
  readonly name: string;
  readonly process: SimProcess;
  /** What `start` returned for the present life; null while there is none. */
  readonly program: T | null;
  /** Starts it, as an event at this instant; does nothing while it lives. */
  start(): void;
  /** The same inside this call; throws if it lives. */
  startNow(): T;
  /** Kills it. `isSilent`: together with its machine, so that peers hear nothing of it. */
  crash(options?: { readonly isSilent?: boolean }): void;
  /** `stop` as by SIGSTOP (default); `suspend` as when the machine sleeps. */
  pause(kind?: 'stop' | 'suspend'): void;
  resume(): void;
}
