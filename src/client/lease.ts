// Whether a session's lease is believed, and why not any more (RAFT.md §14.2). Who renews it is
// said elsewhere (renewal-host.ts): here is only looked at what came of it.
//
// Invariant: once over, always over.

import { probes } from '../base/probe.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { KeepAliveResult } from '../wire/client-messages.ts';
import { beliefUs } from './belief.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { LeaseMemory } from './lease-memory.ts';
import type { Links } from './links.ts';
import type { Loss } from './loss.ts';
import type { LeaseStart, Renewal, RenewalHost } from './renewal-host.ts';
import { StallMeter } from './stall-meter.ts';

/** What a lease needs of its client. */
export interface LeaseParts {
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  readonly links: Links;
  readonly renewals: RenewalHost;
  readonly settings: { readonly marginMs: number };
}

/** Who is told of it. */
export interface LeaseOwner {
  /** It was renewed. */
  onConfirmed(): void;
  /** It is over or about to be. Once; not after stop(). */
  onOver(loss: Loss): void;
}

/** So often the clocks are looked at while a lease depends on them, or thrice in a TTL. */
const LOOK_US_MAX = 1_000_000;

/** The lease of one session. */
export class Lease {
  private readonly parts: LeaseParts;
  private readonly owner: LeaseOwner;
  private readonly marginUs: number;
  private readonly lookUs: number;
  private readonly renewal: Renewal;
  private readonly memory: LeaseMemory;
  private readonly stalls: StallMeter;
  private timer: Timer | null = null;
  private isOver = false;

  constructor(parts: LeaseParts, start: LeaseStart, owner: LeaseOwner) {
    this.parts = parts;
    this.owner = owner;
    this.marginUs = parts.settings.marginMs * 1000;
    this.lookUs = Math.min(LOOK_US_MAX, beliefUs(start.ttlMs) / 3);
    this.renewal = parts.renewals.start(start, {
      onConfirmed: () => owner.onConfirmed(),
      onDoubt: () => void this.isAlive(true),
    });
    this.memory = this.renewal.memory;
    this.stalls = new StallMeter(parts.leaseClock, this.memory);
    this.arm(parts.leaseClock.nowUs());
  }

  /**
   * Whether the lease is believed at this moment. `mustLook`: also after a suspend of which no
   * other reading has told yet. Says that it is over before it answers false.
   */
  isAlive(mustLook: boolean): boolean {
    if (this.isOver) return false;
    if (this.memory.isGone) {
      this.finish({ code: 'SESSION_GONE', text: 'the cluster ended the session', details: {} });
      return false;
    }
    const { leaseClock } = this.parts;
    const nowUs = mustLook ? leaseClock.lookUs() : leaseClock.nowUs();
    return nowUs < this.memory.deadlineUs || this.runOut(nowUs);
  }

  /** Milliseconds until the end of the belief; 0 when it is over, Infinity without TTL. */
  remainingMs(): number {
    if (this.isOver || this.memory.isGone) return 0;
    return Math.max(0, (this.memory.deadlineUs - this.parts.leaseClock.nowUs()) / 1000);
  }

  /** Lease time until the end of the belief, negative after it; changes nothing. */
  peekLeftUs(): number {
    const leftUs = this.memory.deadlineUs - this.parts.leaseClock.peekUs();
    return this.memory.isGone ? Math.min(0, leftUs) : leftUs;
  }

  /** From that lease time on nothing is renewed; Infinity: for as long as the session lives. */
  holdUntil(us: number): void {
    this.memory.holdEndUs = us;
  }

  /** An answer to a keepalive that came over the client's own links. */
  onResult(result: KeepAliveResult): void {
    this.renewal.onResult(result);
  }

  /** Another node leads, or a link came up. */
  hurry(): void {
    this.renewal.hurry();
  }

  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
    this.renewal.stop();
  }

  private tick(): void {
    const nowUs = this.parts.leaseClock.lookUs();
    if (this.isOver) return;
    this.stalls.ticked(nowUs);
    if (nowUs >= this.memory.deadlineUs - this.marginUs) this.runOut(nowUs);
    else this.arm(nowUs);
  }

  // More often than the deadline needs: after a suspend of the machine its timers go on as if
  // nothing had been, and the signal must not wait for them.
  private arm(nowUs: number): void {
    const { deadlineUs } = this.memory;
    if (deadlineUs === Infinity) return;
    const atUs = Math.min(nowUs + this.lookUs, deadlineUs - this.marginUs);
    const delayUs = Math.max(1_000, Math.ceil(atUs - nowUs));
    this.stalls.expect(nowUs + delayUs);
    this.timer = this.parts.clock.after(delayUs, () => this.tick());
  }

  private runOut(nowUs: number): false {
    probes.reach('lease-runs-out');
    this.finish(this.why(nowUs));
    return false;
  }

  private why(nowUs: number): Loss {
    const stall = this.stalls.at(nowUs);
    const silentMs = Math.floor((nowUs - this.memory.confirmedUs) / 1000);
    const details = { blockedMs: stall.blockedMs, suspendedMs: stall.suspendedMs, silentMs };
    // Whatever else went wrong: without it there had been twice the time to renew.
    if (2 * (stall.blockedMs + stall.suspendedMs) >= silentMs) {
      return { code: 'EVENT_LOOP_BLOCKED', text: stall.text, details };
    }
    const text =
      `no node confirmed the session for ${silentMs} ms; ` + `tried ${this.parts.links.describe()}`;
    return { code: 'UNAVAILABLE', text, details };
  }

  private finish(loss: Loss): void {
    if (this.isOver) return;
    this.stop();
    this.owner.onOver(loss);
  }
}
