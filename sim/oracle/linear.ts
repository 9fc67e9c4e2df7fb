// Linearizability by certificate (SIMULATOR.md §4.13): every answer names the entry that it is of,
// so the order is not searched for but checked. 1. It must fit real time: what was asked for after
// something was heard comes after it. 2. It must fit the log: the same answers follow when the
// entries are replayed in their order. An order that fits is a proof, whoever proposed it.

import type { Index } from '../../src/base/units.ts';
import type { ClientHistory } from './history.ts';
import type { NewsHeard, Operation, QueryOperation } from './history-types.ts';
import { CommandLedger } from './linear-commands.ts';
import { KeepAliveLedger } from './linear-keep-alives.ts';
import { LinearModel } from './linear-model.ts';
import { newsProblem, readProblem } from './linear-reads.ts';
import { findWatchMisfit } from './linear-watches.ts';
import type { CommittedEntry, CommittedLog } from './types.ts';
import type { OracleName } from './verdict.ts';

/** Why a history does not fit its log, and which promise that breaks. */
export interface Misfit {
  readonly oracle: OracleName;
  readonly message: string;
}

/**
 * The first of them; null if there is none, which proves that the history is linearizable. `past`:
 * what made the state that the log begins with, if that is not empty; no client of the history was
 * there.
 */
export function findMisfit(
  history: ClientHistory,
  log: CommittedLog,
  past: readonly CommittedEntry[] = [],
): Misfit | null {
  const commands = new CommandLedger(history, log);
  const keepAlives = new KeepAliveLedger();
  const model = new LinearModel();
  const reads = new Told(answeredQueries(history), ({ heard }) => heard.revision);
  const news = new Told(history.news, ({ revision }) => revision);
  for (const entry of past) model.apply(entry);
  for (const entry of log.entries) {
    const problem = model.apply(entry);
    if (problem !== null) return misfitAt(entry, problem);
    keepAlives.observe(entry);
    const misfit =
      commands.observe(entry, model) ??
      reads.check(entry.index, (read) => checkRead(entry, model, read)) ??
      news.check(entry.index, (each) => checkNews(entry, each));
    if (misfit !== null) return misfit;
  }
  for (const revision of [...reads.left(), ...news.left()]) {
    return { oracle: 'INV-12', message: `revision ${revision} was told, but never committed` };
  }
  return commands.checkAnswers() ?? keepAlives.check(history) ?? findWatchMisfit(history, log);
}

/** What was told, in the order of the entries that it is of. */
class Told<T> {
  private readonly items: readonly T[];
  private readonly revisionOf: (item: T) => Index;
  private next = 0;

  constructor(items: readonly T[], revisionOf: (item: T) => Index) {
    this.revisionOf = revisionOf;
    // Mostly in order already, and cheap to sort then.
    this.items = [...items].sort((left, right) => revisionOf(left) - revisionOf(right));
  }

  /** Checks all that is of this entry; entries must come in order. */
  check(index: Index, problemOf: (item: T) => Misfit | null): Misfit | null {
    for (;;) {
      const item = this.items[this.next];
      if (item === undefined || this.revisionOf(item) !== index) return null;
      this.next++;
      const misfit = problemOf(item);
      if (misfit !== null) return misfit;
    }
  }

  /** Revisions that no entry had. */
  left(): readonly Index[] {
    return this.items.slice(this.next).map(this.revisionOf);
  }
}

type Read = QueryOperation & { readonly heard: NonNullable<QueryOperation['heard']> };

function isAnswered(operation: Operation): operation is Read {
  if (operation.kind !== 'query' || operation.heard === null) return false;
  return operation.heard.content.kind !== 'refused';
}

function answeredQueries(history: ClientHistory): readonly Read[] {
  return history.operations.filter(isAnswered);
}

function checkRead(entry: CommittedEntry, model: LinearModel, read: Read): Misfit | null {
  const { client, query, sent, heard } = read;
  const problem =
    heard.revision < sent.floor
      ? `${sent.floor} had been told before it was asked`
      : readProblem(query, heard.content, model);
  return problem === null
    ? null
    : misfitAt(entry, `${client} was answered ${query.kind}: ${problem}`);
}

function checkNews(entry: CommittedEntry, { client, content }: NewsHeard): Misfit | null {
  const problem = newsProblem(content, entry);
  return problem === null
    ? null
    : misfitAt(entry, `${client} was told ${content.kind}: ${problem}`);
}

function misfitAt(entry: CommittedEntry, problem: string): Misfit {
  return { oracle: 'INV-12', message: `at revision ${entry.index}: ${problem}` };
}
