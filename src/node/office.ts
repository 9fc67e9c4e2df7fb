import { probes } from '../base/probe.ts';
import type { Index, LeaseUs, MonoUs, SessionId, Term } from '../base/units.ts';
import type { LivingFact, LockMachine } from '../locks/machine-types.ts';
import type { LockEvent } from '../locks/outcomes.ts';
import type { Clock } from '../ports/clock.ts';
import type { CommandBody } from '../wire/command.ts';
import { EmbargoDeadline } from './embargo-deadline.ts';
import { LeaderDeadlines } from './leader-deadlines.ts';
import { LeaseClock } from './lease-clock.ts';
import { Leases } from './leases.ts';
import type { TimeSource } from './queries.ts';
import type { Reads } from './reads.ts';

/** Steps through what lives in a loaded machine that one turn of the loop takes: 1 or 2 ms. */
const ADOPTED_PER_TURN = 2_000;

/** A waiting acquire, by the session and the number that it was asked with. */
export interface WaiterKey {
  readonly session: SessionId;
  readonly acquireSeq: number;
}

/** One ghost: a name that a grant of an expired session keeps closed. */
export interface GhostKey {
  readonly name: string;
  readonly closedAt: Index;
  readonly session: SessionId;
  readonly acquireSeq: number;
}

export interface OfficeOptions {
  readonly clock: Clock;
  /** A loop that stood still for longer ages no lease by more than this. */
  readonly stallUs: number;
  readonly reads: Reads;
  readonly machine: Pick<LockMachine, 'session' | 'ttlMsOf'>;
  /** Appends entries of the leader's own; tells how many of the list were admitted. */
  readonly propose: (bodies: readonly CommandBody[]) => number;
}

/**
 * What a leader decides by its clock: when leases, waits and lock-delays are over (RAFT.md §13,
 * §14.1). Every node follows what is applied, for any may lead; but only the leader's time counts,
 * and with its office all that it began is forgotten, in the same turn.
 */
export class Office implements TimeSource {
  readonly leases: Leases;
  private readonly options: OfficeOptions;
  private readonly leaseClock: LeaseClock;
  private readonly waits: LeaderDeadlines<WaiterKey>;
  private readonly delays: LeaderDeadlines<GhostKey>;
  private readonly embargo: EmbargoDeadline;
  /** The machine in force, once one was adopted. */
  private adopted: Pick<LockMachine, 'embargo'> | null = null;
  private held: { readonly term: Term } | null = null;

  constructor(options: OfficeOptions) {
    const { clock, stallUs, reads, machine, propose } = options;
    this.options = options;
    this.leaseClock = new LeaseClock(clock.monoUs(), stallUs);
    this.leases = new Leases({
      clock,
      leaseClock: this.leaseClock,
      reads,
      ttlMsOf: (session) => machine.ttlMsOf(session),
      expire: (sessions, proposerTerm) =>
        propose(sessions.map((session) => ({ op: 'expireSession', session, proposerTerm }))),
    });
    this.waits = new LeaderDeadlines({
      nameOf: ({ session, acquireSeq }) => `${session} ${acquireSeq}`,
      propose: (waiters, proposerTerm) => {
        probes.reach('wait-ends-at-leader');
        return propose(waiters.map((waiter) => ({ op: 'withdraw', ...waiter, proposerTerm })));
      },
    });
    this.delays = new LeaderDeadlines({
      nameOf: ({ name, closedAt, session, acquireSeq }) =>
        `${closedAt} ${session} ${acquireSeq} ${name}`,
      propose: (ghosts, proposerTerm) =>
        propose(
          ghosts.map(({ name, closedAt }) => ({ op: 'liftDelay', name, closedAt, proposerTerm })),
        ),
    });
    this.embargo = new EmbargoDeadline((afterName, proposerTerm) => {
      return propose([{ op: 'liftEmbargo', proposerTerm, afterName }]) === 1;
    });
  }

  /** The term that this node leads, ready or not; null: it does not lead, as far as it knows. */
  get term(): Term | null {
    return this.held?.term ?? null;
  }

  begin(term: Term): void {
    this.held = { term };
    this.leases.becomeLeader(term);
  }

  /** The own no-op was applied: every duration starts again from here. */
  becomeReady(): void {
    this.leases.becomeReady();
  }

  /** Forgets marks, bases and pending renewals, in the same turn (E#12528, E#15247). */
  end(): void {
    this.held = null;
    this.leases.stepDown();
    this.waits.stepDown();
    this.delays.stepDown();
    this.embargo.stepDown();
  }

  /**
   * Another machine is in force, loaded from a checkpoint: what lives in it begins to run from now
   * on, part by part, so that other work may pass between; what does not run yet does not end.
   */
  adopt(machine: Pick<LockMachine, 'living' | 'embargo'>): void {
    this.leases.forgetAll();
    this.waits.clear();
    this.delays.clear();
    this.embargo.begin(this.freshUs());
    this.adopted = machine;
    this.adoptPart(machine, machine.living()[Symbol.iterator]());
  }

  /** Due at least every heartbeat, with a fresh reading. */
  tick(nowUs: MonoUs): void {
    const hasStalled = this.leaseClock.tick(nowUs);
    if (this.held === null) return;
    // After a stall the renewals of that time lie unread in the sockets: read them first (§16.2).
    if (hasStalled) this.options.clock.soon(() => this.testDeadlines());
    else this.testDeadlines();
  }

  /** Something was applied here, as on every node. */
  observe(event: LockEvent): void {
    switch (event.type) {
      case 'sessionOpened': {
        const leaseMs = this.options.machine.session(event.session)?.leaseMs ?? null;
        return this.leases.opened(event.session, leaseMs);
      }
      case 'leaseChanged':
        return this.leases.lifted(event.session);
      case 'sessionEnded':
        return this.leases.ended(event.session);
      case 'queued': {
        const { session, acquireSeq, waitMs } = event;
        if (waitMs === null) return; // for ever
        return this.waits.start({ session, acquireSeq }, waitMs, this.freshUs());
      }
      case 'granted':
      case 'left':
        return this.waits.settle(event);
      case 'delayed': {
        const { name, closedAt, session, acquireSeq } = event;
        const ghost = { name, closedAt, session, acquireSeq };
        return this.delays.start(ghost, event.delayMs, this.freshUs());
      }
      case 'lifted':
        return this.delays.settle(event);
      case 'freed':
      case 'proclaimed':
        return;
    }
  }

  leaseLeftUs(session: SessionId): number | null {
    return this.leases.leftUs(session);
  }

  delayLeftUs(ghost: GhostKey): number {
    return this.delays.leftUs(ghost, this.freshUs(), this.leases.baseUs) ?? 0;
  }

  /**
   * At most so long nothing is granted yet, if this node leads from now on, or goes on leading;
   * null: there is no embargo.
   */
  embargoLeftUs(): number | null {
    const embargo = this.adopted?.embargo() ?? null;
    if (embargo === null) return null;
    const nowUs = this.freshUs();
    const isCounting = this.held !== null && this.leases.isReady;
    return this.embargo.leftUs(embargo, nowUs, isCounting ? this.leases.baseUs : nowUs);
  }

  private adoptPart(of: Pick<LockMachine, 'embargo'>, facts: Iterator<LivingFact | null>): void {
    for (let count = 0; count < ADOPTED_PER_TURN; count++) {
      const next = facts.next();
      if (next.done === true) return;
      if (next.value !== null) this.observe(next.value);
    }
    this.options.clock.soon(() => {
      if (this.adopted === of) this.adoptPart(of, facts);
    });
  }

  private testDeadlines(): void {
    if (this.held === null || !this.leases.isReady) return;
    const { ticked: nowUs } = this.leaseClock;
    const { baseUs } = this.leases;
    this.leases.test();
    // Any of the tests may fail the node, and end the office.
    if (this.held !== null) this.waits.test(nowUs, baseUs, this.held.term);
    if (this.held !== null) this.delays.test(nowUs, baseUs, this.held.term);
    const embargo = this.adopted?.embargo() ?? null;
    if (this.held === null || embargo === null) return;
    this.embargo.test(embargo, { nowUs, baseUs, term: this.held.term });
  }

  private freshUs(): LeaseUs {
    return this.leaseClock.at(this.options.clock.monoUs());
  }
}
