// Linearizability by certificate (SIMULATOR.md §4.13): every answer names the entry that it is of,
// so the order is not searched for but checked. 1. It must fit real time: what was asked for after
// something was heard comes after it. 2. It must fit the log: the same answers follow when the
// entries are replayed in their order. An order that fits is a proof, whoever proposed it.

import type { Index } from '../../src/base/units.ts';
import type { ClientHistory } from './history.ts';
import type { NewsHeard, QueryOperation } from './history-types.ts';
import { CommandLedger } from './linear-commands.ts';
import { KeepAliveLedger } from './linear-keep-alives.ts';
import { LinearModel } from './linear-model.ts';
import { newsProblem, readProblem } from './linear-reads.ts';
import type { CommittedEntry, CommittedLog } from './types.ts';
import type { OracleName } from './verdict.ts';

/** Why a history does not fit its log, and which promise that breaks. */
export interface Misfit {
  readonly oracle: OracleName;
  readonly message: string;
}

/** The first of them; null if there is none, which proves that the history is linearizable. */
export function findMisfit(history: ClientHistory, log: CommittedLog): Misfit | null {
  const commands = new CommandLedger(history, log);
  const keepAlives = new KeepAliveLedger();
  const model = new LinearModel();
  const reads = byRevision(queriesOf(history));
  const news = byRevision(history.news.map((each) => ({ revision: each.revision, each })));
  for (const entry of log.entries) {
    const problem = model.apply(entry);
    if (problem !== null) return misfitAt(entry, problem);
    keepAlives.observe(entry);
    const misfit =
      commands.observe(entry, model) ??
      checkReads(entry, model, reads.get(entry.index)) ??
      checkNews(entry, news.get(entry.index));
    if (misfit !== null) return misfit;
    reads.delete(entry.index);
    news.delete(entry.index);
  }
  for (const revision of [...reads.keys(), ...news.keys()]) {
    return { oracle: 'INV-12', message: `revision ${revision} was told, but never committed` };
  }
  return commands.checkAnswers() ?? keepAlives.check(history);
}

type Read = QueryOperation & { readonly heard: NonNullable<QueryOperation['heard']> };

function queriesOf(history: ClientHistory): { revision: Index; each: Read }[] {
  const answered: { revision: Index; each: Read }[] = [];
  for (const operation of history.operations) {
    if (operation.kind !== 'query' || operation.heard === null) continue;
    const { heard } = operation;
    if (heard.content.kind === 'refused') continue;
    answered.push({ revision: heard.revision, each: { ...operation, heard } });
  }
  return answered;
}

function byRevision<T>(items: readonly { revision: Index; each: T }[]): Map<Index, T[]> {
  const map = new Map<Index, T[]>();
  for (const { revision, each } of items) {
    const others = map.get(revision);
    if (others === undefined) map.set(revision, [each]);
    else others.push(each);
  }
  return map;
}

function checkReads(
  entry: CommittedEntry,
  model: LinearModel,
  reads: readonly Read[] | undefined,
): Misfit | null {
  for (const { client, query, sent, heard } of reads ?? []) {
    const problem =
      heard.revision < sent.floor
        ? `${sent.floor} had been told before it was asked`
        : readProblem(query, heard.content, model);
    if (problem !== null)
      return misfitAt(entry, `${client} was answered ${query.kind}: ${problem}`);
  }
  return null;
}

function checkNews(entry: CommittedEntry, news: readonly NewsHeard[] | undefined): Misfit | null {
  for (const { client, content } of news ?? []) {
    const problem = newsProblem(content, entry);
    if (problem !== null) return misfitAt(entry, `${client} was told ${content.kind}: ${problem}`);
  }
  return null;
}

function misfitAt(entry: CommittedEntry, problem: string): Misfit {
  return { oracle: 'INV-12', message: `at revision ${entry.index}: ${problem}` };
}
