import { z } from 'zod';

/** Bounds of a whole number, and its default. */
export interface WholeRange {
  readonly min: number;
  readonly max: number;
  readonly normal: number;
}

/** A whole number of the configuration, with its meaning as the schema shows it. */
export function whole(range: WholeRange, meaning: string): z.ZodDefault<z.ZodInt> {
  const { min, max, normal } = range;
  const expected = `a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected).default(normal).describe(meaning);
}
