import { US_PER_MS } from '../base/units.ts';
import type { SessionId } from '../base/units.ts';
import type { Timer } from '../ports/clock.ts';
import type { KeepAliveResult } from '../wire/client-messages.ts';
import { Backoff } from './backoff.ts';
import type { Opened } from './opening.ts';
import type { RenewerPorts } from './renewer.ts';
import { SentTimes } from './sent-times.ts';

const PAUSE_FIRST_US = 50 * US_PER_MS;
const PAUSE_CAP_US = 1_000 * US_PER_MS;

/** Who adopts. */
export interface AdoptionOwner {
  /** The cluster confirmed that the session lives. False: too late to believe it; ask on. */
  onAdopted(opened: Opened): boolean;
  /** The cluster has no such session. */
  onGone(): void;
}

/**
 * Finds out whether a session that another process opened is alive, by a keepalive as its renewer
 * sends them. Nothing is believed before one was confirmed, and then from its sending on
 * (RAFT.md §14.2). Asked until it is answered or stopped, of the leader first.
 *
 * Nonces are readings of the clock: a renewer of the same session, before or after this one, has
 * none of them, so that no late answer is taken for one to a later transmission.
 */
export class Adoption {
  private readonly ports: RenewerPorts;
  private readonly session: SessionId;
  private readonly owner: AdoptionOwner;
  private readonly backoff: Backoff;
  private readonly sent = new SentTimes();
  private attempts = 0;
  private timer: Timer | null = null;
  private isOver = false;

  constructor(ports: RenewerPorts, session: SessionId, owner: AdoptionOwner) {
    this.ports = ports;
    this.session = session;
    this.owner = owner;
    this.backoff = new Backoff(ports.random, PAUSE_FIRST_US, PAUSE_CAP_US);
  }

  /** Idempotent. */
  begin(): void {
    if (this.timer === null) this.ask();
  }

  /** Another node leads, or a link came up: asked there at once. */
  hurry(): void {
    if (this.timer !== null) this.ask();
  }

  onResult(result: KeepAliveResult): void {
    const sentUs = this.sent.at(result.nonce);
    if (this.isOver || sentUs === undefined || result.code === 'NOT_LEADER') return;
    const { session, owner } = this;
    if (result.code === 'SESSION_GONE') {
      this.stop();
      owner.onGone();
    } else if (owner.onAdopted({ session, ttlMs: result.ttlMs, sentUs })) this.stop();
  }

  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
  }

  private ask(): void {
    if (this.isOver) return;
    const { clock, leaseClock, links } = this.ports;
    const up = links.up();
    const link = up[this.attempts % Math.max(1, up.length)];
    if (link !== undefined) {
      this.attempts++;
      const sentUs = leaseClock.lookUs();
      const nonce = Math.floor(sentUs);
      this.sent.note(nonce, sentUs);
      link.send([{ type: 'keepAlive', items: [{ session: this.session, nonce }] }], true);
    }
    this.timer?.cancel();
    this.timer = clock.after(this.backoff.take(), () => this.ask());
  }
}
