// Sends the renewals of one session's lease (RAFT.md §14.2), in the client's loop or in a thread of
// its own. Whether the lease is believed is not decided here: see lease.ts.

import { probes } from '../base/probe.ts';
import type { SessionId } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { KeepAliveResult } from '../wire/client-messages.ts';
import { jitter } from './backoff.ts';
import { beliefUs } from './belief.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { LeaseMemory } from './lease-memory.ts';
import type { NodeLink } from './link.ts';
import type { Links } from './links.ts';
import type { Renewal, RenewalOwner } from './renewal-host.ts';
import { SentTimes } from './sent-times.ts';

/** After so much of the TTL a lease is renewed. */
export const RENEW_SHARE = 1 / 3;
/** How often a session without TTL asks whether it still exists. */
const PROBE_US = 15_000_000;
/** So much of the time to the next renewal is drawn: leases that began together spread out. */
const SPREAD = 1 / 10;

/** What a renewer needs of its process and client. */
export interface RenewerPorts {
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  readonly random: Random;
  readonly links: Links;
}

/** Which lease to renew, and when. */
export interface RenewalTask {
  readonly session: SessionId;
  /** As the cluster returned it. */
  readonly ttlMs: number | null;
  readonly memory: LeaseMemory;
  /** Part of the TTL after which it begins to renew. */
  readonly share: number;
}

/** See the head of this file. Several of them, in different threads, may renew one lease. */
export class Renewer implements Renewal {
  readonly memory: LeaseMemory;
  private readonly ports: RenewerPorts;
  private readonly session: SessionId;
  private readonly owner: RenewalOwner;
  private share: number;
  private ttlUs: number;
  private readonly sent = new SentTimes();
  // Begins with a reading of the clock, above those of an earlier renewer of the same session, so
  // that no late answer to one of its renewals is taken for one to a later transmission.
  private nonce: number;
  // Transmissions since the last confirmation, by whomever.
  private attempts = 0;
  private knownUs: number;
  private dueUs: number;
  private timer: Timer | null = null;
  private isOver = false;

  /** The owner is not called after stop(). */
  constructor(ports: RenewerPorts, task: RenewalTask, owner: RenewalOwner) {
    this.ports = ports;
    this.session = task.session;
    this.memory = task.memory;
    this.owner = owner;
    this.share = task.share;
    this.nonce = Math.floor(ports.leaseClock.nowUs());
    this.ttlUs = ttlUsOf(task.ttlMs);
    this.knownUs = task.memory.confirmedUs;
    this.dueUs = this.nextUs();
    this.arm(ports.leaseClock.nowUs());
  }

  /** An answer to one of the keepalives, whoever sent it. */
  onResult({ session, nonce, code, ttlMs }: KeepAliveResult): void {
    const sentUs = this.sent.at(nonce);
    if (session !== this.session || sentUs === undefined || this.isOver) return;
    if (this.ports.leaseClock.lookUs() >= this.memory.deadlineUs) {
      probes.reach('renewal-confirmed-too-late');
      this.owner.onDoubt();
      return;
    }
    this.sent.forget(nonce);
    if (code === 'SESSION_GONE') {
      this.memory.becomeGone();
      this.owner.onDoubt();
    } else if (code === 'OK') this.confirm(sentUs, ttlMs);
  }

  hurry(): void {
    if (this.isOver || this.attempts === 0) return;
    // The leader's turn, if it is known: a link that came up may not be there for long.
    this.attempts += this.attempts % 2;
    this.transmit();
  }

  /** From now on this part of the TTL is waited for; see RenewalTask. */
  beginAfter(share: number): void {
    if (this.isOver) return;
    this.share = share;
    this.dueUs = this.nextUs();
    this.arm(this.ports.leaseClock.nowUs());
  }

  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
  }

  private confirm(sentUs: number, ttlMs: number | null): void {
    this.ttlUs = ttlUsOf(ttlMs);
    this.memory.confirm(sentUs, sentUs + beliefUs(ttlMs));
    this.learn();
    this.arm(this.ports.leaseClock.nowUs());
    this.owner.onConfirmed();
  }

  /** A renewal was confirmed, here or in another thread. */
  private learn(): void {
    const { confirmedUs } = this.memory;
    if (confirmedUs === this.knownUs) return;
    this.knownUs = confirmedUs;
    this.attempts = 0;
    this.dueUs = this.nextUs();
  }

  private nextUs(): number {
    const spread = (SPREAD * this.ports.random.u32()) / 0x1_0000_0000;
    return this.knownUs + this.ttlUs * this.share * (1 - spread);
  }

  private tick(): void {
    const nowUs = this.ports.leaseClock.lookUs();
    if (this.isOver) return;
    this.learn();
    if (nowUs >= this.dueUs) this.transmit();
    else this.arm(nowUs);
  }

  private transmit(): void {
    const sentUs = this.ports.leaseClock.lookUs();
    if (sentUs >= this.memory.deadlineUs) {
      this.owner.onDoubt();
      return;
    }
    // Looked at again with every try: a holder may give its lock back at any time.
    const isWithheld = sentUs >= this.memory.holdEndUs;
    probes.sometimes('renewal-withheld', isWithheld);
    if (!isWithheld) this.send(sentUs);
    this.attempts++;
    this.dueUs = sentUs + this.retryUs();
    this.arm(sentUs);
  }

  private send(sentUs: number): void {
    const link = this.target();
    const nonce = ++this.nonce;
    if (link === undefined) return;
    this.sent.note(nonce, sentUs);
    link.send([{ type: 'keepAlive', items: [{ session: this.session, nonce }] }], true);
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

  private arm(nowUs: number): void {
    this.timer?.cancel();
    const delayUs = Math.max(1_000, Math.ceil(this.dueUs - nowUs));
    this.timer = this.ports.clock.after(delayUs, () => this.tick());
  }
}

function ttlUsOf(ttlMs: number | null): number {
  return ttlMs === null ? PROBE_US : ttlMs * 1000;
}
