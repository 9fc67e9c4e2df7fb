// The commands of a history against the entries that carry them: executed after they were sent,
// answered with what the entry came to, never after an honest refusal, and at most once.

import { UNNUMBERED_SEQ_MIN } from '../../src/locks/commands.ts';
import type { Command } from '../../src/locks/commands.ts';
import type { Outcome } from '../../src/locks/outcomes.ts';
import type { ClientHistory } from './history.ts';
import type { CommandOperation, Transmission } from './history-types.ts';
import type { Misfit } from './linear.ts';
import type { LinearModel } from './linear-model.ts';
import { isCarriedBy, isCertain, isSameOutcome, mayFollow, outcomeProblem } from './outcomes.ts';
import type { CommittedEntry, CommittedLog } from './types.ts';
import type { OracleName } from './verdict.ts';

/** What the log showed of one operation so far. */
interface Trail {
  entries: number;
  /** Entries that did more than answer. */
  effects: number;
  /** The last answer about the request itself. */
  outcome: Outcome | null;
}

/** See the head of this file. Every entry is observed in order, then the answers are checked. */
export class CommandLedger {
  private readonly history: ClientHistory;
  private readonly log: CommittedLog;
  /** By the operation's id. */
  private readonly trails: (Trail | undefined)[];

  constructor(history: ClientHistory, log: CommittedLog) {
    this.history = history;
    this.log = log;
    this.trails = history.operations.map(() => undefined);
  }

  /** `model` is the state after the entry. */
  observe(entry: CommittedEntry, model: LinearModel): Misfit | null {
    const { command, outcome } = entry;
    if (command === null || outcome === null || isInternal(command)) return null;
    const operation = this.history.find(command);
    if (operation === undefined) return null;
    const [first] = operation.transmissions;
    if (first !== undefined && entry.index <= first.sent.floor) {
      const text = `${first.sent.floor} had been told before it was sent`;
      return misfit('INV-12', operation, `executed at ${entry.index}, but ${text}`);
    }
    const trail = this.trailOf(operation);
    const isFirst = trail.outcome === null;
    const problem = outcomeProblem(entry, model, isFirst);
    if (problem !== null) {
      const answer = JSON.stringify(outcome);
      return misfit('INV-12', operation, `answered ${answer} at ${entry.index}, but ${problem}`);
    }
    return follow(operation, trail, entry);
  }

  /** Call when the log is at its end. */
  checkAnswers(): Misfit | null {
    for (const operation of this.history.operations) {
      if (operation.kind !== 'command') continue;
      const found = this.checkOperation(operation);
      if (found !== null) return found;
    }
    return null;
  }

  private checkOperation(operation: CommandOperation): Misfit | null {
    let mayBeInLog = 0;
    for (const transmission of operation.transmissions) {
      const { heard } = transmission;
      if (heard === null || heard.revision > 0 || !isCertain(heard.content)) mayBeInLog += 1;
      if (heard === null || heard.revision === 0) continue;
      const problem = this.answerProblem(operation, transmission, heard);
      if (problem !== null) return misfit('INV-12', operation, problem);
    }
    const entries = this.trails[operation.id]?.entries ?? 0;
    if (entries <= mayBeInLog) return null;
    const sent = operation.transmissions.length;
    const refused = `${sent - mayBeInLog} of them refused`;
    const text = `${entries} entries of ${sent} transmissions, ${refused}`;
    return misfit('INV-13', operation, text);
  }

  private answerProblem(
    { body }: CommandOperation,
    { sent }: Transmission,
    { revision, content }: NonNullable<Transmission['heard']>,
  ): string | null {
    const entry = this.log.at(revision);
    if (entry === undefined) return `answered at ${revision}, which was never committed`;
    const isRight =
      isCarriedBy(entry.command, body) &&
      revision > sent.floor &&
      entry.outcome !== null &&
      isSameOutcome(content, entry.outcome);
    if (isRight) return null;
    const answer = `answered ${JSON.stringify(content)} at ${revision}`;
    if (!isCarriedBy(entry.command, body)) return `${answer}, where something else stands`;
    if (revision <= sent.floor) return `${answer}; ${sent.floor} was told before it was sent`;
    return `${answer}, where it came to ${JSON.stringify(entry.outcome)}`;
  }

  private trailOf(operation: CommandOperation): Trail {
    const known = this.trails[operation.id];
    if (known !== undefined) return known;
    const fresh = { entries: 0, effects: 0, outcome: null };
    this.trails[operation.id] = fresh;
    return fresh;
  }
}

/** Takes the entry into the trail, unless it contradicts what the request was answered before. */
function follow(
  operation: CommandOperation,
  trail: Trail,
  { index, outcome, events }: CommittedEntry,
): Misfit | null {
  trail.entries += 1;
  const hasEffect = events.some((event) => event.type !== 'leaseChanged');
  if (hasEffect) trail.effects += 1;
  // A nonce is remembered as long as its session lives (RAFT.md §12). Of requests outside "exactly
  // once" no answer is kept: whoever sends one again may be told something else.
  const { body } = operation;
  if (!('seq' in body) || body.seq >= UNNUMBERED_SEQ_MIN) return null;
  if (trail.effects > 1) return misfit('INV-14', operation, `took effect again at ${index}`);
  if (outcome === null || outcome.code === 'WINDOW' || outcome.code === 'SESSION_GONE') return null;
  if (trail.outcome !== null && !mayFollow(trail.outcome, outcome)) {
    const [before, after] = [trail.outcome, outcome].map((each) => JSON.stringify(each));
    return misfit('INV-14', operation, `was ${before}, then at ${index} ${after}`);
  }
  trail.outcome = outcome;
  return null;
}

/** What leaders append by themselves, and what operators ask for beside all sessions. */
function isInternal({ op }: Command): boolean {
  return ['expireSession', 'withdraw', 'liftDelay', 'liftEmbargo', 'setLimits'].includes(op);
}

function misfit(oracle: OracleName, { client, body }: CommandOperation, text: string): Misfit {
  const number = 'seq' in body ? ` ${body.seq} of ${body.session}` : '';
  return { oracle, message: `${body.op}${number} of ${client}: ${text}` };
}
