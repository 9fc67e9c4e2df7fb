// Everything asked of the leader and not decided yet. Sent in frames of many, and again, with the
// same bytes, after a reconnect, a change of leader or an honest refusal (DESIGN.md §6).

import { HoldfastError } from '../base/error.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { MonoUs } from '../base/units.ts';
import { ClientFrame } from '../wire/client-frame.ts';
import type { Answer, Reply } from '../wire/client-messages.ts';
import { Backoff } from './backoff.ts';
import type { Exchange, Ticket } from './exchange.ts';
import { Fifo } from './fifo.ts';
import { InFlight } from './in-flight.ts';
import type { NodeLink } from './link.ts';
import type { Links } from './links.ts';
import { Pending } from './pending.ts';
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
  private readonly frame = new ClientFrame();
  private nextId = 1;
  private isPumpDue = false;
  private readonly onPumpDue = (): void => {
    this.isPumpDue = false;
    this.pump();
  };
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
    switch (reading.kind) {
      case 'refusal':
        if (reading.isCertain) pending.isUncertain = pending.wasUncertain;
        this.inFlight.leave(pending);
        this.returned.push(pending);
        this.pause(reading);
        break;
      case 'failure':
        this.end(pending);
        pending.exchange.fail(reading.error);
        break;
      default:
        this.refusal = null;
        this.backoff.reset();
        this.end(pending);
        pending.exchange.decide(reading);
    }
    this.pumpSoon();
  }

  /** Fails everything, now and from now on. */
  failAll(error: HoldfastError): void {
    this.failure ??= error;
    this.takeBack();
    this.putReturnedBack();
    for (const pending of this.waiting.takeAll()) this.fail(pending, error);
  }

  /** For tickets: nobody wants the answer any more. */
  drop(pending: Pending): void {
    this.end(pending);
    this.pumpSoon(); // it may have been in the way of others
  }

  /** Sends what may go, once everything issued in this turn has come together. */
  pumpSoon(): void {
    if (this.isPumpDue || this.waiting.size + this.returned.length === 0) return;
    this.isPumpDue = true;
    this.clock.soon(this.onPumpDue);
  }

  private takeOver(exchange: Exchange, error: HoldfastError | null): Ticket {
    const pending = new Pending(exchange, this);
    if (error !== null) this.clock.soon(() => this.fail(pending, error));
    else this.waiting.push(pending);
    this.pumpSoon();
    return pending;
  }

  private pump(): void {
    const leader = this.links.leader();
    if (leader === null || this.pauseTimer !== null || this.failure !== null) return;
    this.carrier = leader;
    this.putReturnedBack();
    while (leader.isWritable() && this.fillFrame()) leader.sendFrame(this.frame.take(), true);
  }

  /** False: nothing may go now. */
  private fillFrame(): boolean {
    const { frame, waiting, inFlight } = this;
    const nowUs = this.clock.monoUs();
    while (frame.sizeBytes < FRAME_BYTES_MAX && inFlight.hasRoom()) {
      const pending = waiting.peek();
      if (pending === undefined || !this.transmit(pending, nowUs)) break;
      waiting.shift();
    }
    return frame.sizeBytes > 0;
  }

  /** False while it may not go: the session's window is full. */
  private transmit(pending: Pending, nowUs: MonoUs): boolean {
    if (pending.isOver) return true;
    const { frame, nextId } = this;
    const beforeBytes = frame.sizeBytes;
    if (!pending.exchange.transmit(frame, nextId)) return false;
    this.nextId += 1;
    pending.requestId = nextId;
    pending.sizeBytes = frame.sizeBytes - beforeBytes;
    this.inFlight.enter(pending, nowUs);
    return true;
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

  private fail(pending: Pending, error: HoldfastError): void {
    if (pending.isOver) return;
    this.end(pending);
    pending.exchange.fail(error);
  }

  private end(pending: Pending): void {
    pending.isOver = true;
    this.inFlight.leave(pending);
  }

  private fullError(): HoldfastError | null {
    if (this.waiting.size < WAITING_MAX) return null;
    this.waiting.keep((pending) => !pending.isOver);
    if (this.waiting.size < WAITING_MAX) return null;
    const text = `more than ${WAITING_MAX} requests wait in this client for a node that answers`;
    return new HoldfastError('OVERLOADED', text);
  }
}
