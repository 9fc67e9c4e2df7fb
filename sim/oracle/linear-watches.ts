// Watches as nodes told them, against the log: what a watch begins at is not older than the
// question, and from there on it hears of every entry that concerns it, once and in order. That it
// cannot is only true of a node whose life began later.

import type { ClientHistory } from './history.ts';
import type { WatchOperation, WatchStart } from './history-watches.ts';
import type { Misfit } from './linear.ts';
import { isSameData } from './outcomes.ts';
import type { CommittedLog } from './types.ts';
import { eventsFor, nextRevision } from './watch-events.ts';

/** The first watch that does not fit; null if there is none. */
export function findWatchMisfit(history: ClientHistory, log: CommittedLog): Misfit | null {
  for (const watch of history.watches) {
    const { start } = watch;
    const problem = start === null ? silenceProblem(watch) : watchProblem(watch, start, log);
    if (problem === null) continue;
    const { client, target } = watch;
    const what = `the watch of ${client} at ${target.name ?? `${target.prefix}…`}`;
    return { oracle: 'INV-12', message: `${what}: ${problem}` };
  }
  return null;
}

function silenceProblem({ events }: WatchOperation): string | null {
  return events.length === 0 ? null : 'it was told of events before it had begun';
}

function watchProblem(watch: WatchOperation, start: WatchStart, log: CommittedLog): string | null {
  const problem = startProblem(watch, start);
  if (problem !== null) return problem;
  const { target, after, events, hasMore } = watch;
  // What lies between is complete too: the client goes on from what it asked for.
  let told = start.isComplete && after !== null ? Math.min(after, start.revision) : start.revision;
  for (const [at, { revision, content }] of events.entries()) {
    if (revision <= told) return `revision ${revision} came after ${told}`;
    const missed = nextRevision(log, target, { after: told, upTo: revision - 1 });
    if (missed !== null) return `it was told of ${revision}, and not of ${missed}`;
    const entry = log.at(revision);
    if (entry === undefined) return `revision ${revision} was told, but never committed`;
    const all = eventsFor(target, entry);
    const isPart = hasMore && at === events.length - 1;
    const expected = isPart ? all.slice(0, content.length) : all;
    if (!isSameData(content, expected)) {
      const said = `${JSON.stringify(content)} instead of ${JSON.stringify(all)}`;
      return `of ${revision} it was told ${said}`;
    }
    told = revision;
  }
  return null;
}

function startProblem({ after, sent }: WatchOperation, start: WatchStart): string | null {
  const { revision, isComplete, node, keptFrom } = start;
  const isFresh = after === null || !isComplete;
  if (isFresh && revision < sent.floor) {
    return `it began at ${revision}, and ${sent.floor} had been told before it was asked for`;
  }
  if (isComplete) {
    if (after === null || revision >= after) return null;
    return `it began at ${revision}, before what was asked for (${after})`;
  }
  if (after === null) return 'it missed something, and nothing was asked for';
  if (after < keptFrom) return null;
  return `${node} has all after ${keptFrom}, and does not tell what followed ${after}`;
}
