// Grants that another process handed over (Grant.handOver). Its session is renewed here too, for as
// long as anything of it is held here; it is never ended from here.

import { HoldfastError } from '../base/error.ts';
import type { SessionId, Token } from '../base/units.ts';
import type { Grant } from './grant.ts';
import { SessionGrant } from './grant.ts';
import { readGrantText } from './hand-over.ts';
import type { HandedGrant } from './hand-over.ts';
import { grantName, lossReason } from './loss.ts';
import type { Loss } from './loss.ts';
import { SharedOrigin } from './origin.ts';
import { promiseWithin } from './promise-within.ts';
import { QueryExchange } from './query-exchange.ts';
import { Session } from './session.ts';
import type { SessionParts } from './session.ts';
import { callAt } from './timer.ts';

type Settle = (loss: Loss | null) => void;

/** A session of another process, and who waits until it is found. */
class Guest {
  readonly session: Session;
  /** Take-overs that are not decided yet. */
  pending = 0;
  private readonly waits = new Set<Settle>();
  private isFound = false;

  constructor(parts: SessionParts, id: SessionId) {
    const owner = {
      onFound: () => {
        this.isFound = true;
        this.tell(null);
      },
      onMissing: (loss: Loss) => this.tell(loss),
    };
    this.session = new Session(parts, (session) => new SharedOrigin(session, id, owner));
  }

  /** Resolves once the cluster confirmed it; rejects within requestMs. */
  found(): Promise<void> {
    const { clock, settings, links } = this.session.parts;
    if (this.isFound) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle: Settle = (loss) => {
        limit.cancel();
        this.waits.delete(settle);
        if (loss === null) resolve();
        else reject(lossReason('the session of the grant', loss));
      };
      this.waits.add(settle);
      const limit = callAt(clock, clock.monoUs() + settings.requestMs * 1000, () => {
        const text = `no node confirmed the session of the grant within ${settings.requestMs} ms`;
        this.waits.delete(settle);
        reject(new HoldfastError('UNAVAILABLE', `${text}; tried ${links.describe()}`));
      });
      this.session.begin();
    });
  }

  private tell(loss: Loss | null): void {
    for (const settle of [...this.waits]) settle(loss);
  }
}

/** All that one client took over. */
export class Takeovers {
  private readonly parts: SessionParts;
  // One for each giver of whom anything is held here: never two for one session, for both would
  // take the answers to their renewals for their own.
  private readonly guests = new Map<SessionId, Guest>();

  constructor(parts: SessionParts) {
    this.parts = parts;
  }

  sessions(): readonly Session[] {
    return [...this.guests.values()].map((guest) => guest.session);
  }

  session(id: SessionId): Session | undefined {
    return this.guests.get(id)?.session;
  }

  /** See Client.takeOver. `own`: a grant that this client handed over itself returns into it. */
  async takeOver(text: string, own: Session): Promise<Grant> {
    const handed = readGrantText(text);
    this.checkCluster(handed);
    if (handed.session === own.id && own.isAlive(true)) return this.enter(own, handed);
    const guest = this.guestOf(handed.session);
    guest.pending++;
    try {
      await guest.found();
      return await this.enter(guest.session, handed);
    } catch (error) {
      this.checkCluster(handed); // known by now, and a better reason than any other
      throw error;
    } finally {
      guest.pending--;
      this.retireIdle(handed.session, guest);
    }
  }

  // 1. The lease is believed. 2. A linearizable read finds the grant. It is over by a release, a
  // cancel or the end of its session only, none of which the giver sends any more (RAFT.md §14.3).
  private async enter(session: Session, handed: HandedGrant): Promise<Grant> {
    const { acquireSeq, token } = handed;
    const found = await this.tokenOf(session.id ?? '', acquireSeq);
    if (session.loss !== null) throw lossReason('the session of the grant', session.loss);
    const there = session.holdings.heldBy(acquireSeq)?.handle();
    if (there !== undefined) return there.reenter();
    if (found !== token) {
      const text = `the session does not hold ${grantName(handed)} any more`;
      throw new HoldfastError('NOT_HOLDER', text);
    }
    const { maxHoldMs } = this.parts.settings;
    const grant = new SessionGrant(session, { ...handed, maxHoldMs });
    grant.assertHeld();
    return grant;
  }

  private tokenOf(session: SessionId, acquireSeq: number): Promise<Token> {
    const wanted = { what: 'the answer whether the grant stands', changes: false };
    return promiseWithin<Token>(this.parts, wanted, (settle) => {
      const query = { kind: 'grant', session, acquireSeq } as const;
      return new QueryExchange(query, {
        onAnswer: (answer) => settle.resolve(answer.kind === 'grant' ? answer.token : 0),
        onFail: settle.reject,
      });
    });
  }

  private guestOf(id: SessionId): Guest {
    const known = this.guests.get(id);
    if (known !== undefined && known.session.loss === null) return known;
    const guest = new Guest(this.parts, id);
    this.guests.set(id, guest);
    return guest;
  }

  private retireIdle(id: SessionId, guest: Guest): void {
    guest.session.holdings.whenIdle(() => {
      if (guest.pending > 0 || this.guests.get(id) !== guest) return;
      this.guests.delete(id);
      guest.session.lose({ code: 'CLOSED', text: 'nothing of it is held here', details: {} });
    });
  }

  private checkCluster({ clusterId }: HandedGrant): void {
    const ours = this.parts.links.clusterId;
    if (ours === null || ours === clusterId) return;
    const text = `the grant is of cluster ${clusterId}; this client belongs to cluster ${ours}`;
    throw new HoldfastError('CLUSTER_CHANGED', text);
  }
}
