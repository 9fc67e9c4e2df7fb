// Signals that end a command early: it still tells what it came to.

const NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Waits for the first signal until it is released. */
export class Interruption {
  private signal: keyof typeof NUMBERS | null = null;
  private readonly onSignal: (signal: NodeJS.Signals) => void;

  constructor(act: () => void) {
    this.onSignal = (signal) => {
      this.signal = SIGNALS.find((each) => each === signal) ?? 'SIGTERM';
      act();
    };
    for (const signal of SIGNALS) process.on(signal, this.onSignal);
  }

  /** 128 and the number of the signal, as shells have it; null without one. */
  get exitCode(): number | null {
    return this.signal === null ? null : 128 + NUMBERS[this.signal];
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.onSignal);
  }
}
