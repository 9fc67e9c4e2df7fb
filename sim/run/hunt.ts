// Looks for one violation and makes it small: how the catalogue of planted bugs measures each.

import { DISTRIBUTIONS } from '../script/distributions.ts';
import { KeyedRandom } from '../world/random.ts';
import { attempting } from './attempt.ts';
import { EXIT, U32, print } from './command.ts';
import type { Command, Given } from './command.ts';
import { createRunner } from './run.ts';
import { scriptSeed } from './script-seed.ts';
import { shrink } from './shrink.ts';
import type { Shrunk } from './shrink.ts';

/** `hunt`: one line of JSON, made for programs. */
export const huntCommand: Command = {
  name: 'hunt',
  usage: '[--seed S] [--runs N] [--shrink] [--bounds]',
  summary: 'Runs random scripts until one breaks a promise; prints one line of JSON.',
  help: [
    '  --seed S   which random scripts, 0 to 2^32 - 1 (default 1)',
    '  --runs N   at most so many (default 1000)',
    '  --shrink   makes the script small before it is printed',
    '  --bounds   scripts as those of `bounds`',
    '',
    '{killedBy, runs, message, shrunk: {faults, ops, runs}, script}; killedBy is the promise that',
    'was broken, or null. The exit code is 0 either way.',
  ],
  options: {
    seed: { type: 'string' },
    runs: { type: 'string' },
    shrink: { type: 'boolean' },
    bounds: { type: 'boolean' },
  },
  run: hunt,
};

async function hunt(given: Given): Promise<number> {
  given.noFiles();
  const random = new KeyedRandom(given.number('seed', 1, U32));
  const runs = given.number('runs', 1_000, { least: 1, most: 1e9 });
  const draw = DISTRIBUTIONS[given.has('bounds') ? 'bounds' : 'wide'];
  const run = attempting(createRunner());
  for (let number = 1; number <= runs; number++) {
    const script = draw(scriptSeed(random, number));
    const { violation } = await run(script);
    if (violation === null) continue;
    const unshrunk: Shrunk = { script, violation, runs: 0 };
    const found = given.has('shrink') ? await shrink(script, violation, run) : unshrunk;
    print(report(number, found));
    return EXIT.kept;
  }
  print(JSON.stringify({ killedBy: null, runs, message: null, shrunk: null, script: null }));
  return EXIT.kept;
}

function report(runs: number, { script, violation, runs: shrinkRuns }: Shrunk): string {
  const { oracle: killedBy, message } = violation;
  const shrunk = { faults: script.faults.length, ops: script.ops.length, runs: shrinkRuns };
  return JSON.stringify({ killedBy, runs, message, shrunk, script });
}
