import { probes } from '../base/probe.ts';
import type { LeaseUs, MonoUs, SessionId, Term } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeepAliveResult } from '../wire/client-messages.ts';
import { DeadlineTable, PER_TICK } from './deadline-table.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { Reads } from './reads.ts';

export interface LeasesOptions {
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
  readonly reads: Reads;
  /** The session's TTL, null for none, undefined when the session is not known here. */
  readonly ttlMsOf: (session: SessionId) => number | null | undefined;
  /** Appends ExpireSession to the own log; tells how many of the list were admitted. */
  readonly expire: (sessions: readonly SessionId[], term: Term) => number;
}

type KeepAliveHandler = (result: KeepAliveResult['code'], ttlMs: number | null) => void;

/**
 * The leader's side of leases (RAFT.md §14.1). Keepalives never touch the log, and are confirmed
 * only by a quorum round that was sent after they came; expiry is an entry that only a ready
 * leader appends to its own log. Followers keep the table, but no deadline of theirs counts.
 */
export class Leases {
  private readonly options: LeasesOptions;
  private readonly table = new DeadlineTable();
  /** Sessions whose ExpireSession is appended and undecided: no renewal is confirmed. */
  private readonly expiring = new Set<SessionId>();
  private readonly heldOpen = new Map<SessionId, number>();
  /**
   * Keepalives that wait: for readiness (all), or for the fate of their session's expiry. Bounded
   * by what the doors leave undecided. By session, for many may end in one turn.
   */
  private readonly held = new Map<SessionId, KeepAliveHandler[]>();
  private leading: { readonly term: Term; baseUs: LeaseUs; isReady: boolean } | null = null;

  constructor(options: LeasesOptions) {
    this.options = options;
  }

  get baseUs(): LeaseUs {
    return this.leading?.baseUs ?? 0;
  }

  get isReady(): boolean {
    return this.leading?.isReady === true;
  }

  /**
   * OpenSession was applied. The clock is read afresh: the entry was appended before (§14.1). A
   * session without TTL has a lease of its own until its first command, null none at all.
   */
  opened(session: SessionId, leaseMs: number | null): void {
    if (leaseMs !== null) this.table.set(session, leaseMs * US_PER_MS, this.freshUs());
  }

  /** A session without TTL has executed its first command: no lease applies to it any more. */
  lifted(session: SessionId): void {
    this.table.delete(session);
  }

  ended(session: SessionId): void {
    this.table.delete(session);
    this.expiring.delete(session);
    this.releaseHeld(session);
  }

  /** ExpireSession was applied without ending the session: it may be renewed again. */
  spared(session: SessionId): void {
    if (!this.expiring.delete(session)) return;
    this.table.again(session);
    this.releaseHeld(session);
  }

  /** Another machine is in force, and no session is known of it yet. A leader's never changes. */
  forgetAll(): void {
    this.table.clear();
    this.expiring.clear();
  }

  becomeLeader(term: Term): void {
    this.leading = { term, baseUs: 0, isReady: false };
  }

  /** The no-op was applied: every lease starts again from here, at no cost (§14.1, E#9496). */
  becomeReady(): void {
    if (this.leading === null) return;
    this.leading.baseUs = this.freshUs();
    this.leading.isReady = true;
    this.releaseAllHeld();
  }

  /** Forgets marks, base and pending keepalives, in the same turn (E#12528, E#15247). */
  stepDown(): void {
    if (this.leading === null) return;
    this.leading = null;
    const marked = [...this.expiring];
    probes.sometimes('expiry-forgotten-by-step-down', marked.length > 0);
    this.expiring.clear();
    for (const session of marked) this.table.again(session);
    this.releaseAllHeld();
  }

  /**
   * Confirms that the session lives, or says why not. Steps as in RAFT.md §14.1:
   * 1. not leader: NOT_LEADER; not ready: wait. 2. expiring: wait for the entry's fate.
   * 3. extend at once, join the next round. 4. after the round test again.
   */
  keepAlive(session: SessionId, done: KeepAliveHandler): void {
    if (this.leading === null) return done('NOT_LEADER', null);
    probes.sometimes('renewal-held-until-ready', !this.leading.isReady);
    if (!this.leading.isReady || this.expiring.has(session)) {
      this.hold(session, done);
      return;
    }
    this.table.restart(session, this.freshUs());
    const { term } = this.leading;
    this.options.reads.request((isConfirmed) => {
      probes.sometimes('renewal-fails-by-step-down', !isConfirmed);
      if (!isConfirmed || this.leading?.term !== term) return done('NOT_LEADER', null);
      this.confirm(session, done);
    });
  }

  /** Until it would expire unless renewed, microseconds; null: it has no lease, or is unknown. */
  leftUs(session: SessionId): number | null {
    return this.table.leftUs(session, this.freshUs(), this.baseUs);
  }

  /** While open, the session does not expire here: its caller is connected and waits (HTTP). */
  holdOpen(session: SessionId): () => void {
    this.heldOpen.set(session, (this.heldOpen.get(session) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.heldOpen.get(session) ?? 1) - 1;
      if (left > 0) this.heldOpen.set(session, left);
      else this.heldOpen.delete(session);
      this.table.restart(session, this.freshUs());
    };
  }

  /** Tests the deadlines; call after the lease clock's tick, and after a stall one poll later. */
  test(): void {
    if (this.leading === null || !this.leading.isReady) return;
    const nowUs = this.options.leaseClock.ticked;
    const due = this.table.takeDue(nowUs, this.leading.baseUs, PER_TICK);
    const over = due.filter((session) => !this.keepHeldOpen(session));
    if (over.length === 0) return;
    const admitted = this.options.expire(over, this.leading.term);
    probes.sometimes('expiry-not-admitted', admitted < over.length);
    over.forEach((session, position) => {
      if (position < admitted) this.expiring.add(session);
      else this.table.again(session);
    });
  }

  private keepHeldOpen(session: SessionId): boolean {
    if (!this.heldOpen.has(session)) return false;
    this.table.restart(session, this.freshUs());
    this.table.again(session);
    return true;
  }

  private confirm(session: SessionId, done: KeepAliveHandler): void {
    const ttlMs = this.options.ttlMsOf(session);
    probes.sometimes('session-gone-by-round', ttlMs === undefined);
    if (ttlMs === undefined) return done('SESSION_GONE', null);
    if (this.expiring.has(session)) {
      this.hold(session, done);
      return;
    }
    done('OK', ttlMs);
  }

  private hold(session: SessionId, done: KeepAliveHandler): void {
    probes.sometimes('renewal-held-for-expiry', this.expiring.has(session));
    const waiting = this.held.get(session);
    if (waiting === undefined) this.held.set(session, [done]);
    else waiting.push(done);
  }

  private releaseHeld(session: SessionId): void {
    const waiting = this.held.get(session) ?? [];
    this.held.delete(session);
    for (const done of waiting) this.keepAlive(session, done);
  }

  private releaseAllHeld(): void {
    for (const session of [...this.held.keys()]) this.releaseHeld(session);
  }

  private freshUs(): LeaseUs {
    const nowUs: MonoUs = this.options.clock.monoUs();
    return this.options.leaseClock.at(nowUs);
  }
}
