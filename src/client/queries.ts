// What is asked of the cluster besides locks: inspection, operator commands, status of a node.

import { HoldfastError } from '../base/error.ts';
import type { Index, Revision, SessionId, Token } from '../base/units.ts';
import type { Outcome, SessionView } from '../locks/outcomes.ts';
import type { ClientFrame } from '../wire/client-frame.ts';
import type { Query } from '../wire/client-messages.ts';
import { encodeBody } from '../wire/command.ts';
import type { CommandBody } from '../wire/command.ts';
import { errorCodeOf } from '../wire/outcome.ts';
import type { Decision, Exchange, QueryAnswer } from './exchange.ts';
import { lockInfo, parseMeta } from './holder.ts';
import type { LockInfo } from './holder.ts';
import { checkName, checkPart } from './items.ts';
import { checkKnown, checkText, checkWhole } from './options.ts';
import { QueryExchange } from './query-exchange.ts';
import { promiseWithin } from './promise-within.ts';
import type { SessionParts } from './session.ts';

const LIST_MAX = 1_000;
const TEXT_BYTES_MAX = 1_024;

/** Which locks to list. */
export interface ListOptions {
  /** Only names that start with it. */
  readonly prefix?: string;
  /** Only names after this one, in byte order. */
  readonly after?: string;
  /** 1 to 1,000 (default). */
  readonly limit?: number;
}

/** Some of the locks that are held or waited for. */
export interface LockPage {
  /** In byte order of their names. */
  readonly locks: readonly LockInfo[];
  /** Whether there are more: ask again with `after` set to the last name. */
  readonly hasMore: boolean;
  /** The state of the cluster that this shows: everything up to this position of the log. */
  readonly revision: Revision;
}

/** A session with its metadata parsed. */
export interface SessionSummary extends Omit<SessionView, 'meta'> {
  /** Its metadata; the text itself when it is no JSON. */
  readonly meta: unknown;
}

/** Some of the sessions. */
export interface SessionPage {
  /** Oldest first. */
  readonly sessions: readonly SessionSummary[];
  /** Whether there are more: ask again after the index in the id of the last one. */
  readonly hasMore: boolean;
  /** The state of the cluster that this shows: everything up to this position of the log. */
  readonly revision: Revision;
}

/** A session with its lease. */
export interface SessionInfo extends SessionSummary {
  /**
   * How long until it would expire if nobody renewed it, by the leader's clock: for display.
   * null: never, or not told.
   */
  readonly leaseLeftMs: number | null;
}

/** What to break, and why. */
export interface BreakOptions {
  /** Of the grant that is meant: a later holder is not broken by mistake. */
  readonly token: Token;
  /** Recorded, and shown to the holder. */
  readonly reason: string;
  /** Who breaks it; the client's name unless given. */
  readonly by?: string;
  /** Only this session's grant, where several share the token. */
  readonly session?: SessionId;
}

/** The asking part of a client; every promise settles within requestMs. */
export class Queries {
  private readonly parts: SessionParts;

  constructor(parts: SessionParts) {
    this.parts = parts;
  }

  async inspect(name: string): Promise<LockInfo & { readonly revision: Revision }> {
    checkName(name);
    const { answer, revision } = await this.ask({ kind: 'inspect', name });
    if (answer.kind !== 'lock') throw strayAnswer(answer);
    return { ...lockInfo(answer.lock, answer.leftMs), revision };
  }

  async list(options: ListOptions = {}): Promise<LockPage> {
    checkKnown(options, ['prefix', 'after', 'limit']);
    const { prefix = '', after = '', limit = LIST_MAX } = options;
    checkPart('prefix', prefix);
    checkPart('after', after);
    checkWhole('limit', limit, [1, LIST_MAX]);
    const { answer, revision } = await this.ask({ kind: 'list', prefix, after, limit });
    if (answer.kind !== 'locks') throw strayAnswer(answer);
    const locks = answer.locks.map((lock) => lockInfo(lock, null));
    return { locks, hasMore: answer.hasMore, revision };
  }

  async session(session: SessionId): Promise<SessionInfo | null> {
    checkText('session', session, TEXT_BYTES_MAX);
    const { answer } = await this.ask({ kind: 'session', session });
    if (answer.kind !== 'session') throw strayAnswer(answer);
    return answer.session === null
      ? null
      : { ...summary(answer.session), leaseLeftMs: answer.leftMs };
  }

  async sessions(options: { after?: Index; limit?: number } = {}): Promise<SessionPage> {
    checkKnown(options, ['after', 'limit']);
    const { after = 0, limit = LIST_MAX } = options;
    checkWhole('after', after, [0, Number.MAX_SAFE_INTEGER]);
    checkWhole('limit', limit, [1, LIST_MAX]);
    const { answer, revision } = await this.ask({ kind: 'sessions', after, limit });
    if (answer.kind !== 'sessions') throw strayAnswer(answer);
    return { sessions: answer.sessions.map(summary), hasMore: answer.hasMore, revision };
  }

  async breakLock(name: string, options: BreakOptions): Promise<void> {
    checkName(name);
    checkKnown(options, ['token', 'reason', 'by', 'session']);
    const token = checkWhole('token', options.token, [1, Number.MAX_SAFE_INTEGER]);
    const reason = checkText('reason', options.reason, TEXT_BYTES_MAX);
    const by = checkText('by', options.by ?? this.parts.settings.name, TEXT_BYTES_MAX);
    const session =
      options.session === undefined ? null : checkText('session', options.session, TEXT_BYTES_MAX);
    await this.tell({ op: 'break', name, token, session, by, reason }, 'NOT_HOLDER');
  }

  async endSession(session: SessionId, options: { reason: string; by?: string }): Promise<void> {
    checkText('session', session, TEXT_BYTES_MAX);
    checkKnown(options, ['reason', 'by']);
    const reason = checkText('reason', options.reason, TEXT_BYTES_MAX);
    const by = checkText('by', options.by ?? this.parts.settings.name, TEXT_BYTES_MAX);
    await this.tell({ op: 'endSession', session, by, reason }, 'SESSION_GONE');
  }

  private ask(query: Query): Promise<{ answer: QueryAnswer; revision: Revision }> {
    const what = `the answer to ${query.kind}`;
    return promiseWithin(this.parts, { what, changes: false }, (settle) => {
      const onAnswer = (answer: QueryAnswer, revision: Revision): void =>
        settle.resolve({ answer, revision });
      return new QueryExchange(query, { onAnswer, onFail: settle.reject });
    });
  }

  // Both commands name what they mean, so a repetition does no harm. 1. A break is applied and its
  // answer lost. 2. Sent again, it finds no such grant. That is what was asked for.
  private tell(body: CommandBody, gone: Outcome['code']): Promise<void> {
    const what = `the outcome of ${body.op}`;
    return promiseWithin(this.parts, { what, changes: true }, (settle) => {
      const onOutcome = (outcome: Outcome): void => {
        const isGone = outcome.code === gone && settle.mayBeRepeated();
        if (outcome.code === 'DONE' || isGone) settle.resolve();
        else settle.reject(refusal(outcome));
      };
      return new OperatorCommand(encodeBody(body), { onOutcome, onFail: settle.reject });
    });
  }
}

/** A command that belongs to no session. */
class OperatorCommand implements Exchange {
  private readonly body: Uint8Array;
  private readonly owner: {
    onOutcome(outcome: Outcome): void;
    onFail(error: HoldfastError): void;
  };

  constructor(body: Uint8Array, owner: OperatorCommand['owner']) {
    this.body = body;
    this.owner = owner;
  }

  transmit(frame: ClientFrame, requestId: number): boolean {
    frame.message({ type: 'command', requestId, ackedBelow: 0, body: this.body });
    return true;
  }

  decide(decision: Decision): void {
    if (decision.kind === 'outcome') this.owner.onOutcome(decision.outcome);
  }

  fail(error: HoldfastError): void {
    this.owner.onFail(error);
  }
}

function summary(session: SessionView): SessionSummary {
  return { ...session, meta: parseMeta(session.meta) };
}

function refusal(outcome: Outcome): HoldfastError {
  if ('message' in outcome) return new HoldfastError(errorCodeOf(outcome.code), outcome.message);
  return new HoldfastError('INTERNAL', `the answer was ${outcome.code}`);
}

function strayAnswer(answer: QueryAnswer): HoldfastError {
  return new HoldfastError('INTERNAL', `a question was answered with ${answer.kind}`);
}
