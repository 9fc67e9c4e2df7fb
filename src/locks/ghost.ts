// What a grant leaves behind when its session expires with a lock-delay (RAFT.md §13): for each of
// its names a ghost, which keeps the lock closed to others as if it were held.

import type { Index, SessionId, Token } from '../base/units.ts';
import type { RowValue } from './machine-types.ts';
import type { Need } from './need.ts';
import { StateRow, keyNumber } from './rows.ts';
import type { Lock } from './state.ts';

/** The grant that ghosts are of. */
export interface FormerGrant {
  readonly session: SessionId;
  /** Index of the entry that opened the session. */
  readonly opened: Index;
  readonly sessionName: string;
  readonly acquireSeq: number;
  readonly token: Token;
  readonly lockDelayMs: number;
  /** Index of the entry that expired the session, or of the restore that dropped it. */
  readonly closedAt: Index;
  /** Those that are still there, at most one for each name of a request. */
  readonly ghosts: Ghost[];
}

/**
 * Where a ghost stands among those of its lock; no two of a lock have the same place. One entry
 * expires one session, but a restore drops many at once.
 */
export interface GhostPlace {
  readonly grant: Pick<FormerGrant, 'closedAt' | 'opened' | 'acquireSeq'>;
}

/** One name of a grant that is no more. */
export class Ghost extends StateRow implements GhostPlace {
  readonly grant: FormerGrant;
  readonly lock: Lock;
  readonly need: Need;
  /** Of a semaphore: the slots that it keeps. */
  readonly slots: readonly number[];

  constructor(
    grant: FormerGrant,
    claim: { readonly lock: Lock; readonly need: Need; readonly slots: readonly number[] },
  ) {
    super();
    this.grant = grant;
    this.lock = claim.lock;
    this.need = claim.need;
    this.slots = claim.slots;
  }

  override rowKey(): string {
    const { closedAt, opened, acquireSeq } = this.grant;
    const place = [closedAt, opened, acquireSeq].map(keyNumber).join('/');
    // The name comes last, for it may contain anything.
    return `d/${place}/${this.lock.name}`;
  }

  override rowValue(): RowValue {
    const { session, sessionName, token, lockDelayMs } = this.grant;
    const { mode, permits } = this.need;
    return [session, sessionName, token, lockDelayMs, mode, permits, this.slots];
  }
}
