import type { Index, SessionId, Term } from '../../src/base/units.ts';
import type { Acquire, Command } from '../../src/locks/commands.ts';
import type { Applied, LockEvent } from '../../src/locks/outcomes.ts';
import { accuse } from './machine-accusation.ts';
import { answerOf } from './model-answers.ts';
import type { LockModel } from './model.ts';
import type { ModelStep } from './model-state.ts';
import type { Verdict } from './verdict.ts';

/** What happened, as the log has it. */
type Fact<Type extends LockEvent['type']> = Extract<LockEvent, { readonly type: Type }>;

/** Hears of each fact once, in the order of the log, when the first node applies it. */
export interface FactListener {
  /** An acquire is in the log, before its events; it may be refused, or have come before. */
  onAcquire?(command: Acquire): void;
  onGranted?(event: Fact<'granted'>, atUs: number): void;
  onFreed?(event: Fact<'freed'>, atUs: number): void;
  onSessionEnded?(event: Fact<'sessionEnded'>, atUs: number): void;
  onDelayed?(event: Fact<'delayed'>, atUs: number): void;
  onLifted?(event: Fact<'lifted'>, atUs: number): void;
}

/** Listeners of one run. */
const LISTENERS_MAX = 16;

/**
 * Replays every committed entry through the model and through a few rules that need none. What
 * differs is named by the invariant that it breaks.
 */
export class MachineOracle {
  private readonly verdict: Verdict;
  private readonly model: LockModel;
  private readonly listeners: FactListener[] = [];
  private readonly ended = new Set<SessionId>();
  /** After the first difference the model is of another history. */
  private isOver = false;

  /** `model`: the state that the log begins with. */
  constructor({ verdict, model }: { readonly verdict: Verdict; readonly model: LockModel }) {
    this.verdict = verdict;
    this.model = model;
  }

  follow(listener: FactListener): void {
    if (this.listeners.length < LISTENERS_MAX) this.listeners.push(listener);
  }

  /** The entry behind the last one, and what its first node made of it. */
  replay(
    at: { readonly index: Index; readonly term: Term; readonly atUs: number },
    command: Command,
    { outcome, events }: Applied,
  ): void {
    if (command.op === 'acquire') {
      for (const listener of this.listeners) listener.onAcquire?.(command);
    }
    for (const event of events) {
      this.check(event, at.index);
      this.tell(event, at.atUs);
    }
    if (this.isOver) return;
    const step = this.model.apply(at.index, at.term, command);
    const answer = answerOf(outcome);
    if (answer === step.answer && isSameFacts(step.facts, events)) return;
    this.isOver = true;
    this.report(step, command, { answer, events });
  }

  // INV-16 and INV-15, whatever the model says. What is granted in one entry with one token can be
  // held together, or else the model does not grant it.
  private check(event: LockEvent, index: Index): void {
    const { verdict } = this;
    if (event.type === 'sessionEnded') this.ended.add(event.session);
    if (event.type !== 'granted') return;
    const { session, token, names } = event;
    const what = (): string => `entry ${index} grants ${names.join()} to ${session} as ${token}`;
    verdict.expect(token === index, 'INV-16', what);
    verdict.expect(!this.ended.has(session), 'INV-15', () => `${what()}, which has ended`);
  }

  private tell(event: LockEvent, atUs: number): void {
    for (const listener of this.listeners) {
      if (event.type === 'granted') listener.onGranted?.(event, atUs);
      else if (event.type === 'freed') listener.onFreed?.(event, atUs);
      else if (event.type === 'sessionEnded') listener.onSessionEnded?.(event, atUs);
      else if (event.type === 'delayed') listener.onDelayed?.(event, atUs);
      else if (event.type === 'lifted') listener.onLifted?.(event, atUs);
    }
  }

  private report(
    step: ModelStep,
    command: Command,
    actual: { readonly answer: string; readonly events: readonly LockEvent[] },
  ): void {
    const missing = step.facts.filter((fact) => !holds(actual.events, fact));
    const extra = actual.events.filter((fact) => !holds(step.facts, fact));
    const oracle = accuse({ step, command, missing, extra, model: this.model });
    const differences = [
      `${command.op} in entry ${step.index} came to ${actual.answer}`,
      ...(actual.answer === step.answer ? [] : [`not to ${step.answer}`]),
      ...missing.map((fact) => `without ${keyOf(fact)}`),
      ...extra.map((fact) => `with ${keyOf(fact)}`),
    ];
    this.verdict.report(oracle, differences.join(', '));
  }
}

function isSameFacts(left: readonly LockEvent[], right: readonly LockEvent[]): boolean {
  return left.length === right.length && left.every((fact) => holds(right, fact));
}

function holds(facts: readonly LockEvent[], wanted: LockEvent): boolean {
  if (facts.length === 0) return false;
  const key = keyOf(wanted);
  return facts.some((fact) => fact.type === wanted.type && keyOf(fact) === key);
}

/** All of a fact but the texts that are for people. */
function keyOf(fact: LockEvent): string {
  switch (fact.type) {
    case 'sessionOpened':
      return `${fact.type} ${fact.session} ${fact.ttlMs}`;
    case 'leaseChanged':
      return `${fact.type} ${fact.session} ${fact.leaseMs}`;
    case 'sessionEnded':
      return `${fact.type} ${fact.session} ${fact.cause}`;
    case 'granted':
      return `${requestKey(fact)} ${fact.token} ${JSON.stringify(fact.slots)} ${fact.value}`;
    case 'proclaimed':
      return `${requestKey(fact)} ${fact.token} ${fact.value}`;
    case 'queued':
      return `${requestKey(fact)} ${fact.waitMs}`;
    case 'left':
      return `${requestKey(fact)} ${fact.cause}`;
    case 'freed':
      return `${requestKey(fact)} ${fact.cause} ${fact.token}`;
    case 'delayed':
      return `${delayKey(fact)} ${fact.delayMs}`;
    case 'lifted':
      return `${delayKey(fact)} ${fact.cause}`;
  }
}

function requestKey(fact: Extract<LockEvent, { readonly names: readonly string[] }>): string {
  return `${fact.type} ${fact.session} ${fact.acquireSeq} ${fact.names.join()}`;
}

function delayKey(fact: Fact<'delayed' | 'lifted'>): string {
  const { type, session, acquireSeq, token, name, closedAt } = fact;
  return `${type} ${session} ${acquireSeq} ${token} ${name} ${closedAt}`;
}
