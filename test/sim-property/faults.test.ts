import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulate } from '../../sim/api/simulate.ts';
import type { World } from '../../sim/api/types.ts';
import { faults } from '../../sim/property/index.ts';
import { WORLD_FAULT_KINDS } from '../../sim/property/world-fault.ts';
import type { WorldFault, WorldFaultKind } from '../../sim/property/world-fault.ts';
import { addUp } from './workers.ts';

function drawn(options = {}): readonly (readonly WorldFault[])[] {
  return fc.sample(faults(options), { seed: 5, numRuns: 1_000 });
}

describe('faults as a fast-check value', () => {
  test('are drawn alike for the same seed, and every kind comes up', () => {
    const lists = drawn();
    expect(drawn()).toEqual(lists);
    const kinds = new Set(lists.flat().map(({ kind }) => kind));
    expect(WORLD_FAULT_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
    expect(Math.max(...lists.map(({ length }) => length))).toBeLessThanOrEqual(4);
  });

  test('INV-17 a holder who is silent for longer than its lease is in most of them', () => {
    const silent = drawn({ ttlMs: 3_000 }).filter((list) =>
      list.some(({ target, forMs }) => target === 'holder' && forMs > 3_000),
    );
    expect(silent.length).toBeGreaterThan(500);
  });

  test('shrink without having been drawn, and keep to what was asked for', () => {
    const options = { kinds: ['crash', 'lag'], targets: ['a', 2], countMax: 2, horizonMs: 10 };
    const arbitrary = faults({ ...options, kinds: ['crash', 'lag'] });
    for (const list of drawn(options)) {
      expect(arbitrary.canShrinkWithoutContext(list)).toBe(true);
      for (const { kind, target, atMs } of list) {
        expect(options.kinds).toContain(kind);
        expect(options.targets).toContain(target);
        expect(atMs).toBeLessThanOrEqual(10);
      }
    }
    const isBad = (list: readonly WorldFault[]): boolean =>
      list.some(({ kind, forMs }) => kind === 'crash' && forMs >= 40);
    const bad: WorldFault = { kind: 'crash', target: 'a', atMs: 9, forMs: 700, arg: 3 };
    const found = fc.check(
      fc.property(arbitrary, (list) => !isBad(list)),
      { examples: [[[{ ...bad, kind: 'lag' }, bad]]] },
    );
    expect(found.counterexample?.[0].map(({ kind, forMs }) => [kind, forMs])).toEqual([
      ['crash', 40],
    ]);
  });

  test('find and shrink with plain fast-check, too', async () => {
    const property = fc.asyncProperty(faults({ ttlMs: 2_000, horizonMs: 400 }), async (list) => {
      await simulate({ seed: 3, faults: list, report: false }, (world) =>
        addUp(world, 'no fencing'),
      );
    });
    const found = await fc.check(property, { seed: 1, numRuns: 100, endOnFailure: false });
    expect(found.failed).toBe(true);
    expect(found.counterexample?.[0].length).toBe(1);
  });

  test('refuse what nobody can draw', () => {
    expect(() => faults({ countMax: 0 })).toThrow('countMax');
    expect(() => faults({ targets: [] })).toThrow('targets');
    expect(() => faults(JSON.parse('{"kinds":["flood"]}'))).toThrow('kinds');
  });
});

describe('a fault that strikes', () => {
  const KINDS: readonly (readonly [WorldFaultKind, string, string])[] = [
    ['pause', 'worker-1', 'worker-1 stands still for 900 ms'],
    ['suspend', 'n2', 'the machine of n2 sleeps for 900 ms'],
    ['crash', 'worker-2', 'worker-2 is dead for 900 ms'],
    ['isolate', 'leader', ', who leads, is cut off for 900 ms'],
    ['isolateIn', 'holder', ', who holds a lock, hears nobody for 900 ms'],
    ['isolateOut', 'n1', 'n1 is heard by nobody for 900 ms'],
    ['split', 'leader', 'the network is split in two around n'],
    ['lag', 'worker-1', 'frames of worker-1 take 5 ms longer for 900 ms'],
    ['slow', 'worker-1', 'each act of worker-1 costs 0.2 ms for 900 ms'],
    ['reset', 'n3', 'the connections of n3 break'],
    ['clockRate', 'worker-1', 'the clock of worker-1 runs at +0.1 % for 900 ms'],
    ['wallJump', 'n1', 'the wall clock of n1 is off by 1000 ms for 900 ms'],
    ['slowDisk', 'n1', 'the disk of n1 takes 1 ms longer for 900 ms'],
  ];

  test.each(KINDS)('%s changes the run, and the story tells of it', async (kind, target, text) => {
    const fault: WorldFault = { kind, target, atMs: 20, forMs: 900, arg: 0 };
    const calm = await simulate({ seed: 1 }, (world) => addUp(world, 'none'));
    const struck = await simulate({ seed: 1, faults: [fault] }, (world) => addUp(world, 'none'));
    expect([calm.strikes, struck.strikes]).toEqual([0, 1]);
    expect(struck.story.join('\n')).toContain(text);
    expect(struck.traceHash).not.toBe(calm.traceHash);
  });

  test('any target and numbers make sense: they wrap, or nothing happens', async () => {
    const nobody: WorldFault = { kind: 'pause', target: 'nobody', atMs: 0, forMs: 1, arg: 0 };
    const list = [
      nobody,
      { ...nobody, target: 1_001, arg: 1_000_000 },
      { ...nobody, kind: 'slowDisk', target: 0 },
    ] as const;
    const program = (world: World): Promise<void> => addUp(world, 'none');
    const { strikes } = await simulate({ seed: 1, faults: list }, program);
    expect(strikes).toBe(1);
  });

  test('is undone when it is over: everybody answers again', async () => {
    const kinds = WORLD_FAULT_KINDS.filter((kind) => kind !== 'reset');
    const list = kinds.flatMap((kind, place): WorldFault[] => [
      { kind, target: place % 2 === 0 ? 'n1' : 'a', atMs: 10, forMs: 3_000, arg: 3 },
      { kind, target: place % 2 === 0 ? 'a' : 'n1', atMs: 20, forMs: 2_000, arg: 2 },
    ]);
    const { value } = await simulate({ seed: 2, faults: list }, async (world) => {
      world.run('a', async (own) => {
        const client = own.client({ ttlMs: 1_000 });
        await own.sleep('20s');
        await client.lock('free').do(() => world.note('held at the end'));
      });
      await world.sleep('40s');
      return world.leader();
    });
    expect(value).not.toBe(null);
  });
});
