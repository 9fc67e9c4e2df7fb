// A process that runs scripts for a campaign, one after the other, as they come.

import { attempting } from './attempt.ts';
import { EXIT, usage } from './command.ts';
import type { Command } from './command.ts';
import { Novelty } from './novelty.ts';
import { isTask } from './protocol.ts';
import type { FoundFailure, Report, Stage, Task } from './protocol.ts';
import { reportPage } from './report-page.ts';
import { createRunner } from './run.ts';
import { replayOf } from './script-files.ts';
import { shrink } from './shrink.ts';
import { Stopwatch } from './stopwatch.ts';
import { scriptOf } from './task-script.ts';
import { twice } from './twice.ts';
import type { RunResult, RunScript } from './types.ts';

/** `worker`: started by campaigns only. */
export const workerCommand: Command = {
  name: 'worker',
  usage: '',
  summary: 'Runs scripts for a campaign, which starts it; of no use by hand.',
  help: [],
  options: {},
  run: work,
};

async function work(): Promise<number> {
  if (process.send === undefined) throw usage('worker is started by `run`, with a channel to it');
  const run = attempting(createRunner());
  const novelty = new Novelty();
  // Who interrupts a campaign interrupts its workers as well: it is the campaign that ends them.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  // Runs must not overlap: all tasks wait in one line.
  let line = Promise.resolve();
  process.on('message', (message) => {
    if (!isTask(message)) return;
    line = line.then(async () => {
      const report = await perform(message, run, novelty);
      process.send?.(report);
    });
  });
  await new Promise<void>((resolve) => process.once('disconnect', resolve));
  // Whatever still runs, nobody wants to know of it any more.
  process.exit(EXIT.kept);
}

/** Runs the script of a task, and shrinks it if it breaks a promise. */
async function perform(task: Task, once: RunScript, novelty: Novelty): Promise<Report> {
  const script = scriptOf(task);
  const run = task.isTwice ? twice(once) : once;
  await announce({ kind: 'stage', number: task.number, found: null });
  const watch = new Stopwatch();
  const result = await run(script);
  const { workMs } = watch;
  const executions = task.isTwice ? 2 : 1;
  const probes = [...result.probes.keys()];
  const { leaderChanges, expiries, grants, handOvers } = result;
  return {
    number: task.number,
    events: result.events * executions,
    virtualUs: result.virtualUs * executions,
    workMs,
    leaderChanges,
    expiries,
    grants,
    handOvers,
    probes,
    rare: novelty.isNew(probes) ? script : null,
    failure: await failureOf(task, result, { once, run }),
  };
}

/** Looks at determinism while shrinking only if that was what broke. */
async function failureOf(
  task: Task,
  { violation }: RunResult,
  { once, run }: { readonly once: RunScript; readonly run: RunScript },
): Promise<FoundFailure | null> {
  if (violation === null) return null;
  const script = scriptOf(task);
  const from = { faults: script.faults.length, ops: script.ops.length };
  const found = { script, violation, shrinkRuns: 0, from, page: null };
  await announce({ kind: 'stage', number: task.number, found });
  const isDeterminism = violation.oracle.startsWith('DET-');
  const shrunk = await shrink(script, violation, isDeterminism ? run : once);
  const page = await reportPage(shrunk.script, once, replayOf(shrunk));
  return { ...shrunk, shrinkRuns: shrunk.runs, from, page };
}

/** Resolves when it is under way: a run that never ends must not keep it back. */
async function announce(stage: Stage): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(stage, () => resolve()));
}
