import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptArbitrary } from '../../sim/script/arbitraries.ts';
import { readScript } from '../../sim/script/check.ts';
import { clientClock, clientOptions, clusterOptions } from '../../sim/script/cluster-options.ts';
import { drawScript } from '../../sim/script/draw.ts';
import { FAULT_KINDS, OP_KINDS } from '../../sim/script/types.ts';
import type { Fault, Script } from '../../sim/script/types.ts';
import { checkOptions } from '../../src/client/options.ts';

const DRAWN = Array.from({ length: 1_000 }, (_, seed) => drawScript(seed));

function share(holds: (script: Script) => boolean): number {
  return DRAWN.filter(holds).length / DRAWN.length;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1] ?? NaN;
}

function isBurst(faults: readonly Fault[]): boolean {
  return faults.some((fault, at) => fault.atMs - (faults[at - 1]?.atMs ?? -Infinity) <= 50);
}

describe('scripts that are drawn', () => {
  test('DET-1 the same seed draws the same script, another seed another one', () => {
    expect(drawScript(7)).toEqual(drawScript(7));
    expect(new Set(DRAWN.map((script) => JSON.stringify(script))).size).toBe(DRAWN.length);
  });

  test('each is a value that fast-check can shrink without having drawn it', () => {
    const scripts = scriptArbitrary();
    expect(DRAWN.every((script) => scripts.canShrinkWithoutContext(script))).toBe(true);
  });

  test('every kind of fault and operation comes up, and none is in most runs but acquire', () => {
    for (const kind of FAULT_KINDS) {
      const part = share(({ faults }) => faults.some((fault) => fault.kind === kind));
      expect(part, kind).toBeGreaterThan(0.01);
      expect(part, kind).toBeLessThan(0.6);
    }
    for (const kind of OP_KINDS) {
      expect(
        share(({ ops }) => ops.some((op) => op.kind === kind)),
        kind,
      ).toBeGreaterThan(0.1);
    }
    expect(share(({ ops }) => ops.some(({ kind }) => kind === 'break'))).toBeLessThan(0.7);
  });

  test('they are quick runs, whose clients and faults meet', () => {
    expect(DRAWN.every(({ horizonMs }) => horizonMs >= 2_000 && horizonMs <= 5_000)).toBe(true);
    expect(median(DRAWN.map(({ horizonMs }) => horizonMs))).toBeLessThan(3_500);
    expect(median(DRAWN.map(({ ops }) => ops.length))).toBeGreaterThanOrEqual(40);
    expect(median(DRAWN.map(({ faults }) => faults.length))).toBeGreaterThanOrEqual(3);
    expect(share(({ faults }) => isBurst(faults))).toBeGreaterThan(0.3);
    expect(share(({ shape }) => shape.nodes === 3)).toBeGreaterThan(0.8);
  });

  test('INV-17 M-60 the tightest case is common: clocks at the bound and no margin', () => {
    const isTight = ({ clocks, knobs, shape }: Script): boolean =>
      knobs.marginMs === 0 &&
      clocks.driftPpm[0] === 10_000 &&
      clocks.driftPpm[shape.nodes] === -10_000;
    expect(share(isTight)).toBeGreaterThan(0.05);
    expect(share(({ clocks }) => clocks.bound === 'beyond')).toBeLessThan(0.12);
  });

  test('every extreme of every knob comes up', () => {
    const { knobs: defaults } = DRAWN[0] ?? drawScript(0);
    for (const knob of Object.keys(defaults)) {
      const values = DRAWN.map(({ knobs }) => new Map(Object.entries(knobs)).get(knob));
      expect(new Set(values).size, knob).toBeGreaterThanOrEqual(3);
    }
  });

  test('no cluster refuses its settings, and no client its options', () => {
    for (const script of DRAWN.slice(0, 200)) {
      const { settings } = clusterOptions(script);
      expect((settings?.heartbeatMs ?? 0) * 10).toBeLessThanOrEqual(settings?.electionMs ?? 0);
      expect(() => checkOptions({ nodes: ['n1:1'], ...clientOptions(script) })).not.toThrow();
    }
  });

  test('LIV-2 no network is so slow by itself that a leader looks dead', () => {
    const script = drawScript(1);
    const tailOf = (jitterUs: number): number | undefined => {
      const net = { ...script.net, latencyUs: 150, jitterUs, tailOneIn: 100 };
      const knobs = { ...script.knobs, electionMs: 250 };
      return clusterOptions({ ...script, net, knobs }).network?.tailOneIn;
    };
    expect([tailOf(50), tailOf(5_000)]).toEqual([100, 0]);
  });

  test('INV-17 within the bound no clock leaves it, whatever the script says', () => {
    const script = drawScript(1);
    const clocks = { ...script.clocks, driftPpm: Array.from({ length: 9 }, () => -400_000) };
    const within: Script = { ...script, clocks: { ...clocks, bound: 'within' } };
    const beyond: Script = { ...script, clocks: { ...clocks, bound: 'beyond' } };
    expect(clusterOptions(within).clocks?.['n1']?.driftPpm).toBe(-10_000);
    expect(clientClock(within, 1).driftPpm).toBe(-10_000);
    expect(clientClock(beyond, 1).driftPpm).toBe(-400_000);
  });
});

describe('scripts that shrink', () => {
  test('one from a file loses what does not matter, without having been drawn', () => {
    const isFailing = ({ faults, ops }: Script): boolean =>
      faults.some(({ kind, forMs }) => kind === 'pause' && forMs >= 100) &&
      ops.some(({ kind }) => kind === 'acquireAll');
    const saved = readScript(JSON.parse(JSON.stringify(DRAWN.find(isFailing))));
    const result = fc.check(
      fc.property(scriptArbitrary(), (script) => !isFailing(script)),
      { seed: 1, numRuns: 1, examples: [[saved]] },
    );
    const [shrunk] = result.counterexample ?? [];
    expect(shrunk?.faults).toEqual([{ kind: 'pause', target: 0, atMs: 0, forMs: 100, arg: 0 }]);
    expect(shrunk?.ops).toMatchObject([{ kind: 'acquireAll', client: 0, key: 0, holdMs: 0 }]);
    expect(shrunk).toMatchObject({ horizonMs: 0, hasHoles: false, noise: saved.noise });
    expect(shrunk?.shape).toEqual({ nodes: 3, clients: 1, keys: 1 });
    expect(shrunk?.knobs.electionMs).toBe(500);
  });
});

describe('scripts from files', () => {
  test('what was written is read, and what is wrong is named with what came', () => {
    const script = drawScript(3);
    const json = (change: object): unknown => JSON.parse(JSON.stringify({ ...script, ...change }));
    expect(readScript(json({}))).toEqual(script);
    const fault = { kind: 'meteor', target: 0, atMs: 0, forMs: 0, arg: 0 };
    const refusals: readonly (readonly [unknown, RegExp])[] = [
      [null, /INVALID: script must be an object \(got null\)$/],
      [json({ noise: -1 }), /script\.noise must be a whole number from 0 .* \(got -1/],
      [json({ faults: 'none' }), /script\.faults must be a list \(got/],
      [json({ faults: [fault] }), /script\.faults\[0\]\.kind must be one of crash, .*meteor/],
      [json({ hasHoles: 'no' }), /script\.hasHoles must be true or false/],
      [json({ shape: { nodes: 4, clients: 2, keys: 1 } }), /script\.shape\.nodes must be one of/],
      [json({ extra: 1 }), /script\.extra must be absent/],
      [json({ net: undefined }), /script\.net must be an object \(got/],
    ];
    for (const [value, message] of refusals) expect(() => readScript(value)).toThrow(message);
  });
});
