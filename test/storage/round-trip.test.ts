import { describe, expect, test } from 'vitest';
import { append, entriesOf, exitOf, FOUNDING, replace, Rig, termsOf, valueOf } from './rig.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { StorageResult } from '../../src/node/storage/types.ts';
import { encodeConfig } from '../../src/wire/config.ts';

describe('a directory', () => {
  test('is made blank, with an identity and its first boot', () => {
    const rig = new Rig();
    const { slots, founding, raft } = valueOf(rig.open(rig.boot()));
    expect(slots).toMatchObject({
      nodeId: 'n1',
      clusterId: null,
      bootCount: 1,
      term: 0,
      vote: null,
    });
    expect(slots.storeId).toMatch(/^[0-9a-f]{32}$/);
    expect([founding, raft]).toEqual([null, null]);
  });

  test('keeps its identity and counts every boot', () => {
    const rig = new Rig();
    const first = valueOf(rig.open(rig.boot())).slots;
    const second = valueOf(rig.restart()).slots;
    const third = valueOf(rig.restart()).slots;
    expect([second.storeId, third.storeId]).toEqual([first.storeId, first.storeId]);
    expect([second.bootCount, third.bootCount]).toEqual([2, 3]);
  });

  test('once founded starts at its origin, now and after a restart', () => {
    const rig = new Rig();
    const origin = 46_000 * 2 ** 20;
    const storage = rig.boot();
    valueOf(rig.open(storage));
    const record = { ...FOUNDING, origin };
    const founded = valueOf(rig.found(storage, record));
    const config = {
      voters: FOUNDING.members,
      votersOutgoing: [],
      learners: [],
      learnersNext: [],
      retired: [],
    };
    expect(founded.raft).toMatchObject({
      anchor: { index: origin, term: 0 },
      lastIndex: origin,
      applied: origin,
      term: 0,
      tail: [],
      termRuns: [],
      configs: [{ index: origin, config }],
    });
    const again = valueOf(rig.restart());
    expect(again.founding).toEqual(record);
    expect(again.raft).toEqual(founded.raft);
  });
});

describe('the log', () => {
  test('comes back as it was written, in batches of any size', () => {
    const rig = new Rig();
    const storage = rig.founded(4);
    rig.persist(storage, append(1, [1]));
    rig.persist(storage, append(2, [1, 1, 2], 1));
    rig.persist(storage, append(5, [4], 2));
    const raft = rig.recover();
    expect(termsOf(raft)).toEqual([1, 1, 1, 2, 4]);
    expect(raft.tail.map((entry) => entry.payload)).toEqual(
      entriesOf(1, [1, 1, 1, 2, 4]).map((entry) => entry.payload),
    );
    expect(raft.termRuns).toEqual([
      { term: 1, firstIndex: 1 },
      { term: 2, firstIndex: 4 },
      { term: 4, firstIndex: 5 },
    ]);
    expect(raft).toMatchObject({ lastIndex: 5, applied: 0, term: 4, vote: { nodeId: 'n2' } });
  });

  test('hands only its newest entries to the core, contiguous to the end', () => {
    const rig = new Rig();
    const storage = rig.founded();
    for (let index = 1; index <= 40_000; index += 200) {
      rig.persist(
        storage,
        append(
          index,
          Array.from({ length: 200 }, () => 1),
          index === 1 ? 0 : 1,
        ),
      );
    }
    const raft = rig.recover();
    expect(raft.lastIndex).toBe(40_000);
    expect(raft.tail.length).toBeLessThan(40_000);
    expect(raft.tail.length).toBeGreaterThan(20_000);
    const first = 40_001 - raft.tail.length;
    expect(raft.tail.every((entry, at) => entry.index === first + at)).toBe(true);
  });

  test('gives older entries back by load, within the bytes that were asked for', () => {
    const rig = new Rig();
    const storage = rig.founded(2);
    rig.persist(storage, append(1, [1, 1, 1, 1]));
    rig.persist(storage, append(5, [2, 2], 1));
    const load = (from: number, maxBytes: number): readonly number[] =>
      valueOf(
        rig.ask<StorageResult<readonly Entry[]>>((done) => storage.load(from, maxBytes, done)),
      ).map((entry) => entry.index);
    expect(load(1, 1_000_000)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(load(3, 1_000_000)).toEqual([3, 4, 5, 6]);
    expect(load(3, 1)).toEqual([3]);
    expect(load(3, 70)).toEqual([3, 4]);
    expect(load(6, 1)).toEqual([6]);
    expect(load(7, 1_000_000)).toEqual([]);
  });

  test('remembers every configuration with its index', () => {
    const rig = new Rig();
    const storage = rig.founded();
    const config = {
      voters: FOUNDING.members,
      votersOutgoing: [],
      learners: [{ nodeId: 'n3', storeId: 'store-3', address: '127.0.0.1:3' }],
      learnersNext: [],
      retired: [],
    };
    const [first, second] = entriesOf(1, [1, 1]);
    if (first === undefined || second === undefined) throw new Error('two entries');
    const change: Entry = { ...second, type: 'config', payload: encodeConfig(config), config };
    rig.persist(storage, { truncateFrom: null, entries: [first, change] });
    expect(rig.recover().configs.map(({ index }) => index)).toEqual([0, 2]);
    expect(rig.recover().configs[1]?.config).toEqual(config);
  });

  test('R-43 M-20 keeps nothing of a longer tail that was overwritten by a shorter one', () => {
    const rig = new Rig();
    const storage = rig.founded(3);
    rig.persist(storage, append(1, [1, 1]));
    rig.persist(storage, append(3, [1, 2], 1));
    rig.persist(storage, append(5, [2], 2));
    rig.persist(storage, replace(4, [3], 1));
    const raft = rig.recover();
    expect(termsOf(raft)).toEqual([1, 1, 1, 3]);
    expect(raft.lastIndex).toBe(4);
    const chunks = rig.disk.store.keys().filter((key) => key.startsWith('l/'));
    expect(chunks.map((key) => Number.parseInt(key.slice(2), 16))).toEqual([1, 3, 4]);
  });

  test('M-80 keeps of the chunk that holds a cut only what lies before it', () => {
    const rig = new Rig();
    const storage = rig.founded(3);
    rig.persist(storage, append(1, [1, 1, 1, 1, 1]));
    rig.persist(storage, replace(3, [2, 2], 1));
    rig.persist(storage, replace(3, [3], 1));
    rig.persist(storage, append(4, [3, 3], 3));
    expect(termsOf(rig.recover())).toEqual([1, 1, 3, 3, 3]);
  });

  test('can be cut back to its very beginning', () => {
    const rig = new Rig();
    const storage = rig.founded(2);
    rig.persist(storage, append(1, [1, 1]));
    rig.persist(storage, append(3, [1], 1));
    rig.persist(storage, replace(1, [2]));
    expect(termsOf(rig.recover())).toEqual([2]);
  });

  test('entries that are being cut are no longer given out', () => {
    const rig = new Rig();
    const storage = rig.founded(2);
    rig.persist(storage, append(1, [1, 1, 1]));
    rig.disk.writes.holdAfter(0);
    let loaded: readonly Entry[] | null = null;
    storage.load(1, 1_000_000, (result) => (loaded = valueOf(result)));
    storage.persist(replace(2, [2], 1), () => {});
    rig.settle();
    expect(loaded).toMatchObject([{ index: 1 }]);
  });
});

describe('the storage', () => {
  test('R-36 refuses entries of a term that is not durable', () => {
    const rig = new Rig();
    const storage = rig.founded(1);
    const vote = null;
    rig.disk.writes.holdAfter(1);
    storage.writeHardState({ term: 2, vote }, () => {});
    rig.settle();
    expect(() => storage.persist(append(1, [2]), () => {})).toThrow(/durable before its entries/);
  });

  test('refuses batches that do not fit the log', () => {
    const rig = new Rig();
    const storage = rig.founded(3);
    rig.persist(storage, append(1, [1, 1]));
    const none = (): void => {};
    expect(() => storage.persist(append(4, [1], 1), none)).toThrow(/begins where the log ends/);
    expect(() => storage.persist(append(3, [3], 2), none)).toThrow(/follows the term before/);
    expect(() => storage.persist(replace(4, [3], 1), none)).toThrow(/follows the term before/);
  });

  test('answers calls after its close without harm to the directory', () => {
    const rig = new Rig();
    const storage = rig.founded();
    let isClosed = false;
    storage.close(() => (isClosed = true));
    const exit = exitOf(rig.done((done) => storage.persist(append(1, [1]), done)));
    expect(exit.message).toMatch(/closed by its own process/);
    expect(isClosed).toBe(true);
    expect(rig.restart().ok).toBe(true);
  });
});
