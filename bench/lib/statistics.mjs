// From values of rounds to what is told of them.

/** @typedef {{ median: number, min: number, max: number }} Summary */

/** The middle of a list, the mean of the two middle ones when their number is even. */
export function medianOf(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return NaN;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median and spread of values, one of each round or trial. */
export function summarise(values) {
  return { median: medianOf(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Splits a number into parts of whole numbers that differ by 1 at most. */
export function shares(total, parts) {
  return Array.from({ length: parts }, (_, at) =>
    Math.floor(total / parts + (at < total % parts ? 1 : 0)),
  );
}
