// Scripts whose cluster was made of a backup.

import { describe, expect, test } from 'vitest';
import { createRunner } from '../../sim/run/run.ts';
import { readScript } from '../../sim/script/check.ts';
import { describeScript } from '../../sim/script/describe.ts';
import { drawScript } from '../../sim/script/draw.ts';
import { NO_PAST } from '../../sim/script/ranges.ts';
import type { Op, Past } from '../../sim/script/types.ts';
import { scriptOf } from './workload-run.ts';

const OPS: readonly Op[] = [
  { id: 1, client: 0, kind: 'tryAcquire', key: 0, atMs: 800, holdMs: 10, arg: 0 },
  { id: 2, client: 1, kind: 'acquire', key: 1, atMs: 800, holdMs: 10, arg: 0 },
];

function pastScript(past: Past): ReturnType<typeof scriptOf> {
  return scriptOf({ horizonMs: 2_500, ops: OPS, past });
}

describe('a script with a past', () => {
  test('J2 INV-16 INV-17 runs under the embargo of a restore, and grants when it is over', async () => {
    const past = { restores: 2, deadMs: 0, raisedMs: 2_000 } as const;
    const { violation, probes, grants } = await createRunner()(pastScript(past));
    expect(violation).toBeNull();
    for (const id of ['embargo-refuses-who-does-not-wait', 'waiter-granted-by-lifting'] as const) {
      expect(probes.has(id), id).toBe(true);
    }
    expect(grants).toBe(1);
  });

  test('J2 grants at once where all are long dead', async () => {
    const past = { restores: 1, deadMs: 60_000, raisedMs: 0 } as const;
    const { violation, probes, grants } = await createRunner()(pastScript(past));
    expect(violation).toBeNull();
    expect(probes.has('embargo-refuses-who-does-not-wait')).toBe(false);
    expect(grants).toBe(2);
  });

  test('DET-1 is the same run whether or not its past was lived before', async () => {
    const script = pastScript({ restores: 1, deadMs: 500, raisedMs: 0 });
    const run = createRunner();
    const [first, second] = [await run(script), await run(script)];
    expect(second.traceHash).toBe(first.traceHash);
    expect(second.probes).toEqual(first.probes);
    expect(first.probes.has('restored-under-embargo')).toBe(true);
  });

  test('comes up among those that are drawn, is told, and older files have none', () => {
    const scripts = Array.from({ length: 500 }, (_, seed) => drawScript(seed));
    const restored = scripts.filter(({ past }) => past.restores > 0);
    expect(restored.length).toBeGreaterThan(25);
    expect(restored.length).toBeLessThan(100);
    const [one = scriptOf({})] = restored;
    expect(describeScript(one, null).join()).toContain('made of a backup');
    const { past, ...old } = one;
    expect(readScript(JSON.parse(JSON.stringify(old))).past).toEqual(NO_PAST);
    expect(readScript(JSON.parse(JSON.stringify(one))).past).toEqual(past);
  });
});
