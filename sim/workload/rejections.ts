// A promise that the product rejects and nobody hears of ends a user's process, so it is a bug.

import type { Verdict } from '../oracle/verdict.ts';

/** Reports unheard rejections as they happen; call what it returns when the run is over. */
export function reportRejections(verdict: Verdict): () => void {
  const onRejection = (reason: unknown): void => {
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    verdict.report('API', `a rejection that nobody hears: ${text}`);
  };
  process.on('unhandledRejection', onRejection);
  return () => void process.off('unhandledRejection', onRejection);
}
