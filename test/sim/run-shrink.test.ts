// Shrinking, with promises that are broken by what a toy says instead of a whole run.

import { describe, expect, test } from 'vitest';
import type { OracleName } from '../../sim/oracle/verdict.ts';
import { reduceList } from '../../sim/run/reduce-list.ts';
import { SHRINK_BUDGET, shrink } from '../../sim/run/shrink.ts';
import { drawScript } from '../../sim/script/draw.ts';
import { CLOCKS, KNOBS, NET } from '../../sim/script/ranges.ts';
import type { Fault, Op, Script } from '../../sim/script/types.ts';
import { KeyedRandom } from '../../sim/world/random.ts';
import { fault, op, toyRun, violationOf } from './run-toys.ts';

/** A drawn script with these faults and operations among its own. */
function among(seed: number, faults: readonly Fault[], ops: readonly Op[]): Script {
  const script = drawScript(seed);
  return {
    ...script,
    horizonMs: 9_000,
    faults: [...script.faults.slice(0, 20), ...faults],
    ops: [...script.ops.slice(0, 60), ...ops],
  };
}

async function shrunk(script: Script, breaks: (script: Script) => OracleName | null) {
  const run = toyRun(breaks);
  const { violation } = await run(script);
  if (violation === null) throw new Error('the script keeps its promises');
  return shrink(script, violation, run, SHRINK_BUDGET);
}

const hasCrash = ({ faults }: Script): boolean =>
  faults.some(({ kind, arg }) => kind === 'crash' && arg >= 700);
const hasBreak = ({ ops }: Script): boolean =>
  ops.some(({ kind, holdMs }) => kind === 'break' && holdMs > 40_000);

describe('what is left', () => {
  const crash = fault({ kind: 'crash', atMs: 1_234, arg: 812 });
  const breaking = op({ id: 900, kind: 'break', atMs: 1_877, holdMs: 51_000 });

  test.each([1, 2, 3, 4, 5])(
    'is what the violation needs, within the budget (seed %i)',
    async (seed) => {
      const script = among(seed, [crash], [breaking]);
      const small = await shrunk(script, (each) =>
        hasCrash(each) && hasBreak(each) ? 'INV-17' : null,
      );
      expect(small.script.faults.length).toBe(1);
      expect(small.script.ops.length).toBe(1);
      expect(small.runs).toBeLessThanOrEqual(SHRINK_BUDGET.runs);
    },
  );

  test('has default settings, one node, one client and one key where these do not matter', async () => {
    const { script } = await shrunk(among(7, [crash], []), (each) =>
      hasCrash(each) ? 'INV-1' : null,
    );
    expect(script.shape).toEqual({ nodes: 1, clients: 1, keys: 1 });
    for (const [name, value] of Object.entries(script.net)) {
      const choices = Object.entries(NET).find(([key]) => key === name)?.[1] ?? [false];
      expect(value).toBe(choices[0]);
    }
    expect(Object.values(script.knobs)).toEqual(Object.values(KNOBS).map(([first]) => first));
    expect(script.clocks).toEqual({
      bound: 'within',
      driftPpm: [],
      latenessUs: CLOCKS.latenessUs[0],
      earlyUs: CLOCKS.earlyUs[0],
    });
  });

  test('keeps the one setting that matters', async () => {
    const script = among(3, [], []);
    const knobs = { ...script.knobs, window: 4, appendBytes: 300 };
    const small = await shrunk({ ...script, knobs }, (each) =>
      each.knobs.window === 4 ? 'INV-14' : null,
    );
    expect(small.script.knobs).toEqual({
      ...small.script.knobs,
      window: 4,
      appendBytes: KNOBS.appendBytes[0],
    });
  });

  test('ends where the promise was broken', async () => {
    const { script } = await shrunk(among(2, [crash], []), (each) =>
      hasCrash(each) && each.horizonMs > 1_234 ? 'INV-1' : null,
    );
    expect(script.horizonMs).toBeLessThan((1_235 * 4) / 3);
  });

  test('happens at round times', async () => {
    const { script } = await shrunk(among(2, [crash], []), (each) =>
      each.faults.some(({ kind, atMs }) => kind === 'crash' && atMs >= 1_150) ? 'INV-1' : null,
    );
    expect(script.faults.map(({ atMs, target, forMs }) => [atMs, target, forMs])).toEqual([
      [1_200, 0, 0],
    ]);
  });
});

test('a script that breaks another promise is not a smaller one', async () => {
  const crash = fault({ kind: 'crash', atMs: 500, arg: 900 });
  const { script, violation } = await shrunk(among(4, [crash], []), (each) =>
    each.ops.length >= 10 && hasCrash(each) ? 'INV-1' : 'INV-2',
  );
  expect(violation.oracle).toBe('INV-1');
  expect(script.ops.length).toBe(10);
});

describe('a bug that shows by chance', () => {
  const crash = fault({ kind: 'crash', atMs: 1_234, arg: 812 });

  /** Needs a crash and a few operations, and a luck that any other script changes: one in four. */
  const isUnlucky = (script: Script): boolean => {
    const { faults, ops, noise } = script;
    if (!hasCrash(script) || ops.length < 3) return false;
    const random = new KeyedRandom(noise);
    const ids = ops.map(({ id }) => id);
    return random.below(4, 'luck', faults.length, ...ids.slice(0, 8)) === 0;
  };
  const unlucky = (seed: number): Script => {
    const script = among(seed, [crash], []);
    const noise = Array.from({ length: 100 }, (_, at) => at).find((each) =>
      isUnlucky({ ...script, noise: each }),
    );
    if (noise === undefined) throw new Error('no luck is bad');
    return { ...script, noise };
  };

  // Which script a seed draws changes with every scene: no single one need become so small.
  test('becomes small with other luck, nine times of ten', async () => {
    let small = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const { script } = await shrunk(unlucky(seed), (each) => (isUnlucky(each) ? 'INV-4' : null));
      expect(isUnlucky(script)).toBe(true);
      if (script.faults.length <= 4 && script.ops.length <= 6) small++;
    }
    expect(small).toBeGreaterThanOrEqual(36);
  });

  test('is found on one node first where it always shows there', async () => {
    const { script, runs } = await shrunk(unlucky(2), (each) =>
      each.shape.nodes === 1 || isUnlucky(each) ? 'INV-6' : null,
    );
    expect([script.shape.nodes, script.faults, script.ops]).toEqual([1, [], []]);
    expect(runs).toBeLessThanOrEqual(20);
  });

  test('DET-1 becomes the same script in the same runs every time', async () => {
    const observed = async (): Promise<readonly string[]> => {
      const seen: string[] = [];
      const { script } = await shrunk(unlucky(3), (each) => {
        seen.push(JSON.stringify(each));
        return isUnlucky(each) ? 'INV-4' : null;
      });
      return [...seen, JSON.stringify(script)];
    };
    expect(await observed()).toEqual(await observed());
  });
});

test('a bug that always shows is found to need nothing in a few runs', async () => {
  const { script, runs } = await shrunk(among(6, [], []), () => 'INV-8');
  expect([script.faults, script.ops, script.horizonMs]).toEqual([[], [], 0]);
  expect(runs).toBeLessThanOrEqual(10);
});

test('no run is made beyond the budget, nor twice for the same script', async () => {
  const seen: string[] = [];
  const run = toyRun((script) => {
    seen.push(JSON.stringify(script));
    return script.ops.length > 3 ? 'LIV-1' : null;
  });
  const { runs } = await shrink(among(5, [], []), violationOf('LIV-1'), run, { runs: 25, ms: 1e6 });
  expect(runs).toBe(25);
  expect(seen.length).toBe(25);
  expect(new Set(seen).size).toBe(25);
});

test('a list is reduced to what is needed, in its order, with few questions', async () => {
  const list = Array.from({ length: 64 }, (_, at) => at);
  let questions = 0;
  const needed = [3, 40, 41];
  const accepts = (rest: readonly number[]): Promise<boolean> => {
    questions++;
    return Promise.resolve(needed.every((each) => rest.includes(each)));
  };
  expect(await reduceList(list, accepts)).toEqual(needed);
  expect(questions).toBeLessThan(40);
});
