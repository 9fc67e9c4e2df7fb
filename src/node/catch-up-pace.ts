import type { Index, MonoUs } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { RaftStatus } from '../raft/events.ts';

/** A new member that makes no progress for so long is given up. */
const STALL_MS_MAX = 30_000;
/** Transfers of the state that may begin before one of them must have come through. */
const TRANSFERS_MAX = 10;

/**
 * Whether a new member gets on. Progress counts, not time: a large state over a slow line takes
 * what it takes. But one that refuses the state again and again gets nowhere.
 */
export class CatchUpPace {
  private readonly nowUs: () => MonoUs;
  private best: Index = 0;
  private sinceUs: MonoUs;
  private transfers = 0;
  private wasInTransfer = false;

  constructor(nowUs: () => MonoUs) {
    this.nowUs = nowUs;
    this.sinceUs = nowUs();
  }

  /** Looks at it once more. Undefined: the leader knows no such peer. */
  isStalled(peer: RaftStatus['peers'][number] | undefined): boolean {
    const match = peer?.matchIndex ?? 0;
    const isInTransfer = peer?.state === 'snapshot';
    if (match > this.best) this.transfers = 0;
    if (isInTransfer && !this.wasInTransfer) this.transfers += 1;
    const isMoving = match > this.best || isInTransfer;
    if (isMoving && peer?.isActive === true) this.sinceUs = this.nowUs();
    this.wasInTransfer = isInTransfer;
    this.best = Math.max(this.best, match);
    return this.transfers > TRANSFERS_MAX || this.nowUs() - this.sinceUs > STALL_MS_MAX * US_PER_MS;
  }

  /** Why it is given up, as the end of a sentence. */
  describe(): string {
    if (this.transfers > TRANSFERS_MAX) {
      return `${TRANSFERS_MAX} transfers of the state came to nothing; see its log`;
    }
    return `no progress for ${STALL_MS_MAX / 1_000} s; its last entry is ${this.best}`;
  }
}
