import type { ClientHistory } from './history.ts';
import { findMisfit } from './linear.ts';
import { searchLinearizable } from './search.ts';
import type { SearchResult } from './search.ts';
import type { CommittedEntry, CommittedLog } from './types.ts';
import type { Verdict } from './verdict.ts';

/** One clean history in so many is searched too, so that the certificate is not just believed. */
const SEARCHED_ONE_IN = 100;

/** A history with all that it is judged by; `noise` is the script's. */
export interface Judged {
  readonly history: ClientHistory;
  readonly log: CommittedLog;
  /** See findMisfit. */
  readonly past?: readonly CommittedEntry[];
  readonly verdict: Verdict;
  readonly noise: number;
}

/**
 * Reports INV-12, INV-13 or INV-14 unless the history fits the log and is linearizable. Gives what
 * the search found, null where there was none: it says of a misfit whether it can be seen from
 * outside, and must never find fault with what fits.
 */
export function judgeHistory({ history, log, past, verdict, noise }: Judged): SearchResult | null {
  const misfit = findMisfit(history, log, past);
  if (misfit === null && noise % SEARCHED_ONE_IN !== 0) return null;
  const found = searchLinearizable(history);
  if (misfit !== null) {
    verdict.report(misfit.oracle, `${misfit.message} (search: ${found})`);
  } else if (found === 'not') {
    verdict.report('INV-12', 'no order explains what clients heard, though it fits the log');
  }
  return found;
}
