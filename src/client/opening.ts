import { HoldfastError } from '../base/error.ts';
import { probes } from '../base/probe.ts';
import type { SessionId } from '../base/units.ts';
import type { Random } from '../ports/random.ts';
import type { ClientFrame } from '../wire/client-frame.ts';
import { encodeBody } from '../wire/command.ts';
import { errorCodeOf } from '../wire/outcome.ts';
import { beliefUs } from './belief.ts';
import { drawNonce } from './draws.ts';
import type { Decision, Exchange } from './exchange.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { Settings } from './options.ts';

// A session without TTL lives this long until its first command (RAFT.md §12).
const FIRST_COMMAND_MS = 15_000;

/** A session that the cluster has opened. */
export interface Opened {
  readonly session: SessionId;
  readonly ttlMs: number | null;
  /** Lease time before the first transmission of this nonce. */
  readonly sentUs: number;
}

/** Who opens. */
export interface OpeningOwner {
  onOpened(opened: Opened): void;
  /** The cluster will not open such a session, or nothing more is sent. */
  onRefused(error: HoldfastError): void;
}

/**
 * Opens a session. The nonce makes retries safe: they return the same session. Since that one may
 * stem from the first transmission, its lease counts from there (RAFT.md §14.2); so a nonce whose
 * lease would be half over is given up for a fresh one, and what it opened expires unused.
 */
export class Opening implements Exchange {
  private readonly random: Random;
  private readonly leaseClock: LeaseClock;
  private readonly settings: Settings;
  private readonly owner: OpeningOwner;
  private sentUs = -Infinity;
  private body: Uint8Array = new Uint8Array(0);

  constructor(
    ports: { readonly random: Random; readonly leaseClock: LeaseClock },
    settings: Settings,
    owner: OpeningOwner,
  ) {
    this.random = ports.random;
    this.leaseClock = ports.leaseClock;
    this.settings = settings;
    this.owner = owner;
  }

  transmit(frame: ClientFrame, requestId: number): boolean {
    const nowUs = this.leaseClock.lookUs();
    const usableUs = beliefUs(Math.min(this.settings.ttlMs ?? Infinity, FIRST_COMMAND_MS)) / 2;
    if (nowUs - this.sentUs > usableUs) {
      this.sentUs = nowUs;
      probes.sometimes('open-begun-anew', this.body.length > 0);
      this.body = this.encode();
    }
    frame.message({ type: 'command', requestId, ackedBelow: 0, body: this.body });
    return true;
  }

  decide(decision: Decision): void {
    if (decision.kind !== 'outcome') return;
    const { outcome } = decision;
    if (outcome.code === 'OPENED') {
      const { session, ttlMs } = outcome;
      this.owner.onOpened({ session, ttlMs, sentUs: this.sentUs });
    } else if ('message' in outcome) {
      this.owner.onRefused(new HoldfastError(errorCodeOf(outcome.code), outcome.message));
    } else {
      this.owner.onRefused(new HoldfastError('INTERNAL', `opening answered ${outcome.code}`));
    }
  }

  fail(error: HoldfastError): void {
    this.owner.onRefused(error);
  }

  private encode(): Uint8Array {
    const { ttlMs, lockDelayMs, name, meta } = this.settings;
    const nonce = drawNonce(this.random);
    return encodeBody({ op: 'openSession', nonce, ttlMs, lockDelayMs, name, meta });
  }
}
