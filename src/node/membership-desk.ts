// Changes of the membership as an operator asks for them: each is a few steps of consensus with
// waiting in between, written as a course that yields what it waits for. Every course first looks
// how far the change has come, so that asking again after a lost answer, or at the next leader,
// finishes what was begun (RAFT.md §10).

import { probes } from '../base/probe.ts';
import type { Index, NodeId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Member } from '../raft/config.ts';
import type { RaftStatus } from '../raft/events.ts';
import type { MembershipChange, MembershipRefusal } from '../raft/membership-change.ts';
import type {
  AdminStep,
  MembershipView,
  PendingChange,
  QueryResult,
} from '../wire/client-messages.ts';
import { CatchUpPace } from './catch-up-pace.ts';
import { refusePending, unsettledChange, wordsOfStep } from './change-under-way.ts';
import { MembershipFacts } from './membership-facts.ts';

/** A change before this one that does not commit for so long: there is no quorum for it. */
const SETTLE_MS_MAX = 10_000;

/** The steps that the desk is for. */
export type MembershipStep = Extract<
  AdminStep,
  { readonly step: 'addMember' | 'promote' | 'removeMember' | 'replace' }
>;

/** What the core said to a change. */
export interface ConfigDecision {
  readonly index: Index;
  readonly refusal: MembershipRefusal | null;
}

/** The leader's means. */
export interface MembershipDeskOptions {
  readonly clock: Pick<Clock, 'monoUs'>;
  readonly status: () => RaftStatus;
  readonly view: () => MembershipView;
  readonly change: (
    ask: { readonly change: MembershipChange; readonly expectedIndex: Index | null },
    done: (decision: ConfigDecision) => void,
  ) => void;
  /** Dials a node and tells who it is, or why it cannot be a member. */
  readonly meet: (
    wanted: { readonly nodeId: NodeId; readonly address: string },
    done: (met: Member | string) => void,
  ) => void;
}

/** Ends with null when all went well. */
type Refused = Extract<QueryResult, { readonly kind: 'refused' }> | null;
type Course = Generator<() => boolean, Refused, void>;

interface Running {
  /** The step as text: the same asked again joins it. */
  readonly key: string;
  readonly pending: PendingChange;
  readonly course: Course;
  readonly waiting: ((result: QueryResult) => void)[];
  isReady: () => boolean;
}

/** One change at a time; see the head of this file. Leader only. */
export class MembershipDesk {
  private readonly options: MembershipDeskOptions;
  private running: Running | null = null;
  private readonly facts: MembershipFacts;
  private isLooking = false;

  constructor(options: MembershipDeskOptions) {
    this.options = options;
    this.facts = new MembershipFacts(options.status);
  }

  handle(step: MembershipStep, done: (result: QueryResult) => void): void {
    const key = JSON.stringify(step);
    if (this.running !== null && this.running.key !== key) {
      return done(refusePending(this.running.pending));
    }
    if (this.running !== null) {
      this.running.waiting.push(done);
      return;
    }
    const pending = { change: wordsOfStep(step), sinceIndex: this.options.status().lastIndex };
    const course = this.courseOf(step);
    this.running = { key, pending, course, waiting: [done], isReady: () => true };
    this.look();
  }

  /** Something may have changed: at every tick, with every configuration, after every answer. */
  look(): void {
    // A course that acts may cause a look before it has said what it waits for.
    if (this.isLooking) return;
    this.isLooking = true;
    while (this.running?.isReady() === true) {
      const next = this.running.course.next();
      if (next.done === true) this.finish(next.value);
      else this.running.isReady = next.value;
    }
    this.isLooking = false;
  }

  /** Leadership is over. What was appended goes on; whoever asked must ask the next leader. */
  end(): void {
    // A leader that takes itself out loses its office with the commit: that change is done.
    this.look();
    if (this.running === null) return;
    probes.reach('change-outlives-its-leader');
    const text = 'the leader lost its office during the change: ask again, it goes on from there';
    this.finish(refuse('NOT_LEADER', text));
  }

  private finish(refused: Refused): void {
    const { running } = this;
    this.running = null;
    const result = refused ?? { kind: 'membership' as const, membership: this.options.view() };
    for (const done of running?.waiting ?? []) done(result);
  }

  private courseOf(step: MembershipStep): Course {
    switch (step.step) {
      case 'addMember':
        return this.add(step);
      case 'promote':
        return this.promote(step.nodeId, step.expectedIndex);
      case 'removeMember':
        return this.remove(step);
      case 'replace':
        return this.replace(step);
    }
  }

  private *add(step: Extract<AdminStep, { readonly step: 'addMember' }>): Course {
    if (
      this.facts.isVoter(step.nodeId) &&
      this.facts.member(step.nodeId)?.address === step.address
    ) {
      return yield* this.settled();
    }
    const refused = yield* this.learn(step, step.expectedIndex);
    if (refused !== null || !step.isVoter) return refused;
    return yield* this.change({ promote: [step.nodeId], remove: [] }, null);
  }

  private *promote(nodeId: NodeId, expectedIndex: Index | null): Course {
    if (this.facts.isVoter(nodeId)) return yield* this.settled();
    if (this.facts.member(nodeId) === null)
      return refuse('INVALID', `${nodeId} is no member: add it first`);
    const refused = yield* this.caughtUp(nodeId);
    return refused ?? (yield* this.change({ promote: [nodeId], remove: [] }, expectedIndex));
  }

  private *remove(step: Extract<AdminStep, { readonly step: 'removeMember' }>): Course {
    return yield* this.takeOut(step.nodeId, step.expectedIndex);
  }

  // Asked again while the change is joint, its end shows that it was done.
  private *takeOut(nodeId: NodeId, expectedIndex: Index | null): Course {
    const unsettled = yield* this.settled();
    if (unsettled !== null || this.facts.isRetired(nodeId)) return unsettled;
    return yield* this.propose({ type: 'change', promote: [], remove: [nodeId] }, expectedIndex);
  }

  private *replace(step: Extract<AdminStep, { readonly step: 'replace' }>): Course {
    const { nodeId, by, expectedIndex } = step;
    if (nodeId === by.nodeId) {
      return refuse('INVALID', `${nodeId} cannot replace itself: a wiped node needs a new id`);
    }
    // In a joint configuration both are members; its end shows which of them stays.
    const unsettled = yield* this.settled();
    if (unsettled !== null) return unsettled;
    const isIn = this.facts.isVoter(by.nodeId);
    if (isIn && this.facts.isRetired(nodeId)) return null;
    if (isIn)
      return refuse('INVALID', `${by.nodeId} is a voter already; to shrink, remove ${nodeId}`);
    if (this.facts.isRetired(nodeId)) {
      return refuse('INVALID', `${nodeId} has left already: add ${by.nodeId} instead`);
    }
    if (this.facts.member(nodeId) === null) return refuse('INVALID', `${nodeId} is no member`);
    // A learner is replaced by a learner: the number of voters is not this step's to change.
    const promote = this.facts.isVoter(nodeId) ? [by.nodeId] : [];
    const refused = yield* this.learn(by, expectedIndex);
    return refused ?? (yield* this.change({ promote, remove: [nodeId] }, null));
  }

  // Adds a learner, unless it is there already, and waits until it keeps up; else takes it out.
  private *learn(
    wanted: { readonly nodeId: NodeId; readonly address: string },
    expectedIndex: Index | null,
  ): Course {
    const { nodeId, address } = wanted;
    const known = this.facts.member(nodeId);
    probes.sometimes('membership-change-begun-again', known !== null);
    if (known !== null && known.address !== address) {
      return refuse('INVALID', `${nodeId} is a member already, at ${known.address}`);
    }
    if (known === null) {
      const refused = yield* this.begin(wanted, expectedIndex);
      if (refused !== null) return refused;
    }
    const late = yield* this.caughtUp(nodeId);
    if (late === null || known !== null) return late;
    probes.reach('learner-given-up');
    return (yield* this.change({ promote: [], remove: [nodeId] }, null)) ?? late;
  }

  private *begin(
    wanted: { readonly nodeId: NodeId; readonly address: string },
    expectedIndex: Index | null,
  ): Course {
    if (this.facts.isRetired(wanted.nodeId)) {
      const text = `${wanted.nodeId} was a member once, and its name is retired: choose a new id`;
      return refuse('INVALID', text);
    }
    const unsettled = yield* this.settled();
    if (unsettled !== null) return unsettled;
    const lodger = this.facts.memberAt(wanted.address);
    if (lodger !== null) {
      return refuse('INVALID', `${wanted.address} is the address of the member ${lodger.nodeId}`);
    }
    let met: Member | string | null = null;
    this.options.meet(wanted, (answer) => {
      met = answer;
      this.look();
    });
    yield () => met !== null;
    const member = met ?? 'nobody was met';
    if (typeof member === 'string') return refuse('INVALID', member);
    return yield* this.propose({ type: 'addLearner', member }, expectedIndex);
  }

  private *caughtUp(nodeId: NodeId): Course {
    const pace = new CatchUpPace(() => this.options.clock.monoUs());
    const isThere = (): boolean => this.facts.peer(nodeId)?.isCaughtUp === true;
    const isStalled = (): boolean => pace.isStalled(this.facts.peer(nodeId));
    yield () => isThere() || isStalled() || this.facts.member(nodeId) === null;
    if (isThere()) return null;
    return refuse('NOT_CAUGHT_UP', `${nodeId} does not keep up: ${pace.describe()}`);
  }

  private *change(
    who: { readonly promote: readonly NodeId[]; readonly remove: readonly NodeId[] },
    expectedIndex: Index | null,
  ): Course {
    const unsettled = yield* this.settled();
    if (unsettled !== null) return unsettled;
    return yield* this.propose({ type: 'change', ...who }, expectedIndex);
  }

  // Appends, and waits until the outcome is committed and no configuration is joint any more.
  private *propose(change: MembershipChange, expectedIndex: Index | null): Course {
    let decision: ConfigDecision | null = null;
    this.options.change({ change, expectedIndex }, (answer) => {
      decision = answer;
      this.look();
    });
    yield () => decision !== null;
    const refusal = (decision ?? NEVER_DECIDED).refusal;
    if (refusal !== null) return refuse(CODES[refusal.code], refusal.message);
    return yield* this.settled(Infinity);
  }

  private *settled(forMs: number = SETTLE_MS_MAX): Course {
    const endUs = this.options.clock.monoUs() + forMs * US_PER_MS;
    yield () => this.facts.isSettled() || this.options.clock.monoUs() > endUs;
    if (this.facts.isSettled()) return null;
    return refusePending(unsettledChange(this.options.status()));
  }
}

const NEVER_DECIDED: ConfigDecision = {
  index: 0,
  refusal: { code: 'NOT_LEADER', message: 'this node does not lead' },
};

const CODES = {
  NOT_LEADER: 'NOT_LEADER',
  PENDING: 'CHANGE_PENDING',
  CONFLICT: 'MEMBERS_CHANGED',
  NOT_CAUGHT_UP: 'NOT_CAUGHT_UP',
  INVALID: 'INVALID',
} as const;

function refuse(code: Extract<Refused, object>['code'], message: string): Extract<Refused, object> {
  return { kind: 'refused', code, message };
}
