// A client's standing with the cluster: one lease, numbered requests, what it holds and waits for.

import { HoldfastError } from '../base/error.ts';
import { probes } from '../base/probe.ts';
import type { SessionId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import type { KeepAliveResult, SessionNews } from '../wire/client-messages.ts';
import type { Deadlines } from './deadlines.ts';
import type { Grant } from './grant.ts';
import { GrantChecks } from './grant-check.ts';
import { sessionText } from './hand-over.ts';
import { HoldEnds } from './hold-ends.ts';
import type { Limited } from './hold-ends.ts';
import { Holdings } from './holdings.ts';
import type { Waiting } from './holdings.ts';
import { Lease } from './lease.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { NodeLink } from './link.ts';
import type { Links } from './links.ts';
import { lossReason } from './loss.ts';
import type { Loss } from './loss.ts';
import type { Opened } from './opening.ts';
import type { Settings } from './options.ts';
import type { Origin } from './origin.ts';
import type { RenewalHost } from './renewal-host.ts';
import type { Requests } from './requests.ts';
import { Returns } from './returns.ts';
import type { Numbering } from './sequence.ts';

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
  /** Of requests that somebody waits for. */
  readonly deadlines: Deadlines;
  readonly settings: Settings;
  /** See ClientPorts. */
  readonly onGrant: ((grant: Grant) => void) | undefined;
}

/**
 * Invariant: nothing of a lost session is ever believed again, nor adopted by another one
 * (CURATOR-604).
 */
export class Session {
  readonly sequence: Numbering;
  readonly holdings = new Holdings();
  readonly returns = new Returns();
  readonly parts: SessionParts;
  /** Another process opened it and numbers its requests: it is not ours to end. */
  readonly isShared: boolean;
  /** null until the cluster has confirmed it. */
  id: SessionId | null = null;
  /** Why it is over; null while it is not. */
  loss: Loss | null = null;
  /** Grants of it are in the hands of another process: it must outlive this client. */
  isHandedOver = false;
  /** Requests may be sent in it: the numbers that are left are known. */
  isOpen = false;
  private readonly origin: Origin;
  private readonly checks = new GrantChecks(this);
  private holdEnds: HoldEnds | null = null;
  private readonly controller = new AbortController();
  private lease: Lease | null = null;
  private ttlMs: number | null = null;
  private attachedTo: NodeLink | null = null;
  private recheckedUs: number;

  constructor(parts: SessionParts, makeOrigin: (session: Session) => Origin) {
    this.parts = parts;
    this.recheckedUs = parts.clock.monoUs();
    this.origin = makeOrigin(this);
    this.sequence = this.origin.sequence;
    this.isShared = this.origin.isShared;
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
    if (this.isOpen) waiting.onOpen();
    else this.origin.begin();
  }

  /** Looks for a session that is there already; a new one is opened when somebody joins. */
  begin(): void {
    this.origin.begin();
  }

  /** Renewals wait for this hold once it should be over. */
  limit(hold: Limited): void {
    this.holdEnds ??= new HoldEnds();
    this.holdEnds.add(hold);
    this.lease?.holdUntil(this.holdEnds.earliestUs());
  }

  /** One of the limited holds is over. */
  unlimit(): void {
    if (this.holdEnds === null) return;
    this.holdEnds.noteOver();
    this.lease?.holdUntil(this.holdEnds.earliestUs());
  }

  /** It was decided or given up. Idempotent. */
  forget(acquireSeq: number, waiting: Waiting): void {
    if (this.holdings.forget(acquireSeq, waiting) && !this.isOpen) this.origin.onUnwanted();
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
    this.origin.onKeepAlive(result);
    this.lease?.onResult(result);
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
    if (this.loss !== null) return;
    this.origin.onChange();
    if (this.id === null) return;
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
    this.origin.stop();
    this.controller.abort(lossReason(`session ${this.id ?? '(not open)'}`, loss));
    this.holdings.lose(loss);
  }

  /**
   * The cluster confirmed it: from now on the lease is believed and renewed. False: the answer took
   * as long as the lease, so nothing was believed yet.
   */
  onConfirmed(opened: Opened): boolean {
    const { parts } = this;
    const marginMs = Math.min(parts.settings.marginMs, (opened.ttlMs ?? Infinity) / 2);
    const lease = new Lease({ ...parts, settings: { marginMs } }, opened, {
      onConfirmed: () => this.onRenewed(),
      onOver: (loss) => this.onLeaseOver(loss),
    });
    if (lease.remainingMs() <= marginMs) {
      probes.reach('open-answered-too-late');
      lease.stop();
      return false;
    }
    this.id = opened.session;
    this.ttlMs = opened.ttlMs;
    this.lease = lease;
    const leader = parts.links.leader();
    if (leader !== null) this.attach(leader);
    return true;
  }

  /** Whoever waits for it may go on: its requests have numbers of their own. */
  onOpen(): void {
    this.isOpen = true;
    for (const waiting of this.holdings.joined()) waiting.onOpen();
  }

  /** The cluster will not open it. */
  onRefused(error: HoldfastError): void {
    for (const waiting of this.holdings.joined()) waiting.onRefused(error);
  }

  /** A text for ClientOptions.resume; see ClientSession.save. */
  save(): string {
    const { clusterId } = this.parts.links;
    if (this.loss !== null) throw lossReason('the session', this.loss);
    if (this.id === null || clusterId === null) {
      throw new HoldfastError(
        'SESSION_GONE',
        'there is no session yet: the first acquire opens it',
      );
    }
    return sessionText({ clusterId, session: this.id, ttlMs: this.ttlMs });
  }

  /** Asks again about what news may have been missed of. */
  private onRenewed(): void {
    const nowUs = this.parts.clock.monoUs();
    if (nowUs - this.recheckedUs < RECHECK_US) return;
    this.recheckedUs = nowUs;
    this.holdings.askAgain();
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
