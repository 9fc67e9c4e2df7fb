// What an operator's program asks of the leader. There are few requests at a time and nothing is
// urgent, so each is simply sent again, at whoever leads then, when its link is lost or the node
// does not lead (any more). That is safe because every step of administration first looks how far
// it has come already (node/membership-desk.ts), and what else is asked only reads.

import { HoldfastError } from '../base/error.ts';
import type { ErrorCode } from '../base/error.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Timer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { AdminStep, NodeMessage, Query, QueryResult } from '../wire/client-messages.ts';
import type { QueryAnswer } from './exchange.ts';
import type { LinkPorts, NodeLink } from './link.ts';
import { Links } from './links.ts';
import type { LinksOwner } from './links.ts';
import { checkOptions } from './options.ts';
import { Reminder } from './reminder.ts';

/** After a refusal that passes: a leader is new, or a change before this one is not done. */
const PAUSE_MS = 200;
/** Refusals after which the same request may succeed. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'NOT_LEADER',
  'OVERLOADED',
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
] as const);

/** Whom to ask, and how long no node may answer. */
export interface AdminOptions {
  readonly nodes: readonly string[];
  /** For the nodes' logs. */
  readonly name: string;
  readonly patienceMs: number;
  /** Hears now and then, while no leader answers, how it is with each node. */
  readonly onWaiting?: (how: string) => void;
}

/** One question or wish. */
export interface AdminRequest {
  readonly what:
    | { readonly type: 'query'; readonly query: Query }
    | { readonly type: 'admin'; readonly step: AdminStep };
  /** Takes as long as it takes: a member has to catch up first. */
  readonly isLong?: boolean;
  /** A leader that says no is not asked again; whoever leads after it is. */
  readonly isTriedOnce?: boolean;
  /** Only this node has what is asked for: it is not sent anywhere else, nor again. */
  readonly at?: NodeLink;
  /** A node that led is about to be asked; false: what it was for is done, so do not ask. */
  readonly isStillWanted?: (leader: NodeLink) => boolean;
}

/** An answer with the link that it came over; null: it was not wanted any more. */
export interface AdminReply {
  readonly answer: QueryAnswer | null;
  readonly link: NodeLink;
}

interface Pending {
  readonly request: AdminRequest;
  readonly settle: (reply: AdminReply | HoldfastError) => void;
  link: NodeLink | null;
  limit: Timer | null;
  pause: Timer | null;
}

/** See the head of this file. */
export class AdminRequests implements LinksOwner {
  private readonly ports: LinkPorts & { readonly logger: Logger };
  private readonly patienceMs: number;
  private readonly onWaiting: (how: string) => void;
  private readonly links: Links;
  // Of one program, which waits for each of them: a handful.
  private readonly pending = new Map<number, Pending>();
  private nextId = 1;
  private lastRefusal = '';

  /** Begins to dial. Throws HoldfastError INVALID for wrong options. */
  constructor(ports: LinkPorts & { readonly logger: Logger }, options: AdminOptions) {
    const { nodes, name, patienceMs, onWaiting = () => {} } = options;
    this.ports = ports;
    this.patienceMs = patienceMs;
    this.onWaiting = onWaiting;
    this.links = new Links(ports, checkOptions({ nodes, name, ttlMs: null }), this);
    this.links.open();
  }

  /**
   * Rejects with UNAVAILABLE when no leader answered in time, and with the leader's own refusal. A
   * long one that was sent may go on: asking again joins it.
   */
  ask(request: AdminRequest): Promise<AdminReply> {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      const settle = (reply: AdminReply | HoldfastError): void => {
        const pending = this.pending.get(id);
        pending?.limit?.cancel();
        pending?.pause?.cancel();
        reminder.stop();
        this.pending.delete(id);
        if (reply instanceof HoldfastError) reject(reply);
        else resolve(reply);
      };
      const pending: Pending = { request, settle, link: null, limit: null, pause: null };
      const reminder = new Reminder(this.ports.clock, () => this.remind(pending));
      this.pending.set(id, pending);
      this.armLimit(pending);
      this.transmit(id, pending);
    });
  }

  close(): void {
    const error = new HoldfastError('CLOSED', 'the command ends');
    for (const { settle } of [...this.pending.values()]) settle(error);
    this.links.close('done');
  }

  onMessage(link: NodeLink, message: NodeMessage): void {
    if (message.type !== 'answer') return;
    const pending = this.pending.get(message.requestId);
    if (pending?.link !== link) return;
    const { result } = message;
    if (result.kind !== 'refused') return pending.settle({ answer: result, link });
    this.onRefused(message.requestId, pending, result);
  }

  onChange(): void {
    for (const [id, pending] of [...this.pending]) {
      if (pending.link === null && pending.pause === null) this.transmit(id, pending);
    }
  }

  onDown(link: NodeLink): void {
    for (const pending of [...this.pending.values()]) {
      if (pending.link !== link) continue;
      pending.link = null;
      const text = `the link with ${link.address} was lost`;
      if (pending.request.at === undefined) this.armLimit(pending);
      else pending.settle(new HoldfastError('UNAVAILABLE', text));
    }
    this.onChange();
  }

  onDrain(): void {}

  onClusterChange(error: HoldfastError): void {
    for (const { settle } of [...this.pending.values()]) settle(error);
  }

  private transmit(id: number, pending: Pending): void {
    const { what, at, isLong = false, isStillWanted } = pending.request;
    const link = at ?? this.links.leader();
    if (link === null) return;
    if (isStillWanted?.(link) === false) return pending.settle({ answer: null, link });
    pending.link = link;
    if (isLong) pending.limit?.cancel();
    link.send([{ ...what, requestId: id }], !isLong);
  }

  private onRefused(
    id: number,
    pending: Pending,
    { code, message, pending: inTheWay }: Extract<QueryResult, { readonly kind: 'refused' }>,
  ): void {
    const { at, isTriedOnce = false } = pending.request;
    const isPassing = isTriedOnce ? code === 'NOT_LEADER' : PASSING.has(code);
    if (!isPassing || at !== undefined) {
      return pending.settle(new HoldfastError(code, message, { details: { ...inTheWay } }));
    }
    this.lastRefusal = `; the last answer was ${code}: ${message}`;
    pending.link = null;
    if (pending.request.isLong === true) this.armLimit(pending);
    pending.pause = this.ports.clock.after(PAUSE_MS * US_PER_MS, () => {
      pending.pause = null;
      this.transmit(id, pending);
    });
  }

  // What takes long at the leader is no silence.
  private remind({ request, link }: Pending): void {
    if (link !== null && request.isLong === true) return;
    this.onWaiting(`${this.links.describe()}${this.lastRefusal}`);
  }

  private armLimit(pending: Pending): void {
    pending.limit?.cancel();
    const { patienceMs } = this;
    pending.limit = this.ports.clock.after(patienceMs * US_PER_MS, () => {
      const text = `no leader did it within ${patienceMs} ms; tried ${this.links.describe()}`;
      pending.settle(new HoldfastError('UNAVAILABLE', `${text}${this.lastRefusal}`));
    });
  }
}
