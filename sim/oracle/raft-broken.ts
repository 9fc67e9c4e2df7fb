import { promiseIn } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** What a check of the product's own found: the invariant that its text names. */
export function reportBroken(verdict: Verdict, by: string, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  verdict.report(promiseIn(text, 'ASSERT'), `${by}: ${text}`);
}
