/** What a check needs of a leader's status. */
export interface LogPosition {
  readonly id: string;
  readonly term: number;
  readonly applied: number;
}

/** Throws unless the leader is the same, and applied exactly as much as was acknowledged. */
export function checkGrowth(
  before: LogPosition,
  after: LogPosition,
  commands: number,
  repeatsMax?: number,
): void;
