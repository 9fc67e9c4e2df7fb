// Administration of a cluster from outside: its members, who leads, its limits, its backup. For
// operators' programs; a lock client needs none of it.

import { HoldfastError } from '../base/error.ts';
import type { NodeId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { ReplicatedLimits } from '../locks/commands.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { decodeSnapshotMeta, decodeSnapshotRows } from '../wire/checkpoint.ts';
import type { SnapshotMeta, StoredRow } from '../wire/checkpoint.ts';
import type { AdminStep, MembershipView, QueryResult } from '../wire/client-messages.ts';
import { AdminRequests } from './admin-requests.ts';
import type { AdminOptions } from './admin-requests.ts';
import type { LinkPorts, NodeLink } from './link.ts';

export type { AdminOptions } from './admin-requests.ts';

const PROGRESS_MS = 500;

/** The steps that change who takes part. */
export type MembershipStep = Extract<AdminStep, { readonly expectedIndex: unknown }>;

/** What an operator changes of the limits; `by` names him. */
export type LimitsChange = Omit<Extract<AdminStep, { readonly step: 'setLimits' }>, 'step'>;

/** A backup that is held still by the node that leads. */
export interface OpenBackup {
  readonly meta: SnapshotMeta;
  /**
   * All rows in key order, page by page. Throws UNAVAILABLE when the node is lost meanwhile: then
   * the backup must be begun anew.
   */
  pages(): AsyncGenerator<readonly StoredRow[], void, void>;
  /** Lets the node clean up; it does so by itself a minute after the last page that was read. */
  end(): Promise<void>;
}

/**
 * See the head of this file. Every promise may reject with UNAVAILABLE and the leader's refusals.
 */
export class Admin {
  private readonly clock: Clock;
  private readonly requests: AdminRequests;

  /** Begins to dial. Throws HoldfastError INVALID for wrong options. */
  constructor(ports: LinkPorts & { readonly logger: Logger }, options: AdminOptions) {
    this.clock = ports.clock;
    this.requests = new AdminRequests(ports, options);
  }

  close(): void {
    this.requests.close();
  }

  /** Who takes part, linearizable. */
  async membership(): Promise<MembershipView> {
    const { answer } = await this.requests.ask({
      what: { type: 'query', query: { kind: 'membership' } },
    });
    return membershipOf(answer);
  }

  /**
   * Carries out a change, however long the new member takes to catch up, and resolves with the
   * membership then. May be asked again at any time: it goes on where it stands, and succeeds at
   * once when it is done already. `onProgress` hears twice a second how far it is.
   */
  async change(
    step: MembershipStep,
    onProgress: (view: MembershipView) => void,
  ): Promise<MembershipView> {
    const watch = this.watchProgress(onProgress);
    try {
      const asked = this.requests.ask({ what: { type: 'admin', step }, isLong: true });
      const { answer } = await Promise.race([asked, watch.lost]);
      return membershipOf(answer);
    } finally {
      watch.stop();
    }
  }

  /**
   * Another node leads: this one, or the one that is furthest. Resolves with who leads then. Not
   * asked again once anybody else leads: it would be moved a second time.
   */
  async transfer(to: NodeId | null): Promise<NodeId | null> {
    let from: NodeLink | null = null;
    const { answer, link } = await this.requests.ask({
      what: { type: 'admin', step: { step: 'transfer', to } },
      isTriedOnce: true,
      isStillWanted: (leader) => {
        const first = from ?? leader;
        from = first;
        return to === null ? leader === first : leader.nodeId !== to;
      },
    });
    if (answer === null) return link.nodeId;
    if (answer.kind !== 'transferred') throw stray(answer);
    const { leaderId } = answer;
    // The former leader may not have heard of the election that it lost.
    return leaderId === null || leaderId === link.nodeId ? this.leaderId() : leaderId;
  }

  /** The limits in force, linearizable. */
  async limits(): Promise<ReplicatedLimits> {
    const { answer } = await this.requests.ask({
      what: { type: 'query', query: { kind: 'limits' } },
    });
    if (answer?.kind === 'limits') return answer.limits;
    throw stray(answer);
  }

  /**
   * Other limits of sessions and requests, from now on, made from those that were `expected` to be
   * in force. Rejects with LIMITS_CHANGED when they are not, unless the new ones are already.
   */
  async setLimits(change: LimitsChange): Promise<void> {
    const step: AdminStep = { step: 'setLimits', ...change };
    const { answer } = await this.requests.ask({ what: { type: 'admin', step } });
    if (answer?.kind !== 'done') throw stray(answer);
  }

  /** A linearizable state of everything, while the cluster works on. */
  async beginBackup(): Promise<OpenBackup> {
    const { answer, link } = await this.requests.ask({
      what: { type: 'admin', step: { step: 'backupBegin' } },
    });
    if (answer?.kind !== 'backup') throw stray(answer);
    const { backupId, meta } = answer;
    return {
      meta: decodeSnapshotMeta(meta),
      pages: () => this.pages(link, backupId),
      end: async () => {
        const step: AdminStep = { step: 'backupEnd', backupId };
        await this.requests.ask({ what: { type: 'admin', step }, at: link });
      },
    };
  }

  // Whoever can answer this leads.
  private async leaderId(): Promise<NodeId | null> {
    const { link } = await this.requests.ask({
      what: { type: 'query', query: { kind: 'membership' } },
    });
    return link.nodeId;
  }

  private async *pages(
    at: NodeLink,
    backupId: number,
  ): AsyncGenerator<readonly StoredRow[], void, void> {
    for (let after = '', isLast = false; !isLast;) {
      const step: AdminStep = { step: 'backupRows', backupId, after };
      const { answer } = await this.requests.ask({ what: { type: 'admin', step }, at });
      if (answer?.kind !== 'backupRows') throw stray(answer);
      const rows = decodeSnapshotRows(answer.content);
      yield rows;
      const last = rows.at(-1);
      isLast = answer.isLast || last === undefined;
      after = last?.key ?? after;
    }
  }

  // Also notices that no leader answers any more: a long request has no limit of its own.
  private watchProgress(onProgress: (view: MembershipView) => void): {
    readonly lost: Promise<never>;
    stop(): void;
  } {
    let timer: Timer | null = null;
    let isOver = false;
    const lost = new Promise<never>((_, reject) => {
      const look = (): void => {
        this.membership().then(
          (view) => {
            if (isOver) return;
            onProgress(view);
            timer = this.clock.after(PROGRESS_MS * US_PER_MS, look);
          },
          (error: unknown) => reject(goesOn(error)),
        );
      };
      look();
    });
    lost.catch(() => {}); // after the end nobody waits for it
    return {
      lost,
      stop: () => {
        isOver = true;
        timer?.cancel();
      },
    };
  }
}

function goesOn(error: unknown): unknown {
  if (!HoldfastError.is(error) || error.code !== 'UNAVAILABLE') return error;
  const text = error.message.replace(/^UNAVAILABLE: /, '');
  const advice = 'the change may go on by itself: ask for it again to see it through';
  return new HoldfastError('UNAVAILABLE', `${text}; ${advice}`, { outcome: 'unknown' });
}

function membershipOf(answer: QueryResult | null): MembershipView {
  if (answer?.kind === 'membership') return answer.membership;
  throw stray(answer);
}

function stray(answer: QueryResult | null): HoldfastError {
  return new HoldfastError('INTERNAL', `the leader answered with ${answer?.kind ?? 'nothing'}`);
}
