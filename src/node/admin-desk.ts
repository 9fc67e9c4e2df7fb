import type { NodeId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { TransferRefusal } from '../raft/membership-change.ts';
import type { AdminStep, QueryResult } from '../wire/client-messages.ts';
import type { Backups } from './backups.ts';
import type { LimitsDesk } from './limits-desk.ts';
import type { MembershipDesk } from './membership-desk.ts';

/** After a transfer: how long is waited for news of who leads now, in election time-outs. */
const NEWS_ELECTIONS_MAX = 2;

/** What the leader has for an operator. */
export interface AdminDeskOptions {
  readonly clock: Clock;
  readonly electionMs: number;
  readonly isLeading: () => boolean;
  /** Who leads, if it is another node. */
  readonly otherLeaderId: () => NodeId | null;
  readonly membership: MembershipDesk;
  readonly backups: Backups;
  /** A quorum confirms that this node still leads; false: it does not. */
  readonly confirm: (done: (isConfirmed: boolean) => void) => void;
  readonly transfer: (to: NodeId | null, done: (refusal: TransferRefusal | null) => void) => void;
  readonly limits: LimitsDesk;
}

type Done = (result: QueryResult) => void;

interface Waiting {
  readonly done: Done;
  readonly timer: Timer;
}

/** Where the steps of administration go. One desk for each replica; only a leader serves. */
export class AdminDesk {
  private readonly options: AdminDeskOptions;
  /** Transfers that succeeded and wait for news of the new leader. */
  private readonly waiting = new Set<Waiting>();

  constructor(options: AdminDeskOptions) {
    this.options = options;
  }

  handle(step: AdminStep, done: Done): void {
    const { membership, backups, limits, isLeading } = this.options;
    // What is read of a backup goes on at a node that leads no more: it is a state of the past.
    if (step.step === 'backupRows') return backups.rows(step.backupId, step.after, done);
    if (step.step === 'backupEnd') {
      backups.end(step.backupId);
      return done({ kind: 'done' });
    }
    if (!isLeading()) return done(notLeader());
    switch (step.step) {
      case 'addMember':
      case 'promote':
      case 'removeMember':
      case 'replace':
        return membership.handle(step, done);
      case 'transfer':
        return this.transfer(step.to, done);
      case 'backupBegin':
        return this.options.confirm((isConfirmed) =>
          isConfirmed ? backups.begin(done) : done(notLeader()),
        );
      case 'setLimits':
        return limits.set(step, done);
    }
  }

  /** Another node leads, or none, or this one. */
  onLeaderChange(): void {
    if (!this.options.isLeading()) this.options.membership.end();
    if (this.options.otherLeaderId() === null) return;
    for (const each of [...this.waiting]) this.tell(each);
  }

  stop(): void {
    this.options.membership.end();
    this.options.backups.stop();
    for (const each of [...this.waiting]) this.tell(each);
  }

  private transfer(to: NodeId | null, done: Done): void {
    const { clock, electionMs, transfer, otherLeaderId } = this.options;
    transfer(to, (refusal) => {
      if (refusal !== null) return done(refusedTransfer(refusal));
      if (otherLeaderId() !== null) return done({ kind: 'transferred', leaderId: otherLeaderId() });
      const limitUs = NEWS_ELECTIONS_MAX * electionMs * US_PER_MS;
      const each: Waiting = { done, timer: clock.after(limitUs, () => this.tell(each)) };
      this.waiting.add(each);
    });
  }

  private tell(each: Waiting): void {
    each.timer.cancel();
    if (this.waiting.delete(each)) {
      each.done({ kind: 'transferred', leaderId: this.options.otherLeaderId() });
    }
  }
}

function notLeader(): QueryResult {
  return { kind: 'refused', code: 'NOT_LEADER', message: 'this node does not lead' };
}

function refusedTransfer({ code, message }: TransferRefusal): QueryResult {
  const codes = {
    NOT_LEADER: 'NOT_LEADER',
    INVALID: 'INVALID',
    TIMEOUT: 'UNAVAILABLE',
    REPLACED: 'CHANGE_PENDING',
  } as const;
  return { kind: 'refused', code: codes[code], message };
}
