// The lock machine: applies one command after another. This file only dispatches; the sentences of
// the protocol are in the files that it calls. Nothing here reads a clock or draws a number, and
// every command has an outcome, whatever its fields contain (DET-2).

import type { Index, SessionId, Term, Token } from '../base/units.ts';
import { unreachable } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import type { Command, ReplicatedLimits, SetLimits } from './commands.ts';
import { liftEmbargo } from './embargo.ts';
import { breakLock, withdraw } from './giving-up.ts';
import { sessionHoldings } from './holdings.ts';
import { checkInvariants } from './invariants.ts';
import { liftDelay } from './lock-delay.ts';
import { LockTable } from './lock-table.ts';
import { livingFacts } from './living.ts';
import type { ChangedRow, Embargo, LivingFact, LockMachine, Row } from './machine-types.ts';
import type { Applied, LockView, Outcome, SessionHoldings, SessionView } from './outcomes.ts';
import { answerOnce } from './requests.ts';
import { becomeRestored } from './restoring.ts';
import { RowLedger, rowsOf } from './rows.ts';
import { Rules } from './rules.ts';
import { SessionTable } from './session-table.ts';
import { endSessionByOperator, expireSession, openSession } from './session.ts';
import { piecesOf } from './pieces.ts';
import type { LockState, Step } from './step.ts';
import { setLimitsProblem } from './validation.ts';
import { lockView, sessionView } from './views.ts';

/** A machine without sessions and locks. `limits` are the replicated ones, equal on all nodes. */
export function createLockMachine(limits: ReplicatedLimits): LockMachine {
  return new StateMachine(emptyState(limits));
}

/** The state of a machine without sessions and locks. */
export function emptyState(limits: ReplicatedLimits): LockState {
  return {
    rules: new Rules(limits),
    sessions: new SessionTable(),
    locks: new LockTable(),
    rows: new RowLedger(),
  };
}

/** The machine of a state that nobody else changes. */
export class StateMachine implements LockMachine {
  private readonly state: LockState;

  constructor(state: LockState) {
    this.state = state;
  }

  apply(index: Index, term: Term, command: Command): Applied {
    const step: Step = { state: this.state, index, term, events: [], touched: [] };
    const outcome = execute(step, command);
    return { outcome, events: step.events };
  }

  session(id: SessionId): SessionView | null {
    const session = this.state.sessions.find(id);
    return session === null ? null : sessionView(session);
  }

  ttlMsOf(id: SessionId): number | null | undefined {
    return this.state.sessions.find(id)?.ttlMs;
  }

  sessionCount(): number {
    return this.state.sessions.size;
  }

  sessions(after: Index, limit: number): readonly SessionView[] {
    return this.state.sessions.page(after, limit).map(sessionView);
  }

  inspect(name: string, shownMax = Infinity): LockView {
    return lockView(name, this.state.locks.find(name), shownMax);
  }

  list(prefix: string, after: string, limit: number, shownMax?: number): readonly LockView[] {
    const names = this.state.locks.page(prefix, after, limit);
    return names.map((name) => this.inspect(name, shownMax));
  }

  tokenOf(session: SessionId, acquireSeq: number): Token {
    return this.state.sessions.find(session)?.requests.get(acquireSeq)?.token ?? 0;
  }

  holdings(id: SessionId, after: number, limit: number): SessionHoldings | null {
    const session = this.state.sessions.find(id);
    return session === null
      ? null
      : sessionHoldings(session, after, limit, this.state.rules.highest);
  }

  lockCount(): number {
    return this.state.locks.size;
  }

  stateHash(): string {
    return this.state.rows.stateHash();
  }

  changedCount(): number {
    return this.state.rows.changedCount();
  }

  takeChanges(limit = Infinity): readonly ChangedRow[] {
    return this.state.rows.takeChanges(limit);
  }

  rows(): Iterable<Row> {
    return rowsOf(piecesOf(this.state));
  }

  living(): Iterable<LivingFact | null> {
    return livingFacts(this.state);
  }

  limits(): ReplicatedLimits {
    return this.state.rules.limits;
  }

  embargo(): Embargo | null {
    return this.state.rules.embargo;
  }

  highestTtlMs(): number {
    return this.state.rules.highest.ttlMsMax;
  }

  becomeRestored(at: Index, embargoMs: number): void {
    becomeRestored(this.state, at, embargoMs);
  }

  checkInvariants(): void {
    checkInvariants(this.state);
  }
}

function execute(step: Step, command: Command): Outcome {
  switch (command.op) {
    case 'openSession':
      return openSession(step, command);
    case 'acquire':
    case 'release':
    case 'cancel':
    case 'proclaim':
    case 'closeSession':
      return answerOnce(step, command);
    case 'endSession':
      return endSessionByOperator(step, command);
    case 'expireSession':
      return expireSession(step, command);
    case 'withdraw':
      return withdraw(step, command);
    case 'break':
      return breakLock(step, command);
    case 'liftDelay':
      return liftDelay(step, command);
    case 'liftEmbargo':
      return liftEmbargo(step, command);
    case 'setLimits':
      return setLimits(step, command);
    default:
      return unreachable(command);
  }
}

/** An operator's word: for what comes later, and the same on every node. */
function setLimits({ state }: Step, command: SetLimits): Outcome {
  const problem = setLimitsProblem(command, state.rules.limits);
  if (problem !== null) return { code: 'INVALID', message: problem };
  probes.sometimes('limits-change-under-sessions', state.sessions.size > 0);
  state.rules.setLimits(command.limits, state.rows);
  return { code: 'DONE' };
}
