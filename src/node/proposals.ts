import { probes } from '../base/probe.ts';
import type { Index, Term } from '../base/units.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entry } from '../raft/entry.ts';
import type { Proposal, Refusal } from '../raft/events.ts';
import type { Refused } from '../wire/client-messages.ts';
import type { Admission } from './engine.ts';
import type { HostReply } from './host-types.ts';

/** Gets the answer of one request, once. */
export type ReplyHandler = (reply: HostReply) => void;

interface Waiting {
  readonly payload: Uint8Array;
  readonly done: ReplyHandler;
}

interface Appended {
  readonly term: Term;
  readonly done: ReplyHandler;
}

/** The clock that gathers a turn's requests, and the way into consensus. */
export interface ProposalsOptions {
  readonly clock: Clock;
  readonly propose: (proposals: readonly Proposal[]) => Admission;
}

/**
 * Requests on their way through the log. What arrives in one turn of the loop is proposed
 * together; an answer is given when the entry is applied here, or when it can no longer be known.
 * Honest outcomes (RAFT.md §12): a refusal is given only for what was not appended; what was
 * appended and not seen applied is OUTCOME_UNKNOWN.
 */
export class Proposals {
  private readonly options: ProposalsOptions;
  private readonly appended = new Map<Index, Appended>();
  private gathering: Waiting[] = [];
  private isOver = false;

  constructor(options: ProposalsOptions) {
    this.options = options;
  }

  /** Undecided requests; bounded by the links' limits and the leader's uncommitted limit. */
  get size(): number {
    return this.appended.size + this.gathering.length;
  }

  submit(payload: Uint8Array, done: ReplyHandler): void {
    this.gathering.push({ payload, done });
    if (this.gathering.length === 1) this.options.clock.soon(() => this.flush());
  }

  /** The answer of an applied entry, if somebody here waits for it. */
  settle({ index, term }: Pick<Entry, 'index' | 'term'>, outcome: Outcome): void {
    const waiting = this.appended.get(index);
    if (waiting === undefined) return;
    this.appended.delete(index);
    if (waiting.term === term) waiting.done({ revision: index, outcome });
    else waiting.done(refusal('OUTCOME_UNKNOWN', 'another entry took the place of the request'));
  }

  /** Leadership is over: the fate of everything appended is not known. */
  abandon(reason: string): void {
    const lost = [...this.appended.values()];
    probes.sometimes('fate-of-appended-unknown', lost.length > 0);
    this.appended.clear();
    for (const { done } of lost) done(refusal('OUTCOME_UNKNOWN', reason));
  }

  /** Nothing is proposed any more, nor seen applied; call `abandon` before. */
  stop(): void {
    this.isOver = true;
  }

  private flush(): void {
    const batch = this.gathering;
    this.gathering = [];
    if (this.isOver) {
      for (const { done } of batch)
        done(refusal('UNAVAILABLE', 'the node stopped; nothing was done'));
      return;
    }
    const admission = this.options.propose(
      batch.map(({ payload }) => ({ type: 'command' as const, payload, internal: false })),
    );
    batch.forEach(({ done }, position) => {
      // The node failed in that very call: what became of the entries, it cannot tell any more.
      if (this.isOver) return done(refusal('OUTCOME_UNKNOWN', 'the node failed meanwhile'));
      if (position < admission.accepted) {
        this.appended.set(admission.firstIndex + position, { term: admission.term, done });
      } else {
        const why = admission.refusal ?? 'UNAVAILABLE';
        done(refusal(why, REFUSALS[why]));
      }
    });
  }
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  NOT_LEADER: 'this node does not lead; nothing was done',
  OVERLOADED: 'the leader has more undecided requests than it accepts; nothing was done',
  UNAVAILABLE: 'the leader is not sure that it still leads; nothing was done',
};

/** The reply to a request that was not applied, or not seen applied. */
export function refusal(code: Refused['code'], message: string): HostReply {
  return { revision: 0, outcome: { code, message } };
}
