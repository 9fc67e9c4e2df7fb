import { probes } from '../base/probe.ts';
import type { Index, Term } from '../base/units.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entry } from '../raft/entry.ts';
import type { Proposal, Refusal } from '../raft/events.ts';
import type { Refused } from '../wire/client-messages.ts';
import type { CommandRequest } from '../wire/payloads.ts';
import { encodePayloads } from '../wire/payloads.ts';
import type { Admission } from './engine.ts';
import type { HostReply } from './host-types.ts';

/** Gets the answer of one request, once. */
export type ReplyHandler = (reply: HostReply) => void;

/** Requests that were appended together, and who waits for their answers. */
interface Appended {
  readonly term: Term;
  readonly firstIndex: Index;
  readonly handlers: readonly ReplyHandler[];
  /** How many were answered. */
  settled: number;
}

/** The clock that gathers a turn's requests, and the way into consensus. */
export interface ProposalsOptions {
  readonly clock: Pick<Clock, 'soon' | 'wallMs'>;
  readonly propose: (proposals: readonly Proposal[]) => Admission;
  /** A request is answered without having been applied. */
  readonly onRefused?: ((code: Refused['code']) => void) | undefined;
}

/**
 * Requests on their way through the log. What arrives in one turn of the loop is proposed
 * together; an answer is given when the entry is applied here, or when it can no longer be known.
 * Honest outcomes (RAFT.md §12): a refusal is given only for what was not appended; what was
 * appended and not seen applied is OUTCOME_UNKNOWN.
 */
export class Proposals {
  private readonly options: ProposalsOptions;
  /** Undecided, by their indices. */
  private appended: Appended[] = [];
  private undecided = 0;
  private requests: CommandRequest[] = [];
  private handlers: ReplyHandler[] = [];
  private isOver = false;

  constructor(options: ProposalsOptions) {
    this.options = options;
  }

  /** Undecided requests; bounded by the links' limits and the leader's uncommitted limit. */
  get size(): number {
    return this.undecided + this.requests.length;
  }

  /** The request is encoded in a later turn: its bytes stay as they are until `done` is called. */
  submit(request: CommandRequest, done: ReplyHandler): void {
    this.requests.push(request);
    this.handlers.push(done);
    if (this.requests.length === 1) this.options.clock.soon(() => this.flush());
  }

  /** The answer of an applied entry, if somebody here waits for it. Entries come in order. */
  settle({ index, term }: Pick<Entry, 'index' | 'term'>, outcome: Outcome): void {
    const [oldest] = this.appended;
    const done = oldest?.handlers[index - oldest.firstIndex];
    if (oldest === undefined || done === undefined) return;
    oldest.settled += 1;
    this.undecided -= 1;
    if (oldest.settled === oldest.handlers.length) this.appended.shift();
    if (oldest.term === term) done({ revision: index, outcome });
    else done(refusal('OUTCOME_UNKNOWN', 'another entry took the place of the request'));
  }

  /** Leadership is over: the fate of everything appended is not known. */
  abandon(reason: string): void {
    const lost = this.appended.flatMap(({ handlers, settled }) => handlers.slice(settled));
    probes.sometimes('fate-of-appended-unknown', lost.length > 0);
    this.appended = [];
    this.undecided = 0;
    this.refuse(lost, 'OUTCOME_UNKNOWN', reason);
  }

  /** Nothing is proposed any more, nor seen applied; call `abandon` before. */
  stop(): void {
    this.isOver = true;
  }

  private flush(): void {
    const { requests, handlers } = this;
    this.requests = [];
    this.handlers = [];
    if (this.isOver) {
      return this.refuse(handlers, 'UNAVAILABLE', 'the node stopped; nothing was done');
    }
    const { payloads, record } = encodePayloads(requests, this.options.clock.wallMs());
    const admission = this.options.propose(
      payloads.map((payload) => ({ type: 'command' as const, payload, internal: false, record })),
    );
    // The node failed in that very call: what became of the entries, it cannot tell any more.
    if (this.isOver) {
      return this.refuse(handlers, 'OUTCOME_UNKNOWN', 'the node failed meanwhile');
    }
    this.await(handlers.slice(0, admission.accepted), admission);
    const why = admission.refusal ?? 'UNAVAILABLE';
    this.refuse(handlers.slice(admission.accepted), why, REFUSALS[why]);
  }

  private refuse(handlers: readonly ReplyHandler[], code: Refused['code'], why: string): void {
    for (const done of handlers) {
      this.options.onRefused?.(code);
      done(refusal(code, why));
    }
  }

  private await(handlers: readonly ReplyHandler[], { term, firstIndex }: Admission): void {
    if (handlers.length === 0) return;
    this.appended.push({ term, firstIndex, handlers, settled: 0 });
    this.undecided += handlers.length;
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
