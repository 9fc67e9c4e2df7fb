/** What is told of the values of several rounds. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** NaN for an empty list. */
export function medianOf(values: readonly number[]): number;

/** Median and spread of at least one value. */
export function summarise(values: readonly number[]): Summary;

/** Splits a number into parts of whole numbers that differ by 1 at most. */
export function shares(total: number, parts: number): readonly number[];
