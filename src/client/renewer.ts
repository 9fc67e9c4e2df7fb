// Keeps one session's lease alive and knows when it is over (RAFT.md §14.2). It shares nothing
// with the requests but the links, so that it can move to a thread of its own.
//
// Invariant: a lease ends no later than sendTime + κ·D of some keepalive that the cluster
// confirmed, where sendTime was read before the bytes were handed over. Once over, always over.

import { probes } from '../base/probe.ts';
import type { SessionId } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { KeepAliveResult } from '../wire/client-messages.ts';
import { jitter } from './backoff.ts';
import { beliefUs } from './belief.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { NodeLink } from './link.ts';
import type { Links } from './links.ts';
import type { Loss } from './loss.ts';

/** How often a session without TTL asks whether it still exists. */
const PROBE_US = 15_000_000;
const NONCES_MAX = 64;

/** What a renewer needs of its process and client. */
export interface RenewerPorts {
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  readonly random: Random;
  readonly links: Links;
}

/** The lease as it was opened. */
export interface LeaseStart {
  readonly session: SessionId;
  /** As the cluster returned it. */
  readonly ttlMs: number | null;
  /** Lease time before the first transmission of the open request. */
  readonly sentUs: number;
  readonly marginMs: number;
}

/** The lease of one session. */
export class Renewer {
  private readonly ports: RenewerPorts;
  private readonly session: SessionId;
  private readonly marginUs: number;
  private readonly onOver: (loss: Loss) => void;
  private ttlUs: number;
  private deadlineUs: number;
  private confirmedUs: number;
  /** Send times by nonce. */
  private readonly sent = new Map<number, number>();
  private nonce = 0;
  // Transmissions since the last confirmation.
  private attempts = 0;
  private dueUs: number;
  private armedUs = Infinity;
  private timer: Timer | null = null;
  private isOver = false;

  /** `onOver` is called once, when the lease is over or about to be; not after stop(). */
  constructor(ports: RenewerPorts, start: LeaseStart, onOver: (loss: Loss) => void) {
    this.ports = ports;
    this.session = start.session;
    this.marginUs = start.marginMs * 1000;
    this.onOver = onOver;
    this.ttlUs = start.ttlMs === null ? PROBE_US : start.ttlMs * 1000;
    this.deadlineUs = start.sentUs + beliefUs(start.ttlMs);
    this.confirmedUs = start.sentUs;
    this.dueUs = start.sentUs + this.ttlUs / 3;
    this.arm(ports.leaseClock.nowUs());
  }

  /**
   * Whether the lease is believed at this moment. `mustLook`: also after a suspend of which no
   * other reading has told yet. Says that it is over before it answers false.
   */
  isAlive(mustLook: boolean): boolean {
    if (this.isOver) return false;
    const { leaseClock } = this.ports;
    const nowUs = mustLook ? leaseClock.lookUs() : leaseClock.nowUs();
    return nowUs < this.deadlineUs || this.runOut(nowUs);
  }

  /** Milliseconds until the end of the belief; 0 when it is over, Infinity without TTL. */
  remainingMs(): number {
    if (this.isOver) return 0;
    return Math.max(0, (this.deadlineUs - this.ports.leaseClock.nowUs()) / 1000);
  }

  /** Lease time until the end of the belief, negative after it; changes nothing. */
  peekLeftUs(): number {
    return this.deadlineUs - this.ports.leaseClock.peekUs();
  }

  /** An answer to one of the keepalives. True when it confirmed the lease. */
  onResult(result: KeepAliveResult): boolean {
    const sentUs = this.sent.get(result.nonce);
    if (sentUs === undefined) return false;
    if (!this.isAlive(true)) {
      probes.reach('renewal-confirmed-too-late');
      return false;
    }
    this.sent.delete(result.nonce);
    if (result.code === 'SESSION_GONE') {
      this.finish({ code: 'SESSION_GONE', text: 'the cluster ended the session', details: {} });
      return false;
    }
    if (result.code === 'NOT_LEADER') return false;
    this.confirm(sentUs, result.ttlMs);
    return true;
  }

  /** Another node leads, or a link came up: an unconfirmed renewal is tried there at once. */
  hurry(): void {
    if (!this.isOver && this.attempts > 0) this.transmit();
  }

  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
  }

  private confirm(sentUs: number, ttlMs: number | null): void {
    this.deadlineUs = Math.max(this.deadlineUs, sentUs + beliefUs(ttlMs));
    this.confirmedUs = Math.max(this.confirmedUs, sentUs);
    this.ttlUs = ttlMs === null ? PROBE_US : ttlMs * 1000;
    this.attempts = 0;
    this.dueUs = this.confirmedUs + this.ttlUs / 3;
    this.arm(this.ports.leaseClock.nowUs());
  }

  private tick(): void {
    const nowUs = this.ports.leaseClock.lookUs();
    if (this.isOver) return;
    if (nowUs >= this.deadlineUs - this.marginUs) this.runOut(nowUs);
    else if (nowUs >= this.dueUs) this.transmit();
    else this.arm(nowUs);
  }

  private transmit(): void {
    const sentUs = this.ports.leaseClock.lookUs();
    if (sentUs >= this.deadlineUs) {
      this.runOut(sentUs);
      return;
    }
    const link = this.target();
    const nonce = ++this.nonce;
    if (link !== undefined) {
      this.remember(nonce, sentUs);
      link.send([{ type: 'keepAlive', items: [{ session: this.session, nonce }] }], true);
    }
    this.attempts++;
    this.dueUs = sentUs + this.retryUs();
    this.arm(sentUs);
  }

  // The leader and the others in turns: the news of who leads may be late.
  private target(): NodeLink | undefined {
    const [first, ...others] = this.ports.links.up();
    const isForFirst = this.attempts % 2 === 0 || others.length === 0;
    return isForFirst ? first : others[(this.attempts >>> 1) % others.length];
  }

  // Pauses grow to an eighth of the TTL, so that several tries fit before the deadline.
  private retryUs(): number {
    const us = Math.min(this.ttlUs / 8, (this.ttlUs / 48) * 2 ** Math.min(this.attempts, 8));
    return jitter(this.ports.random, us);
  }

  private remember(nonce: number, sentUs: number): void {
    this.sent.set(nonce, sentUs);
    for (const oldest of this.sent.keys()) {
      if (this.sent.size <= NONCES_MAX) break;
      this.sent.delete(oldest);
    }
  }

  private arm(nowUs: number): void {
    this.timer?.cancel();
    this.armedUs = Math.min(this.dueUs, this.deadlineUs - this.marginUs);
    const delayUs = Math.max(1_000, this.armedUs - nowUs);
    this.timer = this.ports.clock.after(delayUs, () => this.tick());
  }

  private runOut(nowUs: number): false {
    probes.reach('lease-runs-out');
    this.finish(this.whyLate(nowUs));
    return false;
  }

  // The timer that was to renew or to warn is late by as long as this process did not run.
  private whyLate(nowUs: number): Loss {
    const lateMs = Math.floor((nowUs - this.armedUs) / 1000);
    const silentMs = Math.floor((nowUs - this.confirmedUs) / 1000);
    const suspendedMs = Math.floor(this.ports.leaseClock.seenSuspendedUs() / 1000);
    const details = { blockedMs: Math.max(0, lateMs), suspendedMs, silentMs };
    if (lateMs * 1000 >= Math.max(this.marginUs, this.ttlUs / 10)) {
      const text = `the event loop was blocked, or the machine slept, for ${lateMs} ms`;
      return { code: 'EVENT_LOOP_BLOCKED', text, details };
    }
    const text =
      `no node confirmed the session for ${silentMs} ms; ` + `tried ${this.ports.links.describe()}`;
    return { code: 'UNAVAILABLE', text, details };
  }

  private finish(loss: Loss): void {
    if (this.isOver) return;
    this.stop();
    this.onOver(loss);
  }
}
