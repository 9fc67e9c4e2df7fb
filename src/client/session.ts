// A client's standing with the cluster: one lease, numbered requests, what it holds and waits for.

import type { HoldfastError } from '../base/error.ts';
import type { SessionId, Token } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import type { KeepAliveResult, SessionNews } from '../wire/client-messages.ts';
import type { Exchange, Ticket } from './exchange.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { NodeLink } from './link.ts';
import type { Links } from './links.ts';
import { lossReason } from './loss.ts';
import type { Loss } from './loss.ts';
import { Opening } from './opening.ts';
import type { Opened } from './opening.ts';
import type { Settings } from './options.ts';
import { QueryExchange } from './query-exchange.ts';
import { Renewer } from './renewer.ts';
import type { Requests } from './requests.ts';
import { Sequence } from './sequence.ts';

/** Waiting acquires are asked about this often, in case that news of them were lost. */
const RECHECK_US = 15_000_000;

export interface SessionParts {
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  readonly random: Random;
  readonly logger: Logger;
  readonly links: Links;
  readonly requests: Requests;
  readonly settings: Settings;
}

/** An acquire that has no answer, or waits in the queue. */
export interface Waiting {
  onOpen(): void;
  onGranted(token: Token): void;
  /** Taken out of the queue, or granted and broken before this client learnt of it. */
  onOver(cause: 'withdrawn' | 'broken', reason: string): void;
  onRefused(error: HoldfastError): void;
  onLost(loss: Loss): void;
  /** Rejects with this reason, and takes back what was sent. */
  giveUp(reason: unknown): void;
  /** The link to the leader is a new one: ask again under the same number. */
  askAgain(): void;
}

/** A grant that nobody has released. */
export interface Held {
  readonly names: readonly string[];
  onLost(loss: Loss): void;
}

export class Session {
  readonly sequence = new Sequence();
  readonly parts: SessionParts;
  /** null until it is open. */
  id: SessionId | null = null;
  /** Why it is over; null while it is not. */
  loss: Loss | null = null;
  private readonly controller = new AbortController();
  private renewer: Renewer | null = null;
  private opening: Ticket | null = null;
  private attachedTo: NodeLink | null = null;
  private recheckedUs: number;
  private onIdle: (() => void) | null = null;
  // Bounded by the requests that a client may have waiting.
  private readonly unopened = new Set<Waiting>();
  // By the number of the acquire; bounded by the cluster's limit of holdings.
  private readonly waiting = new Map<number, Waiting>();
  private readonly held = new Map<number, Held>();

  constructor(parts: SessionParts) {
    this.parts = parts;
    this.recheckedUs = parts.clock.monoUs();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Calls back onOpen once the session is open (at once if it is), or why it will not be. */
  join(waiting: Waiting): void {
    if (this.loss !== null) waiting.onLost(this.loss);
    else if (this.id !== null) waiting.onOpen();
    else {
      this.unopened.add(waiting);
      this.opening ??= this.parts.requests.submit(this.newOpening());
    }
  }

  expect(acquireSeq: number, waiting: Waiting): void {
    this.waiting.set(acquireSeq, waiting);
  }

  /** It was decided or given up. Idempotent. */
  forget(acquireSeq: number, waiting: Waiting): void {
    this.waiting.delete(acquireSeq);
    if (!this.unopened.delete(waiting) || this.unopened.size > 0) return;
    this.opening?.drop();
    this.opening = null;
  }

  giveUpWaiting(reason: HoldfastError): void {
    for (const waiting of [...this.unopened, ...this.waiting.values()]) waiting.giveUp(reason);
  }

  hold(acquireSeq: number, held: Held): void {
    this.held.set(acquireSeq, held);
  }

  letGo(acquireSeq: number): void {
    this.held.delete(acquireSeq);
    if (this.held.size === 0) this.tellIdle();
  }

  /** Calls back when nothing is held. */
  whenIdle(callback: () => void): void {
    if (this.held.size === 0) callback();
    else this.onIdle = callback;
  }

  submit(exchange: Exchange): Ticket {
    return this.parts.requests.submit(exchange);
  }

  /** Whether the lease is believed now; see Renewer.isAlive. */
  isAlive(mustLook: boolean): boolean {
    return this.loss === null && this.renewer !== null && this.renewer.isAlive(mustLook);
  }

  remainingMs(): number {
    return this.renewer?.remainingMs() ?? 0;
  }

  onKeepAlive(result: KeepAliveResult): void {
    if (result.session !== this.id || this.renewer?.onResult(result) !== true) return;
    const nowUs = this.parts.clock.monoUs();
    if (nowUs - this.recheckedUs < RECHECK_US) return;
    this.recheckedUs = nowUs;
    for (const waiting of [...this.waiting.values()]) waiting.askAgain();
  }

  onNews(news: SessionNews): void {
    if (news.session !== this.id || this.loss !== null) return;
    if (news.kind === 'ended') this.lose(endedLoss(news));
    else if (news.kind === 'granted') this.waiting.get(news.acquireSeq)?.onGranted(news.token);
    else {
      this.waiting.get(news.acquireSeq)?.onOver(news.cause, news.reason);
      const { reason } = news;
      const details = { reason };
      this.held
        .get(news.acquireSeq)
        ?.onLost({ code: 'BROKEN', text: `broken: ${reason}`, details });
    }
  }

  /** A link came up, or another node leads. */
  onChange(): void {
    if (this.id === null || this.loss !== null) return;
    const leader = this.parts.links.leader();
    if (leader !== null && leader !== this.attachedTo) {
      this.attach(leader);
      this.recheck();
    }
    this.renewer?.hurry();
  }

  onDown(link: NodeLink): void {
    if (link === this.attachedTo) this.attachedTo = null;
  }

  /** Ends every belief, then tells. The first reason stays. */
  lose(loss: Loss): void {
    if (this.loss !== null) return;
    this.loss = loss;
    this.renewer?.stop();
    this.opening?.drop();
    const waiting = new Set([...this.unopened, ...this.waiting.values()]);
    const held = [...this.held.values()];
    this.unopened.clear();
    this.waiting.clear();
    this.held.clear();
    this.controller.abort(lossReason(`session ${this.id ?? '(not open)'}`, loss));
    for (const each of waiting) each.onLost(loss);
    for (const each of held) each.onLost(loss);
    this.tellIdle();
  }

  private tellIdle(): void {
    const callback = this.onIdle;
    this.onIdle = null;
    callback?.();
  }

  private newOpening(): Opening {
    return new Opening(this.parts, this.parts.settings, {
      onOpened: (opened) => this.onOpened(opened),
      onRefused: (error) => this.onRefused(error),
    });
  }

  private onOpened(opened: Opened): void {
    const { parts } = this;
    const start = { ...opened, marginMs: parts.settings.marginMs };
    const renewer = new Renewer(parts, start, (loss) => this.onLeaseOver(loss));
    if (renewer.remainingMs() <= parts.settings.marginMs) {
      // The answer took as long as the lease: nothing was believed yet, so begin again.
      renewer.stop();
      this.opening = parts.requests.submit(this.newOpening());
      return;
    }
    this.opening = null;
    this.id = opened.session;
    this.renewer = renewer;
    const leader = parts.links.leader();
    if (leader !== null) this.attach(leader);
    const joined = [...this.unopened];
    this.unopened.clear();
    for (const waiting of joined) waiting.onOpen();
  }

  private onRefused(error: HoldfastError): void {
    this.opening = null;
    const refused = [...this.unopened];
    this.unopened.clear();
    for (const waiting of refused) waiting.onRefused(error);
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

  // News may have passed while no link was attached. Waiting acquires are asked again under their
  // numbers; whether grants still stand is read, which costs the log nothing.
  private recheck(): void {
    for (const waiting of [...this.waiting.values()]) waiting.askAgain();
    for (const [acquireSeq, held] of this.held) this.verify(acquireSeq, held);
  }

  private verify(acquireSeq: number, held: Held): void {
    const name = held.names[0] ?? '';
    const query = new QueryExchange(
      { kind: 'inspect', name },
      {
        onAnswer: (answer) => {
          if (answer.kind !== 'lock' || this.held.get(acquireSeq) !== held) return;
          const isOurs = (holder: { session: SessionId; acquireSeq: number }): boolean =>
            holder.session === this.id && holder.acquireSeq === acquireSeq;
          if (answer.lock.holders.some(isOurs)) return;
          const text = 'the cluster no longer lists the grant: broken while no node was reached';
          held.onLost({ code: 'BROKEN', text, details: {} });
        },
        onFail: () => {},
      },
    );
    this.submit(query);
  }
}

function endedLoss(news: Extract<SessionNews, { kind: 'ended' }>): Loss {
  const why = news.reason === '' ? '' : `: ${news.reason}`;
  const details = { cause: news.cause, reason: news.reason };
  return {
    code: 'SESSION_GONE',
    text: `the cluster ended the session (${news.cause})${why}`,
    details,
  };
}
