// DET-1 must be able to fail: what is not deterministic is found, and named by its first event.

import { describe, expect, test } from 'vitest';
import { shrink } from '../../sim/run/shrink.ts';
import { readTraceLines, traceLines } from '../../sim/run/trace-lines.ts';
import { describeParting, partingOf, twice } from '../../sim/run/twice.ts';
import type { RunResult, RunScript } from '../../sim/run/types.ts';
import { drawScript } from '../../sim/script/draw.ts';
import type { Script } from '../../sim/script/types.ts';
import { createWorld } from '../../sim/world/world.ts';
import { result } from './run-toys.ts';

// Taken before any guard: a module that looks at real time behind its back.
const realTime = process.hrtime;

/** Two processes that tick; with every operation of the script, one timer more. */
async function ticking(script: Script, orders: (names: string[]) => string[]): Promise<RunResult> {
  const world = createWorld({ seed: script.noise });
  for (const name of ['left', 'right']) {
    world
      .process({
        name,
        isSync: true,
        start: ({ clock }) => {
          const timers = script.ops.map(({ id }) => `timer ${id}`);
          for (const [at, timer] of orders(timers).entries()) {
            clock.after(1_000 * (at + 1) + timer.length, () => {});
          }
        },
      })
      .start();
  }
  await world.run(3_000_000);
  const processes = [...world.names];
  return result({ traceHash: world.traceHash(), trace: { trace: world.trace, processes } });
}

const steady: RunScript = (script) => ticking(script, (names) => names);

/** Orders by when each was seen, as a Map that is filled by real events would. */
const unsteady: RunScript = (script) => {
  return ticking(script, (names) => {
    const [, nanoseconds] = realTime();
    return names.length > 2 ? names.slice(nanoseconds % names.length) : names;
  });
};

/** Tries again where real time happened to be the same. */
async function violationOf(run: RunScript, script: Script): Promise<RunResult['violation']> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { violation } = await twice(run)(script);
    if (violation !== null) return violation;
  }
  return null;
}

describe('DET-1', () => {
  const script = drawScript(11);

  test('holds where nothing but the script decides', async () => {
    expect((await twice(steady)(script)).violation).toBeNull();
  });

  test('is broken by a look at real time, and the first event that differs is named', async () => {
    const violation = await violationOf(unsteady, script);
    expect(violation?.oracle).toBe('DET-1');
    expect(violation?.message).toMatch(/one has .*event \d+ at \d\.\d+ s: \w+ of (left|right)/);
    expect(violation?.message).toMatch(/the other has .*(event|ended)/);
  });

  test('is broken by other luck', async () => {
    let calls = 0;
    const other: RunScript = (each) => steady({ ...each, ops: each.ops.slice(calls++ % 2) });
    const { violation } = await twice(other)(script);
    expect(violation?.oracle).toBe('DET-1');
    expect(violation?.message).toContain('one has event');
  });

  test('shrinks like every other promise', async () => {
    const violation = await violationOf(unsteady, script);
    if (violation === null) throw new Error('not broken');
    const small = await shrink(script, violation, twice(unsteady));
    expect(small.script.faults.length).toBeLessThan(script.faults.length);
    expect(small.script.ops.length).toBeLessThan(script.ops.length);
  });
});

test('a trace comes back from its lines, with its names', async () => {
  const { trace } = await steady(drawScript(5), { trace: true });
  if (trace === null) throw new Error('no trace');
  const read = readTraceLines(traceLines(trace));
  expect(read.trace.hash()).toBe(trace.trace.hash());
  expect(read.processes).toEqual(['left', 'right']);
  expect(partingOf(trace, read)).toBeNull();
});

test('a trace that ends before the other is said to have ended', async () => {
  const script = drawScript(5);
  const long = await steady(script, { trace: true });
  if (long.trace === null) throw new Error('no trace');
  const lines = traceLines(long.trace);
  const parting = partingOf(long.trace, readTraceLines(lines.slice(0, -1)));
  expect(describeParting(parting)).toEqual([
    expect.stringContaining(`one has event ${lines.length} at `),
    'the other has ended',
  ]);
});
