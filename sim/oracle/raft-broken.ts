import type { OracleName, Verdict } from './verdict.ts';

/** What a check of the product's own found: an invariant, named at the head of its text. */
export function reportBroken(verdict: Verdict, by: string, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  const number = /^(INV|LIV)-(\d+)/.exec(text);
  const oracle: OracleName =
    number === null ? 'ASSERT' : `${number[1] === 'LIV' ? 'LIV' : 'INV'}-${Number(number[2])}`;
  verdict.report(oracle, `${by}: ${text}`);
}
