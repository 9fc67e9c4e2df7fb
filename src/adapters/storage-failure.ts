// Errors of the file system and of LevelDB, in the four kinds that the storage tells apart.

import type { StorageFailure } from '../ports/storage.ts';

/** LevelDB passes on only the text of the system's error, as strerror gives it. */
const FULL_TEXTS = ['No space left on device', 'Disk quota exceeded'];

/** What an error means for the storage. */
export function storageFailure(error: unknown): StorageFailure {
  const message = describe(error);
  return { kind: kindOf(chainOf(error)), message };
}

/** The `code` of an error, or null. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

function kindOf(chain: readonly Error[]): StorageFailure['kind'] {
  for (const error of chain) {
    const code = errorCode(error);
    if (code === 'LEVEL_LOCKED') return 'locked';
    if (code === 'LEVEL_CORRUPTION') return 'corrupt';
    if (code === 'ENOSPC' || code === 'EDQUOT') return 'full';
    if (FULL_TEXTS.some((text) => error.message.includes(text))) return 'full';
  }
  return 'io';
}

// abstract-level wraps: the error that says why is a cause, or a cause of a cause.
function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  let next = error;
  while (next instanceof Error && chain.length < 8) {
    chain.push(next);
    next = next.cause;
  }
  return chain;
}

function describe(error: unknown): string {
  const messages = chainOf(error).map((each) => each.message);
  return messages.length === 0 ? String(error) : messages.join(': ');
}
