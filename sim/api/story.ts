// What happened in a run, as lines that a person can follow.

const LINES_MAX = 1_000;
const TOLD_MAX = 36;
const TOLD_FIRST = 12;

/** See the head of this file. The oldest lines stay, and of too many the newest are not kept. */
export class Story {
  private readonly lines: string[] = [];
  private readonly nowMs: () => number;
  private dropped = 0;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  /** Happens now. */
  tell(text: string): void {
    if (this.lines.length >= LINES_MAX) this.dropped++;
    else this.lines.push(`at ${secondsOf(this.nowMs())} ${text}`);
  }

  /** The beginning and the end, with the number of those left out between them. */
  told(): readonly string[] {
    const { lines, dropped } = this;
    if (lines.length <= TOLD_MAX && dropped === 0) return [...lines];
    const last = TOLD_MAX - TOLD_FIRST;
    const left = lines.length - TOLD_MAX + dropped;
    return [...lines.slice(0, TOLD_FIRST), `… ${left} more lines …`, ...lines.slice(-last)];
  }
}

/** `1.23 s`, to the millisecond. */
export function secondsOf(timeMs: number): string {
  return `${(timeMs / 1_000).toFixed(3)} s`;
}
