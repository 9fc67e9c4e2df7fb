// How near to the bound of RAFT.md §14.3 locks change hands: a campaign in which every successor
// comes long after the lease of its predecessor would show nothing about leases.
//
// A hand-over: a client is told that it holds a lock whose former holder's session has expired. It
// is near if so little real time has passed since the former lease was over by its holder's clock,
// that is since sendTime + κ·D of the last renewal that was confirmed. The holder may have given up
// before; it might have believed until then. An overlap: it still does.

import type { SessionId } from '../../src/base/units.ts';
import type { Hold } from './belief.ts';
import type { FactListener } from './machine.ts';

/** What came of a run, or of many. */
export interface HandOverCounts {
  /** Locks that changed hands because a session expired. */
  readonly handOvers: number;
  /** Of these, within `NEAR_SHARE` of the TTL. */
  readonly near: number;
  /** Of these, while the former holder believed. Beyond the bound only. */
  readonly overlaps: number;
}

/** No hand-overs. */
export const NO_HAND_OVERS: HandOverCounts = { handOvers: 0, near: 0, overlaps: 0 };

/** Part of the TTL, in real time. */
const NEAR_SHARE = 0.05;
/** The former holder's clock, which measures it, may be so much slower than real time. */
const RATE_MIN = 0.99;

/** Counts those of one run. */
export class HandOvers implements FactListener {
  private readonly nearUs: number;
  private readonly expired = new Set<SessionId>();
  // The newest hold by name. As many as a run has names.
  private readonly holders = new Map<string, Hold>();
  private counted: HandOverCounts = NO_HAND_OVERS;

  constructor(ttlMs: number) {
    this.nearUs = ttlMs * 1_000 * NEAR_SHARE * RATE_MIN;
  }

  get counts(): HandOverCounts {
    return this.counted;
  }

  onSessionEnded({ session, cause }: { session: SessionId; cause: string }): void {
    if (cause === 'expired') this.expired.add(session);
  }

  /** A client was told of a grant, at this instant. */
  onBegin(hold: Hold): void {
    for (const name of hold.grant.names) {
      const former = this.holders.get(name);
      this.holders.set(name, hold);
      if (former === undefined || !former.life.isAlive || !this.expired.has(former.session))
        continue;
      if (former.session !== hold.session) this.count(former);
    }
  }

  private count({ grant }: Hold): void {
    const sinceUs = -grant.peekLeftUs();
    const { handOvers, near, overlaps } = this.counted;
    this.counted = {
      handOvers: handOvers + 1,
      near: near + (sinceUs >= 0 && sinceUs < this.nearUs ? 1 : 0),
      overlaps: overlaps + (grant.isBelievedNow() ? 1 : 0),
    };
  }
}

/** Both together. */
export function sumOf(left: HandOverCounts, right: HandOverCounts): HandOverCounts {
  return {
    handOvers: left.handOvers + right.handOvers,
    near: left.near + right.near,
    overlaps: left.overlaps + right.overlaps,
  };
}
