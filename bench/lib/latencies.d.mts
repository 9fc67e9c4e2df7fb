/** Latencies of one kind of operation, in milliseconds, each to three digits. */
export class Latencies {
  readonly count: number;
  /** NaN without values. */
  readonly maxMs: number;
  note(ms: number): void;
  /** The value below which this percentage lies, milliseconds; NaN without values. */
  percentile(percentage: number): number;
  /** Text for another process. */
  encoded(): string;
  /** One for all that came as text. */
  static ofAll(texts: readonly string[]): Latencies;
}
