// What a leader knows of one other member (RAFT.md §7.4). Everything here is of one term.
//
//   probe ──(ok)──> replicate         one Append out, next moves only with answers
//     ^ ^               │             next moves when sending, up to the window
//     │ └──(reject, unreachable)
//     │
//     └──(refused)── snapshot         no Append; entered when what it needs was compacted, left
//                                     for replicate by any ok that joins our log
//
// Transitions: becomeReplicate(), becomeProbe(), becomeSnapshot(). Nothing here sends.

import { assert } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import type { Index, MonoUs } from '../base/units.ts';
import { CatchUp } from './catch-up.ts';
import type { Member } from './config.ts';
import type { RaftSettings } from './events.ts';
import { Inflights } from './inflights.ts';

/** Where a probe that was rejected should look next; the follower's hint, checked by our log. */
export interface Rejection {
  readonly rejectedPrev: Index;
  /** The largest index that may agree (RAFT.md §7.5). */
  readonly candidate: Index;
}

/** What a leader starts with when it meets a member. */
export interface ProgressStart {
  /** Our log, as it is whenever it is looked at. */
  readonly log: { readonly anchorIndex: Index; readonly lastIndex: Index };
  readonly nowUs: MonoUs;
  readonly settings: RaftSettings;
}

/** Invariant: matchIndex < next. A `next` at or below the anchor cannot be sent any more. */
export class Progress {
  readonly member: Member;
  state: 'probe' | 'replicate' | 'snapshot' = 'probe';
  /** Everything up to here equals our log and is durable there. Never decreases. */
  matchIndex: Index = 0;
  /** First entry of the next Append. */
  next: Index;
  /** Probing: an Append is out; the next one waits for an answer or a later heartbeat's. */
  isPaused = false;
  /** The round in which the last probe left. Answers to it and older ones say nothing of it. */
  probeRound = 0;
  /** Probing: no earlier than this, even if a heartbeat was answered: its snapshot failed. */
  retryUs: MonoUs = 0;
  /** Probing: it refuses even what every log begins with, so it has none: it is blank. */
  hasNoLog = false;
  /** Number of its transfer in state `snapshot`. */
  transfer = 0;
  /** Replicating: Appends out. Empty while probing. */
  readonly inflights: Inflights;
  /** An empty Append is due, to find out whether the window was lost. */
  needsPing = false;
  /** A heartbeat's answer may ask for a ping; at most once per heartbeat interval. */
  mayPing = false;
  /** What it knows of our commit index, unless the message was lost. */
  toldCommit: Index = 0;
  /** Largest round that it answered (RAFT.md §8). */
  heardRound = 0;
  /** When the newest message that it answered was sent, or earlier (RAFT.md §6.6). */
  lastAckSentUs: MonoUs;
  /** Boot of the node that acknowledged matchIndex. */
  matchBoot = 0;
  /** It lost what it had acknowledged: nothing it says is counted any more (RAFT.md §15.5). */
  isLost = false;
  /** Whether it keeps up with the log; measured at ticks. */
  readonly catchUp: CatchUp;
  private readonly log: ProgressStart['log'];
  /**
   * A match index and a round that began when it had been acknowledged already. An answer to that
   * round or a later one that shows less on disk is a proof of loss; an older answer is not.
   */
  private witness: { readonly round: number; readonly matchIndex: Index };

  constructor(member: Member, start: ProgressStart) {
    const { inflightAppendsMax, inflightBytesMax } = start.settings;
    this.member = member;
    this.log = start.log;
    this.catchUp = new CatchUp(start.log.lastIndex, start.nowUs);
    this.next = start.log.lastIndex + 1;
    this.lastAckSentUs = start.nowUs;
    this.witness = { round: 0, matchIndex: 0 };
    this.inflights = new Inflights(inflightAppendsMax, inflightBytesMax);
  }

  /** What counts for a quorum. */
  get countedMatch(): Index {
    return this.isLost ? 0 : this.matchIndex;
  }

  /** Its log must be found again. It may have more than it told, so our anchor is tried first. */
  becomeProbe(): void {
    this.state = 'probe';
    this.next = Math.max(this.matchIndex, this.log.anchorIndex) + 1;
    this.isPaused = false;
    this.needsPing = false;
    this.inflights.clear();
  }

  becomeReplicate(): void {
    this.state = 'replicate';
    this.next = this.matchIndex + 1;
    this.isPaused = false;
    this.inflights.clear();
  }

  /** What it needs is in our log no more. */
  becomeSnapshot(transfer: number): void {
    this.state = 'snapshot';
    this.transfer = transfer;
    this.hasNoLog = false;
    this.isPaused = false;
    this.needsPing = false;
    this.inflights.clear();
  }

  /** Its transfer failed: nothing more before `retryUs` and the answer to a later heartbeat. */
  onTransferFailed(round: number, retryUs: MonoUs): void {
    this.becomeProbe();
    this.isPaused = true;
    this.probeRound = round;
    this.retryUs = retryUs;
  }

  /** Everything up to `match` is durable there. An equal one also ends probing (ER). */
  onAccepted(match: Index, bootCount: number): void {
    if (match < this.matchIndex) return;
    this.matchBoot = Math.max(this.matchBoot, bootCount);
    this.matchIndex = match;
    this.hasNoLog = false;
    this.next = Math.max(this.next, match + 1);
    if (this.state === 'replicate') this.inflights.freeTo(match);
    else if (match >= this.log.anchorIndex) this.becomeReplicate();
  }

  /** It put the checkpoint of its transfer in force. That may be below our anchor already. */
  onInstalled(): void {
    if (this.state === 'snapshot') this.becomeReplicate();
  }

  /** An Append did not fit. Late rejections never move `next` to or below the match. */
  onRejected(rejection: Rejection): void {
    const { rejectedPrev, candidate } = rejection;
    this.hasNoLog = this.state === 'probe' && rejectedPrev === 0 && this.next === 1;
    probes.sometimes('rejection-comes-late', !this.hasNoLog && rejectedPrev <= this.matchIndex);
    if (rejectedPrev <= this.matchIndex) return;
    if (this.state === 'replicate') {
      this.becomeProbe();
      return;
    }
    if (this.state === 'snapshot' || rejectedPrev !== this.next - 1) return;
    const next = Math.max(this.matchIndex + 1, Math.min(candidate + 1, rejectedPrev));
    this.isPaused = false;
    this.next = next;
  }

  /** Its connection was lost, and with it probably all that was on its way. */
  onUnreachable(): void {
    // A transfer goes on over the next connection.
    if (this.state === 'snapshot') return;
    if (this.state === 'replicate') this.becomeProbe();
    this.isPaused = true;
  }

  /** A round begins: remembers what it must still have when it answers this round. */
  onRound(round: number): void {
    if (this.heardRound >= this.witness.round)
      this.witness = { round, matchIndex: this.matchIndex };
  }

  /** True when an answer proves that acknowledged entries are gone. */
  hasLost(echo: number, durableIndex: Index): boolean {
    return echo >= this.witness.round && durableIndex < this.witness.matchIndex;
  }

  /** It answered a message that left in this round, which began at `sentUs`. */
  onHeard(round: number, sentUs: MonoUs): void {
    this.heardRound = Math.max(this.heardRound, round);
    this.lastAckSentUs = Math.max(this.lastAckSentUs, sentUs);
  }

  /** Throws unless the invariants of this file hold. */
  check(lastIndex: Index): void {
    assert(this.matchIndex < this.next, 'match < next');
    assert(this.matchIndex <= lastIndex, 'nobody has more of our log than we do');
    assert(this.next <= lastIndex + 1, 'next is at most one past our log');
    assert(
      this.state === 'replicate' || this.inflights.count === 0,
      'only replicating has a window',
    );
  }
}
