// Everything asked of the leader and not decided yet. Sent in frames of many, and again, with the
// same bytes, after a reconnect, a change of leader or an honest refusal (DESIGN.md §6).

import { HoldfastError } from '../base/error.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Answer, ClientMessage, Reply } from '../wire/client-messages.ts';
import { Backoff } from './backoff.ts';
import type { Exchange, Ticket } from './exchange.ts';
import { Fifo } from './fifo.ts';
import { InFlight } from './in-flight.ts';
import type { Pending } from './in-flight.ts';
import type { NodeLink } from './link.ts';
import type { Links } from './links.ts';
import { readReply } from './refusal.ts';
import type { Refusal } from './refusal.ts';

const FRAME_BYTES_MAX = 192 * 1024;
// Requests that wait for their first transmission.
const WAITING_MAX = 100_000;

const PAUSE_FIRST_US = 10_000;
const PAUSE_CAP_US = 1_000_000;

/** What requests need of their process. */
export interface RequestsPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Invariant: each exchange is in exactly one of `waiting`, `returned` and `inFlight`, until it is
 * over.
 */
export class Requests {
  private readonly clock: Clock;
  private readonly links: Links;
  private readonly backoff: Backoff;
  private readonly waiting = new Fifo<Pending>();
  // Sent, not decided, to be sent again before all others. No more than fits in flight.
  private returned: Pending[] = [];
  // All of them were sent over `carrier`.
  private readonly inFlight: InFlight;
  private carrier: NodeLink | null = null;
  private nextId = 1;
  private isPumpDue = false;
  private pauseTimer: Timer | null = null;
  private refusal: Refusal | null = null;
  private failure: HoldfastError | null = null;

  constructor(ports: RequestsPorts, links: Links) {
    this.clock = ports.clock;
    this.links = links;
    this.backoff = new Backoff(ports.random, PAUSE_FIRST_US, PAUSE_CAP_US);
    this.inFlight = new InFlight(ports.clock, (late) => {
      this.returned.push(...late);
      this.pumpSoon();
    });
  }

  /** Takes it over until it is decided, dropped or failed; never calls it inside this call. */
  submit(exchange: Exchange): Ticket {
    return this.takeOver(exchange, this.failure ?? this.fullError());
  }

  /**
   * Like submit, but never refused for want of room: a release or cancel that is not sent leaves
   * a lock held. There is one for each acquire at most.
   */
  submitFreeing(exchange: Exchange): Ticket {
    return this.takeOver(exchange, this.failure);
  }

  /** What the last refusal said, for error messages; null after a success. */
  lastRefusal(): Refusal | null {
    return this.refusal;
  }

  /** The leader's link, or what waits for it, may have changed. */
  onChange(): void {
    const leader = this.links.leader();
    if (leader !== null && leader !== this.carrier) this.takeBack();
    this.pumpSoon();
  }

  onDown(link: NodeLink): void {
    if (link === this.carrier) this.takeBack();
  }

  onReply(link: NodeLink, message: Reply | Answer): void {
    const pending = link === this.carrier ? this.inFlight.get(message.requestId) : undefined;
    if (pending === undefined) return;
    const reading = readReply(message);
    if (reading.kind === 'refusal') {
      if (reading.isCertain) pending.isInDoubt = pending.wasInDoubt;
      this.inFlight.leave(pending);
      this.returned.push(pending);
      this.pause(reading);
    } else if (reading.kind === 'failure') {
      this.finish(pending, () => pending.exchange.fail(reading.error));
    } else {
      this.refusal = null;
      this.backoff.reset();
      this.finish(pending, () => pending.exchange.decide(reading.decision));
    }
    this.pumpSoon();
  }

  /** Fails everything, now and from now on. */
  failAll(error: HoldfastError): void {
    this.failure ??= error;
    this.takeBack();
    this.putReturnedBack();
    for (const pending of this.waiting.takeAll()) {
      this.finish(pending, () => pending.exchange.fail(error));
    }
  }

  /** Sends what may go, once everything issued in this turn has come together. */
  pumpSoon(): void {
    if (this.isPumpDue || this.waiting.size + this.returned.length === 0) return;
    this.isPumpDue = true;
    this.clock.soon(() => {
      this.isPumpDue = false;
      this.pump();
    });
  }

  private takeOver(exchange: Exchange, error: HoldfastError | null): Ticket {
    const pending: Pending = {
      exchange,
      requestId: 0,
      sizeBytes: 0,
      sentUs: 0,
      isInDoubt: false,
      wasInDoubt: false,
      isOver: false,
    };
    if (error !== null) this.clock.soon(() => this.finish(pending, () => exchange.fail(error)));
    else this.waiting.push(pending);
    this.pumpSoon();
    return {
      isInDoubt: () => pending.isInDoubt,
      mayBeRepeated: () => pending.wasInDoubt,
      drop: () => {
        this.finish(pending, () => {});
        this.pumpSoon(); // it may have been in the way of others
      },
    };
  }

  private pump(): void {
    const leader = this.links.leader();
    if (leader === null || this.pauseTimer !== null || this.failure !== null) return;
    this.carrier = leader;
    this.putReturnedBack();
    while (leader.isWritable()) {
      const frame = this.nextFrame();
      if (frame.length === 0) return;
      leader.send(frame, true);
    }
  }

  private nextFrame(): readonly ClientMessage[] {
    const frame: ClientMessage[] = [];
    let frameBytes = 0;
    while (frameBytes < FRAME_BYTES_MAX && this.inFlight.hasRoom()) {
      const pending = this.waiting.peek();
      if (pending === undefined) break;
      const message = pending.isOver ? null : pending.exchange.transmit(this.nextId);
      if (message === null && !pending.isOver) break; // the session's window is full
      this.waiting.shift();
      if (message === null) continue;
      frame.push(message);
      const sizeBytes = sizeOf(message);
      frameBytes += sizeBytes;
      this.inFlight.enter(pending, this.nextId++, sizeBytes);
    }
    return frame;
  }

  private takeBack(): void {
    this.returned.push(...this.inFlight.takeAll());
    this.carrier = null;
    this.pauseTimer?.cancel();
    this.pauseTimer = null;
  }

  private putReturnedBack(): void {
    if (this.returned.length === 0) return;
    this.waiting.putBack(this.returned.sort((one, other) => one.requestId - other.requestId));
    this.returned = [];
  }

  private pause(refusal: Refusal): void {
    this.refusal = refusal;
    if (this.pauseTimer !== null) return;
    this.pauseTimer = this.clock.after(this.backoff.take(), () => {
      this.pauseTimer = null;
      this.pumpSoon();
    });
  }

  private finish(pending: Pending, tell: () => void): void {
    if (pending.isOver) return;
    pending.isOver = true;
    this.inFlight.leave(pending);
    tell();
  }

  private fullError(): HoldfastError | null {
    if (this.waiting.size < WAITING_MAX) return null;
    this.waiting.keep((pending) => !pending.isOver);
    if (this.waiting.size < WAITING_MAX) return null;
    const text = `more than ${WAITING_MAX} requests wait in this client for a node that answers`;
    return new HoldfastError('OVERLOADED', text);
  }
}

function sizeOf(message: ClientMessage): number {
  const overhead = 32;
  if (message.type === 'command') return overhead + message.body.length;
  return overhead + JSON.stringify(message).length;
}
