// A client's standing with the cluster: one lease, numbered requests, what it holds and waits for.

import type { HoldfastError } from '../base/error.ts';
import { probes } from '../base/probe.ts';
import type { SessionId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import type { KeepAliveResult, SessionNews } from '../wire/client-messages.ts';
import type { Ticket } from './exchange.ts';
import { GrantChecks } from './grant-check.ts';
import { Holdings } from './holdings.ts';
import type { Waiting } from './holdings.ts';
import { Lease } from './lease.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { NodeLink } from './link.ts';
import type { Links } from './links.ts';
import { lossReason } from './loss.ts';
import type { Loss } from './loss.ts';
import { Opening } from './opening.ts';
import type { Opened } from './opening.ts';
import type { Settings } from './options.ts';
import type { RenewalHost } from './renewal-host.ts';
import type { Requests } from './requests.ts';
import { Sequence } from './sequence.ts';

/** Waiting acquires are asked about this often, in case that news of them were lost. */
const RECHECK_US = 15_000_000;

/** What a session needs of its client. */
export interface SessionParts {
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  readonly renewals: RenewalHost;
  readonly random: Random;
  readonly logger: Logger;
  readonly links: Links;
  readonly requests: Requests;
  readonly settings: Settings;
}

/**
 * Invariant: nothing of a lost session is ever believed again, nor adopted by another one
 * (CURATOR-604).
 */
export class Session {
  readonly sequence = new Sequence();
  readonly holdings = new Holdings();
  readonly parts: SessionParts;
  /** null until it is open. */
  id: SessionId | null = null;
  /** Why it is over; null while it is not. */
  loss: Loss | null = null;
  private readonly checks = new GrantChecks(this);
  private readonly controller = new AbortController();
  private lease: Lease | null = null;
  private opening: Ticket | null = null;
  private attachedTo: NodeLink | null = null;
  private recheckedUs: number;

  constructor(parts: SessionParts) {
    this.parts = parts;
    this.recheckedUs = parts.clock.monoUs();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Calls back onOpen once the session is open (at once if it is), or why it will not be. */
  join(waiting: Waiting): void {
    if (this.loss !== null) {
      waiting.onLost(this.loss);
      return;
    }
    this.holdings.join(waiting);
    if (this.id !== null) waiting.onOpen();
    else this.opening ??= this.parts.requests.submit(this.newOpening());
  }

  /** It was decided or given up. Idempotent. */
  forget(acquireSeq: number, waiting: Waiting): void {
    if (!this.holdings.forget(acquireSeq, waiting)) return;
    // What may have opened a session goes on, for the next acquire: each new one would leave one.
    if (this.opening?.isInDoubt() === true) return;
    this.opening?.drop();
    this.opening = null;
  }

  /** Whether the lease is believed now; see Lease.isAlive. */
  isAlive(mustLook: boolean): boolean {
    return this.loss === null && this.lease !== null && this.lease.isAlive(mustLook);
  }

  remainingMs(): number {
    return this.lease?.remainingMs() ?? 0;
  }

  /** See Lease.peekLeftUs; 0 while it is not open. */
  peekLeftUs(): number {
    return this.lease?.peekLeftUs() ?? 0;
  }

  onKeepAlive(result: KeepAliveResult): void {
    this.lease?.onResult(result);
  }

  private onConfirmed(): void {
    const nowUs = this.parts.clock.monoUs();
    if (nowUs - this.recheckedUs < RECHECK_US) return;
    this.recheckedUs = nowUs;
    this.holdings.askAgain();
  }

  onNews(news: SessionNews): void {
    if (news.session !== this.id || this.loss !== null) return;
    if (news.kind === 'ended') {
      this.lose(endedLoss(news));
      return;
    }
    const waiting = this.holdings.waitingFor(news.acquireSeq);
    if (news.kind === 'granted') waiting?.onGranted(news.token, news.slots);
    else {
      const { cause, reason } = news;
      waiting?.onOver(cause, reason);
      const loss: Loss = { code: 'BROKEN', text: `broken by ${reason}`, details: { reason } };
      this.holdings.heldBy(news.acquireSeq)?.onLost(loss);
    }
  }

  /** A link came up, or another node leads. */
  onChange(): void {
    if (this.id === null || this.loss !== null) return;
    const leader = this.parts.links.leader();
    if (leader !== null && leader !== this.attachedTo) {
      this.attach(leader);
      this.holdings.askAgain();
      this.checks.ask();
    }
    this.lease?.hurry();
  }

  onDown(link: NodeLink): void {
    if (link === this.attachedTo) this.attachedTo = null;
  }

  /** Ends every belief, then tells. The first reason stays. */
  lose(loss: Loss): void {
    if (this.loss !== null) return;
    this.loss = loss;
    this.lease?.stop();
    this.opening?.drop();
    this.controller.abort(lossReason(`session ${this.id ?? '(not open)'}`, loss));
    this.holdings.lose(loss);
  }

  private newOpening(): Opening {
    return new Opening(this.parts, this.parts.settings, {
      onOpened: (opened) => this.onOpened(opened),
      onRefused: (error) => this.onRefused(error),
    });
  }

  private onOpened(opened: Opened): void {
    const { parts } = this;
    const lease = new Lease(parts, opened, {
      onConfirmed: () => this.onConfirmed(),
      onOver: (loss) => this.onLeaseOver(loss),
    });
    if (lease.remainingMs() <= parts.settings.marginMs) {
      // The answer took as long as the lease: nothing was believed yet, so begin again.
      probes.reach('open-answered-too-late');
      lease.stop();
      this.opening = parts.requests.submit(this.newOpening());
      return;
    }
    this.opening = null;
    this.id = opened.session;
    this.lease = lease;
    const leader = parts.links.leader();
    if (leader !== null) this.attach(leader);
    for (const waiting of this.holdings.joined()) waiting.onOpen();
  }

  private onRefused(error: HoldfastError): void {
    this.opening = null;
    for (const waiting of this.holdings.joined()) waiting.onRefused(error);
  }

  private onLeaseOver(loss: Loss): void {
    this.parts.logger.warn(lossReason(`session ${this.id}`, loss).message);
    this.lose(loss);
  }

  private attach(leader: NodeLink): void {
    if (this.id === null) return;
    this.attachedTo = leader;
    leader.send([{ type: 'attach', sessions: [this.id] }], false);
  }
}

const ENDED_TEXTS = {
  expired: 'the cluster heard nothing of it for its TTL',
  ended: 'an operator ended it',
  closed: 'another process closed it',
} as const;

function endedLoss({ cause, reason }: Extract<SessionNews, { kind: 'ended' }>): Loss {
  const code = cause === 'expired' ? 'SESSION_EXPIRED' : 'SESSION_ENDED';
  const text = `${ENDED_TEXTS[cause]}${reason === '' ? '' : `: ${reason}`}`;
  return { code, text, details: { cause, reason } };
}
