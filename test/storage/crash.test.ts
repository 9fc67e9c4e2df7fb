// A crash at every point of every write: before it happened, after it happened but unheard of, and
// with power lost. Whatever was answered must be there; what was not may be, as a whole.

import { describe, expect, test } from 'vitest';
import type { NodeStorage } from '../../src/node/storage/types.ts';
import { crashDuring, crashPoints, writesOf } from './crash-points.ts';
import type { Story } from './crash-points.ts';
import { append, FOUNDING, replace, Rig, termsOf, valueOf } from './rig.ts';

describe('a crash', () => {
  test('R-42 between cut and append never costs the entry that is in both', () => {
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const rig = new Rig();
      const storage = rig.founded(2);
      rig.persist(storage, append(1, [1, 1, 1, 1]));
      valueOf(rig.done((done) => storage.raiseFloor({ index: 4, term: 1 }, done)));
      return { rig, storage };
    };
    const story: Story = [(storage, answered) => storage.persist(replace(3, [2, 2], 1), answered)];
    const writes = writesOf(prepare, story);
    expect(writes).toBe(3);
    for (const point of crashPoints(writes)) {
      const { rig, storage } = prepare();
      const answered = crashDuring(rig, storage, story, point);
      const terms = termsOf(rig.recover());
      const isCut = answered === 1 || (point.writes === 2 && point.underWay === 'landed');
      expect([point, terms]).toEqual([point, isCut ? [1, 1, 2, 2] : [1, 1, 1, 1]]);
    }
  });

  test('R-36 never leaves entries of a term beside an older hard state', () => {
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const rig = new Rig();
      return { rig, storage: rig.founded(1) };
    };
    const story: Story = [
      (storage, answered) => storage.writeHardState({ term: 5, vote: null }, answered),
      (storage, answered) => storage.persist(append(1, [5]), answered),
    ];
    for (const point of crashPoints(writesOf(prepare, story))) {
      const { rig, storage } = prepare();
      const answered = crashDuring(rig, storage, story, point);
      const raft = rig.recover();
      expect(raft.term).toBeGreaterThanOrEqual(raft.tail[0]?.term ?? 0);
      if (answered >= 1) expect(raft).toMatchObject({ term: 5, vote: null });
      if (answered === 2) expect(termsOf(raft)).toEqual([5]);
    }
  });

  test('M-64 that tears a slot leaves the other one, also when the next start is cut off too', () => {
    const vote = { nodeId: 'n2', storeId: 'store of n2' };
    const write: Story = [
      (storage, answered) => storage.writeHardState({ term: 7, vote }, answered),
    ];
    const start: Story = [(storage, answered) => storage.open(() => answered())];
    for (const at of [0, 1]) {
      for (const again of [0, 1]) {
        const rig = new Rig();
        const storage = rig.founded(1);
        const point = { underWay: 'torn', hasPower: false } as const;
        crashDuring(rig, storage, write, { writes: at, ...point });
        crashDuring(rig, rig.boot(), start, { writes: again, ...point });
        expect(rig.recover()).toMatchObject(at === 0 ? { term: 1 } : { term: 7, vote });
      }
    }
  });

  test('M-64 never brings back a term that was answered, whichever slot rots afterwards', () => {
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const rig = new Rig();
      return { rig, storage: rig.founded(1) };
    };
    const vote = (nodeId: string) => ({ nodeId, storeId: `store of ${nodeId}` });
    const story: Story = [2, 3, 4].map((term) => (storage, answered) => {
      storage.writeHardState({ term, vote: vote(`n${term}`) }, answered);
    });
    // A torn slot and a rotten one are two faults at once: refused, and shown elsewhere.
    const points = crashPoints(writesOf(prepare, story));
    for (const point of points.filter(({ underWay }) => underWay !== 'torn')) {
      for (const rotten of [0, 1] as const) {
        const { rig, storage } = prepare();
        const answered = crashDuring(rig, storage, story, point);
        rig.disk.slots[rotten].overwrite(Uint8Array.from([1, 2, 3]));
        const raft = rig.recover();
        expect(raft.term).toBeGreaterThanOrEqual(answered + 1);
        if (raft.term > 1) expect(raft.vote).toEqual(vote(`n${raft.term}`));
      }
    }
  });

  test('in the making of a directory leaves one that can be made, with one identity', () => {
    const story: Story = [(storage, answered) => storage.open(() => answered())];
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const rig = new Rig();
      return { rig, storage: rig.boot() };
    };
    const writes = writesOf(prepare, story);
    expect(writes).toBe(3);
    for (const point of crashPoints(writes)) {
      const { rig, storage } = prepare();
      crashDuring(rig, storage, story, point);
      const first = valueOf(rig.restart());
      expect(first.slots).toMatchObject({ clusterId: null, term: 0 });
      expect(valueOf(rig.restart()).slots.storeId).toBe(first.slots.storeId);
    }
  });

  test('in a founding leaves a blank node, which can be founded again, or a founded one', () => {
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const rig = new Rig();
      const storage = rig.boot();
      valueOf(rig.open(storage));
      return { rig, storage };
    };
    const record = { ...FOUNDING, origin: 77 };
    const story: Story = [(storage, answered) => storage.found(record, () => answered())];
    const writes = writesOf(prepare, story);
    expect(writes).toBe(3);
    for (const point of crashPoints(writes)) {
      const { rig, storage } = prepare();
      const answered = crashDuring(rig, storage, story, point);
      const recovered = valueOf(rig.restart());
      if (answered === 1) expect(recovered.founding).toEqual(record);
      if (recovered.founding !== null) continue;
      rig.disk.crash();
      const blank = rig.boot();
      valueOf(rig.open(blank));
      const other = { ...FOUNDING, clusterId: 'other', origin: 5 };
      expect(valueOf(rig.found(blank, other)).raft?.lastIndex).toBe(5);
      expect(valueOf(rig.restart()).founding).toEqual(other);
    }
  });

  test('in a start counts a boot or does not, and never counts one twice', () => {
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const rig = new Rig();
      rig.founded(1);
      rig.disk.crash();
      return { rig, storage: rig.boot() };
    };
    const story: Story = [(storage, answered) => storage.open(() => answered())];
    for (const point of crashPoints(writesOf(prepare, story))) {
      const { rig, storage } = prepare();
      const answered = crashDuring(rig, storage, story, point);
      const { bootCount } = valueOf(rig.restart()).slots;
      expect(bootCount).toBeGreaterThanOrEqual(answered === 1 ? 3 : 2);
      expect(bootCount).toBeLessThanOrEqual(3);
    }
  });
});

describe('a power loss', () => {
  /** Ten batches; how many of their entries a start finds, or the exit code of its refusal. */
  function survivors(rig: Rig): number {
    const storage = rig.founded(1);
    for (let index = 1; index <= 10; index++) {
      rig.persist(storage, append(index, [1], index === 1 ? 0 : 1));
    }
    rig.disk.losePower();
    const result = rig.restart();
    return result.ok ? (result.value.raft?.lastIndex ?? -1) : result.exit.exitCode;
  }

  test('costs nothing that was answered', () => {
    for (let seed = 0; seed < 20; seed++) {
      expect(survivors(new Rig(seed))).toBe(10);
      expect(survivors(new Rig(seed, { hasHoles: true }))).toBe(10);
    }
  });

  test('M-65 costs answered entries when batches are not synced: this disk can tell', () => {
    const found = Array.from({ length: 20 }, (_, seed) =>
      survivors(new Rig(seed, { syncsBatches: false })),
    );
    expect(found.some((count) => count < 10)).toBe(true);
  });

  test('M-65 costs an answered term when slots are not synced: this disk can tell', () => {
    const terms = Array.from({ length: 20 }, (_, seed) => {
      const rig = new Rig(seed, { syncsSlots: false });
      rig.founded(9);
      rig.disk.losePower();
      const result = rig.restart();
      return result.ok ? (result.value.raft?.term ?? 0) : result.exit.exitCode;
    });
    expect(terms.some((term) => term !== 9)).toBe(true);
  });
});
