import { describe, expect, test } from 'vitest';
import { describeScript } from '../../sim/script/describe.ts';
import { drawScript } from '../../sim/script/draw.ts';
import { CLOCKS, KNOBS, NET, NO_PAST } from '../../sim/script/ranges.ts';
import { FAULT_KINDS, OP_KINDS } from '../../sim/script/types.ts';
import type { Fault, Op, Script } from '../../sim/script/types.ts';

const PLAIN: Script = {
  horizonMs: 5_000,
  faults: [],
  ops: [],
  shape: { nodes: 3, clients: 2, keys: 1 },
  past: NO_PAST,
  knobs: {
    electionMs: KNOBS.electionMs[0],
    heartbeatMs: KNOBS.heartbeatMs[0],
    ttlMs: KNOBS.ttlMs[0],
    marginMs: KNOBS.marginMs[0],
    lockDelayMs: KNOBS.lockDelayMs[0],
    requestMs: KNOBS.requestMs[0],
    appendBytes: KNOBS.appendBytes[0],
    inflightAppends: KNOBS.inflightAppends[0],
    uncommittedBytes: KNOBS.uncommittedBytes[0],
    persistBytes: KNOBS.persistBytes[0],
    tailBytes: KNOBS.tailBytes[0],
    window: KNOBS.window[0],
    holdings: KNOBS.holdings[0],
    watchEvents: KNOBS.watchEvents[0],
    threads: KNOBS.threads[0],
    checkpointRows: 0,
    trailingEntries: 0,
    partBytes: 0,
    scrubMs: 0,
  },
  net: {
    latencyUs: NET.latencyUs[0],
    jitterUs: NET.jitterUs[0],
    tailOneIn: NET.tailOneIn[0],
    lossPerMille: NET.lossPerMille[0],
    duplicatePerMille: NET.duplicatePerMille[0],
    reorderPerMille: NET.reorderPerMille[0],
    shuffleTies: false,
  },
  clocks: {
    bound: 'within',
    driftPpm: [],
    latenessUs: CLOCKS.latenessUs[0],
    earlyUs: CLOCKS.earlyUs[0],
  },
  hasHoles: false,
  noise: 9,
};

function fault(kind: Fault['kind'], given: Partial<Fault> = {}): Fault {
  return { kind, target: 0, atMs: 1_200, forMs: 900, arg: 0, ...given };
}

function op(given: Partial<Op> = {}): Op {
  return { id: 1, client: 0, kind: 'acquire', key: 0, atMs: 1_310, holdMs: 300, arg: 0, ...given };
}

describe('scripts as prose', () => {
  test('a small one is told in the order of time, without what is as usual', () => {
    const faults = [fault('isolate', { target: 1 }), fault('crash', { atMs: 1_315, arg: 1 })];
    const violation = { oracle: 'INV-17', message: 'two believe.', atUs: 2_340_500 } as const;
    expect(describeScript({ ...PLAIN, faults, ops: [op()] }, violation)).toEqual([
      '3 nodes, 2 clients, 1 lock; luck 9',
      'at 1.20 s n1 is cut off from the other nodes for 900 ms',
      'at 1.31 s c1 asks for k1 and holds it for 300 ms',
      'at 1.315 s the leader crashes during a write for 900 ms',
      'at 2.341 s INV-17 is broken: two believe.',
    ]);
  });

  test('only what differs from the defaults is mentioned, clocks by name', () => {
    const script: Script = {
      ...PLAIN,
      knobs: { ...PLAIN.knobs, marginMs: 0 },
      clocks: { ...PLAIN.clocks, driftPpm: [10_000, 0, 0, -400_000] },
      net: { ...PLAIN.net, shuffleTies: true },
    };
    expect(describeScript(script, null)[1]).toBe(
      'with marginMs 0, what is simultaneous runs in a drawn order, the clock of n1 at +1 %, ' +
        'the clock of c1 at −1 %',
    );
  });

  test('names wrap around as what they name does', () => {
    const faults = [fault('cutPair', { target: 5, arg: 3 }), fault('clientPause', { target: 3 })];
    const text = describeScript({ ...PLAIN, faults, ops: [op({ client: 2, key: 5 })] }, null);
    expect(text.join('\n')).toContain('n2 and n3 are cut off from each other');
    expect(text.join('\n')).toContain('c2 stands still for 900 ms');
    expect(text.join('\n')).toContain('c1 asks for k1');
  });

  test('every kind has words of its own', () => {
    const faults = FAULT_KINDS.map((kind, at) => fault(kind, { target: 2, atMs: at * 20 }));
    const ops = OP_KINDS.map((kind, at) => op({ kind, atMs: 2_000 + at * 20 }));
    const scripts = [
      ...faults.map((each) => ({ ...PLAIN, faults: [each] })),
      ...ops.map((each) => ({ ...PLAIN, ops: [each] })),
    ];
    const lines = scripts.map((script) => describeScript(script, null)[1]?.slice(10));
    // A client that sleeps within the bound of clocks stands still, by design.
    expect(new Set(lines).size).toBeGreaterThanOrEqual(lines.length - 6);
    expect(lines.join('\n')).not.toMatch(/undefined|NaN/);
  });

  test('even a large one fits on a page', () => {
    for (let seed = 0; seed < 200; seed++) {
      const script = drawScript(seed);
      const lines = describeScript(script, null);
      expect(lines.length).toBeLessThanOrEqual(40);
      const told = script.ops.filter((each) => each.atMs <= script.horizonMs);
      const clauses = lines.join('; ').split('; ');
      expect(clauses.length).toBeGreaterThanOrEqual(told.length);
    }
  });
});
