import type { Index } from '../base/units.ts';
import type { ReplicatedLimits } from '../locks/commands.ts';
import { areSame } from '../locks/limits.ts';
import type { Member } from '../raft/config.ts';
import type { AdminStep, PendingChange, QueryResult } from '../wire/client-messages.ts';
import { encodeBody } from '../wire/command.ts';
import type { CommandRequest } from '../wire/payloads.ts';
import { refusePending } from './change-under-way.ts';
import { commandSetOf } from './command-sets.ts';
import type { HostReply } from './host-types.ts';

/** What an operator wants of the limits. */
type SetLimitsStep = Extract<AdminStep, { readonly step: 'setLimits' }>;
type Done = (result: QueryResult) => void;

/** The leader's part in a change of the limits. */
export interface LimitsDeskOptions {
  readonly lastIndex: () => Index;
  /** The limits in force, of the state as it is applied. */
  readonly limits: () => ReplicatedLimits;
  /** Everybody who applies what is decided. */
  readonly members: () => readonly Member[];
  /** The command set that a member has announced; 0: it is not connected. */
  readonly commandSetOf: (member: Member) => number;
  /** A quorum confirms that this node leads, and all that was decided before is applied. */
  readonly confirm: (done: (isConfirmed: boolean) => void) => void;
  readonly submit: (request: CommandRequest, done: (reply: HostReply) => void) => void;
}

/**
 * Changes the limits, for an operator who has read them before: what another one changed in between
 * is not undone in silence. That holds because limits are changed one at a time:
 *
 * 1. A round confirms the office, so nothing of an earlier leader is still to be applied here.
 * 2. The limits in force are compared with those that were read, and in the same turn
 * 3. the change is proposed; until it is decided, no other one is taken.
 *
 * Should this leader be deposed, its successor decides what becomes of the proposal before it takes
 * a change of its own: that one compares with limits that contain it, or it is lost for ever.
 */
export class LimitsDesk {
  private readonly options: LimitsDeskOptions;
  /** The change that is proposed and not decided. */
  private pending: PendingChange | null = null;

  constructor(options: LimitsDeskOptions) {
    this.options = options;
  }

  set(step: SetLimitsStep, done: Done): void {
    this.options.confirm((isConfirmed) => {
      if (!isConfirmed) return done(refuse('NOT_LEADER', 'this node does not lead'));
      if (this.pending !== null) return done(refusePending(this.pending));
      const inForce = this.options.limits();
      // It was asked for before, and the answer was lost.
      if (areSame(inForce, step.limits)) return done({ kind: 'done' });
      if (!areSame(inForce, step.expected)) return done(refuse('LIMITS_CHANGED', changedText));
      const lacking = this.lacking();
      if (lacking !== null) return done(refuse('INVALID', lacking));
      this.propose(step, done);
    });
  }

  private propose({ limits, by }: SetLimitsStep, done: Done): void {
    this.pending = { change: `${by} changes the limits`, sinceIndex: this.options.lastIndex() };
    const body = encodeBody({ op: 'setLimits', limits, by });
    this.options.submit({ body, ackedBelow: 0 }, (reply) => {
      this.pending = null;
      done(resultOf(reply));
    });
  }

  // A command that a member cannot apply would make its state another one (E#11689).
  private lacking(): string | null {
    const needed = commandSetOf('setLimits');
    const lacking = this.options
      .members()
      .filter((member) => this.options.commandSetOf(member) < needed)
      .map(({ nodeId }) => nodeId);
    if (lacking.length === 0) return null;
    return (
      `limits can be changed when every node has announced command set ${needed}; ` +
      `not yet: ${lacking.join(', ')} (not connected, or an older release)`
    );
  }
}

const changedText =
  'the limits in force are not those that the change was made from: somebody else changed them; ' +
  'look at them, and ask again';

function resultOf({ outcome }: HostReply): QueryResult {
  if (outcome.code === 'DONE') return { kind: 'done' };
  const message = 'message' in outcome ? outcome.message : 'an unexpected outcome';
  const isKnown =
    outcome.code === 'INVALID' ||
    outcome.code === 'NOT_LEADER' ||
    outcome.code === 'OVERLOADED' ||
    outcome.code === 'UNAVAILABLE' ||
    outcome.code === 'OUTCOME_UNKNOWN';
  return refuse(isKnown ? outcome.code : 'INTERNAL', message);
}

type Refused = Extract<QueryResult, { readonly kind: 'refused' }>;

function refuse(code: Refused['code'], message: string): QueryResult {
  return { kind: 'refused', code, message };
}
