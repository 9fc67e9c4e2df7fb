// Measures what the oracles and the random scripts are worth: every planted bug must die, every
// harmless change must live.

import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { present } from '../../src/base/assert.ts';
import { BENIGN } from '../mutants/benign.ts';
import { CANARY } from '../mutants/canary.ts';
import { PLANTED, WAITING } from '../mutants/catalogue.ts';
import type { Mutant } from '../mutants/types.ts';
import { EXIT, U32, note, print, usage } from './command.ts';
import type { Command, Given } from './command.ts';
import { MATRIX_HEAD, matrixDocument, matrixLine, totals } from './matrix.ts';
import type { Matrix } from './matrix.ts';
import { huntAll } from './mutant-hunt.ts';
import type { HuntPlan, Hunted } from './mutant-hunt.ts';
import { MutantTrees } from './mutant-tree.ts';
import { repositoryRoot } from './places.ts';
import { Stopwatch } from './stopwatch.ts';

const RUNS = 1_000;
/** A harmless change gets one run where a bug gets so many: it needs all of them, every time. */
const BENIGN_SHARE = 10;
const JOBS_MAX = 64;

/** `mutants`: the kill matrix. */
export const mutantsCommand: Command = {
  name: 'mutants',
  usage: '[ID…] [--seed S] [--runs N] [--jobs N] [--no-shrink] [--bounds] [--write]',
  summary: 'Plants bugs and harmless changes, and lets the random campaign loose on each.',
  help: [
    '  ID…          only these, as M-03 or B-01 (or m-03); all without',
    '  --seed S     which random scripts, 0 to 2^32 - 1 (default 1)',
    `  --runs N     random runs for each bug (default ${RUNS}), a tenth for what is harmless`,
    '  --jobs N     programs at the same time (default: as many as there are processors)',
    '  --no-shrink  leaves scripts as they were found',
    '  --bounds     lets scripts as those of `bounds` loose on them; not with --write',
    '  --write      writes docs/mutants.md, when all were measured',
    '',
    'The exit code is 1 when a bug survives, a harmless change dies or the canary lives.',
  ],
  options: {
    seed: { type: 'string' },
    runs: { type: 'string' },
    jobs: { type: 'string' },
    'no-shrink': { type: 'boolean' },
    bounds: { type: 'boolean' },
    write: { type: 'boolean' },
  },
  run: runMutants,
};

async function runMutants(given: Given): Promise<number> {
  const mutants = chosen(given.files);
  if (given.has('write') && given.files.length > 0) throw usage('--write measures all mutants');
  const plan: HuntPlan = {
    seed: given.number('seed', 1, U32),
    runs: given.number('runs', RUNS, { least: 1, most: 1e9 }),
    jobs: given.number('jobs', availableParallelism(), { least: 1, most: JOBS_MAX }),
    shrinks: !given.has('no-shrink'),
    isAtBounds: given.has('bounds'),
  };
  if (given.has('write') && plan.isAtBounds) throw usage('--write measures with all scripts');
  if (given.has('write') && !plan.shrinks) throw usage('--write makes all scripts small');
  const watch = new Stopwatch();
  const trees = await MutantTrees.prepare();
  await trees.check(mutants);
  print(MATRIX_HEAD);
  const tell = (each: Hunted): void => print(matrixLine(each));
  const [harmless, harmful] = [true, false].map((isBenign) =>
    mutants.filter((mutant) => BENIGN.includes(mutant) === isBenign),
  );
  const fewer = { ...plan, runs: Math.ceil(plan.runs / BENIGN_SHARE) };
  const hunted = [
    ...(await huntAll(trees, harmless ?? [], fewer, tell)),
    ...(await huntAll(trees, harmful ?? [], plan, tell)),
  ];
  if (given.files.length === 0) await conclude(hunted, how(plan, watch), given.has('write'));
  return hunted.every(isAsItShouldBe) ? EXIT.kept : EXIT.violated;
}

function chosen(words: readonly string[]): readonly Mutant[] {
  const all = [...BENIGN, CANARY, ...PLANTED, ...WAITING];
  const wanted = words.map((word) => word.toLowerCase());
  const known = new Map(all.map((mutant) => [mutant.id.toLowerCase(), mutant]));
  const unknown = words.find((word) => !known.has(word.toLowerCase()));
  if (unknown !== undefined) {
    const ids = all.map(({ id }) => id).join(' ');
    throw usage(`there is no planted mutant "${unknown}"; there are ${ids}`);
  }
  return words.length === 0 ? all : all.filter(({ id }) => wanted.includes(id.toLowerCase()));
}

async function conclude(
  hunted: readonly Hunted[],
  text: string,
  mustWrite: boolean,
): Promise<void> {
  const those = (mutants: readonly Mutant[]): readonly Hunted[] =>
    hunted.filter(({ mutant }) => mutants.includes(mutant));
  const matrix: Matrix = {
    planted: those(PLANTED),
    benign: those(BENIGN),
    canary: present(those([CANARY])[0], 'the canary'),
    how: text,
  };
  print('', ...totals(matrix));
  if (!mustWrite) return;
  const file = join(repositoryRoot(), 'docs', 'mutants.md');
  await writeFile(file, matrixDocument(matrix));
  note(`wrote ${file}`);
}

function isAsItShouldBe({ mutant, killedBy, isVoid }: Hunted): boolean {
  return !isVoid && (killedBy === null) === BENIGN.includes(mutant);
}

function how({ seed, runs, jobs }: HuntPlan, watch: Stopwatch): string {
  const model = cpus()[0]?.model ?? 'an unknown processor';
  const seconds = Math.round(watch.elapsedMs / 1_000);
  return (
    `\`npm run sim -- mutants --seed ${seed} --runs ${runs} --jobs ${jobs}\` on ${model}, ` +
    `Node ${process.version}, in ${Math.floor(seconds / 60)} min ${seconds % 60} s`
  );
}
