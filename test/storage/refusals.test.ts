// Every condition of a start (RAFT.md §15.3): one damaged thing, one exit code, and a message that
// says what to do. Whatever is refused is refused again, since a refusal writes nothing.

import { describe, expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import { chunkKey, encodeStoreId, encodeTail } from '../../src/node/storage/layout.ts';
import type { StorageExit } from '../../src/node/storage/types.ts';
import type { SlotRecord } from '../../src/wire/slot-record.ts';
import { decodeSlot, encodeSlot } from '../../src/wire/slots.ts';
import { append, exitOf, replace, Rig, termsOf, valueOf } from './rig.ts';

/** A node with seven entries of three terms in three chunks, its floor at entry 4. */
function seasoned(): Rig {
  const rig = new Rig();
  const storage = rig.founded(3);
  rig.persist(storage, append(1, [1, 1]));
  rig.persist(storage, append(3, [1, 2, 2], 1));
  valueOf(rig.done((done) => storage.raiseFloor({ index: 4, term: 2 }, done)));
  rig.persist(storage, append(6, [3, 3], 2));
  return rig;
}

function refusal(rig: Rig, nodeId = 'n1'): StorageExit {
  const before = contentOf(rig);
  const exit = exitOf(rig.restart(nodeId));
  expect(contentOf(rig)).toEqual(before);
  expect(exitOf(rig.restart(nodeId))).toEqual(exit);
  return exit;
}

function contentOf(rig: Rig): unknown {
  const { store, slots } = rig.disk;
  return [store.keys().map((key) => [key, store.value(key)]), slots.map((slot) => slot.read())];
}

function flip(rig: Rig, key: string, at: number): void {
  const value = present(rig.disk.store.value(key), key).slice();
  value[at] = (value[at] ?? 0) ^ 0x10;
  rig.disk.store.overwrite(key, value);
}

function slotRecord(rig: Rig, place: 0 | 1): SlotRecord {
  return decodeSlot(present(rig.disk.slots[place].read(), 'a slot'));
}

function changeSlots(rig: Rig, change: Partial<SlotRecord>): void {
  for (const place of [0, 1] as const) {
    rig.disk.slots[place].overwrite(encodeSlot({ ...slotRecord(rig, place), ...change }));
  }
}

function damageSlot(rig: Rig, place: 0 | 1): void {
  const bytes = present(rig.disk.slots[place].read(), 'a slot');
  bytes[9] = (bytes[9] ?? 0) ^ 1;
  rig.disk.slots[place].overwrite(bytes);
}

test('an undamaged directory is accepted: the ground of all tests here', () => {
  expect(termsOf(seasoned().recover())).toEqual([1, 1, 1, 2, 2, 3, 3]);
});

describe('identity', () => {
  test('80 another node', () => {
    const exit = refusal(seasoned(), 'n2');
    expect(exit.exitCode).toBe(80);
    expect(exit.message).toMatch(/node "n1", but this is node "n2".*own data directory/);
  });

  test('80 a log store of another directory', () => {
    const rig = seasoned();
    rig.disk.store.overwrite('m/store', encodeStoreId('ffffffffffffffffffffffffffffffff'));
    expect(refusal(rig).exitCode).toBe(80);
  });

  test('80 a log store of another cluster', () => {
    const rig = seasoned();
    changeSlots(rig, { clusterId: 'another' });
    expect(refusal(rig).exitCode).toBe(80);
  });

  test('81 a directory that another process has open', () => {
    const rig = seasoned();
    valueOf(rig.restart());
    const exit = exitOf(rig.open(rig.boot()));
    expect(exit.exitCode).toBe(81);
    expect(exit.message).toMatch(/in use by another process/);
  });

  test('86 a newer format, in either slot', () => {
    for (const place of [0, 1] as const) {
      const rig = seasoned();
      const record = slotRecord(rig, place);
      rig.disk.slots[place].overwrite(encodeSlot({ ...record, formatVersion: 3 }));
      expect(refusal(rig).exitCode).toBe(86);
    }
  });
});

describe('hard state', () => {
  test('M-78 one damaged slot: the other has everything, and both are whole again', () => {
    for (const place of [0, 1] as const) {
      const rig = seasoned();
      damageSlot(rig, place);
      expect(rig.recover()).toMatchObject({ term: 3, vote: { nodeId: 'n2' } });
      damageSlot(rig, place === 0 ? 1 : 0);
      expect(rig.recover()).toMatchObject({ term: 3, vote: { nodeId: 'n2' } });
    }
  });

  test('82 both slots damaged', () => {
    const rig = seasoned();
    damageSlot(rig, 0);
    damageSlot(rig, 1);
    const exit = refusal(rig);
    expect(exit.exitCode).toBe(82);
    expect(exit.message).toMatch(/first slot is damaged.*second damaged.*new node id/);
  });

  test('82 one or both slots missing', () => {
    for (const places of [[0], [1], [0, 1]] as const) {
      const rig = seasoned();
      for (const place of places) rig.disk.slots[place].overwrite(null);
      expect(refusal(rig).exitCode).toBe(82);
    }
  });

  test('82 one slot missing on a node that was founded, even before its first term', () => {
    const rig = new Rig();
    const storage = rig.boot();
    valueOf(rig.open(storage));
    valueOf(rig.found(storage));
    rig.disk.slots[1].overwrite(null);
    expect(refusal(rig).exitCode).toBe(82);
  });

  test('a blank node that lacks one slot is made whole', () => {
    const rig = new Rig();
    const { storeId } = valueOf(rig.open(rig.boot())).slots;
    rig.disk.slots[1].overwrite(null);
    expect(valueOf(rig.restart()).slots.storeId).toBe(storeId);
    expect(rig.disk.slots[1].read()).not.toBeNull();
  });

  test('82 blank slots beside entries: the hard state was lost, not never made', () => {
    const rig = seasoned();
    changeSlots(rig, { clusterId: null, term: 0, vote: null });
    expect(refusal(rig).exitCode).toBe(82);
  });

  test('M-64 82 a term behind that of the log', () => {
    const rig = seasoned();
    changeSlots(rig, { term: 2 });
    const exit = refusal(rig);
    expect(exit.exitCode).toBe(82);
    expect(exit.message).toMatch(/term 3, but the current term is 2/);
  });

  test('85 a write failed in an earlier life', () => {
    const rig = seasoned();
    rig.disk.slots[1].overwrite(encodeSlot({ ...slotRecord(rig, 1), fsyncFailed: true }));
    expect(refusal(rig)).toMatchObject({ exitCode: 85, isDiskFull: false });
  });
});

describe('the log', () => {
  test('83 any byte of any chunk or row changed', () => {
    const keys = seasoned().disk.store.keys();
    expect(keys).toEqual(['l/', 'l/', 'l/', 'm/', 'm/', 'm/', 'm/', 'm/'].map(expectStart));
    for (const key of keys) {
      const length = present(seasoned().disk.store.value(key), key).length;
      for (let at = 0; at < length; at++) {
        const rig = seasoned();
        flip(rig, key, at);
        expect([key, at, exitOf(rig.restart()).exitCode]).toEqual([key, at, 83]);
      }
    }
  });

  test('M-79 83 any chunk or row missing', () => {
    for (const key of seasoned().disk.store.keys()) {
      const rig = seasoned();
      rig.disk.store.overwrite(key, null);
      expect([key, refusal(rig).exitCode]).toEqual([key, 83]);
    }
  });

  test('83 a chunk under the key of another, or under no key of ours', () => {
    for (const key of [chunkKey(9), 'l/9', 'l/zz']) {
      const rig = seasoned();
      rig.disk.store.overwrite(key, rig.disk.store.value(chunkKey(6)));
      expect(refusal(rig).exitCode).toBe(83);
    }
  });

  test('83 a chunk moved to another key, though entry still follows entry', () => {
    const rig = seasoned();
    rig.disk.store.overwrite(chunkKey(7), rig.disk.store.value(chunkKey(6)));
    rig.disk.store.overwrite(chunkKey(6), null);
    expect(refusal(rig).message).toMatch(/begins with entry 6/);
  });

  test('83 a chunk of another history: the chain of terms is broken', () => {
    const rig = seasoned();
    const other = new Rig();
    const storage = other.founded(3);
    other.persist(storage, append(1, [2, 2]));
    rig.disk.store.overwrite(chunkKey(1), other.disk.store.value(chunkKey(1)));
    const exit = refusal(rig);
    expect(exit.exitCode).toBe(83);
    expect(exit.message).toMatch(/entry 3 .*term 1 is before it, but entry 2 has term 2/);
  });

  test('M-20 83 a stale chunk left beside the shorter tail that replaced it', () => {
    const rig = seasoned();
    const stale = rig.disk.store.value(chunkKey(6));
    rig.disk.crash();
    const storage = rig.boot();
    valueOf(rig.open(storage));
    rig.persist(storage, replace(5, [3], 2));
    rig.disk.store.overwrite(chunkKey(6), stale);
    expect(refusal(rig).exitCode).toBe(83);
  });

  test('83 the whole store gone beside slots that are there', () => {
    const rig = seasoned();
    rig.disk.removeStore();
    const exit = refusal(rig);
    expect(exit.exitCode).toBe(83);
    expect(exit.message).toMatch(/there is no store/);
  });

  test('84 a log that ends before the durable floor, though it agrees with its tail row', () => {
    const rig = seasoned();
    const { storeId } = slotRecord(rig, 0);
    rig.disk.store.overwrite(chunkKey(6), null);
    rig.disk.store.overwrite(chunkKey(3), null);
    const tail = { lastIndex: 2, lastTerm: 1, applied: 0, storeId };
    rig.disk.store.overwrite('m/tail', encodeTail(tail));
    const exit = refusal(rig);
    expect(exit.exitCode).toBe(84);
    expect(exit.message).toMatch(/entry 4 of term 2 .*ends with entry 2 of term 1.*new node id/);
  });

  test('a missing suffix above the floor that agrees with the tail row is a crash, and accepted', () => {
    const rig = seasoned();
    const { storeId } = slotRecord(rig, 0);
    rig.disk.store.overwrite(chunkKey(6), null);
    const tail = { lastIndex: 5, lastTerm: 2, applied: 0, storeId };
    rig.disk.store.overwrite('m/tail', encodeTail(tail));
    expect(termsOf(rig.recover())).toEqual([1, 1, 1, 2, 2]);
  });

  test('84 another entry at the durable floor', () => {
    const rig = seasoned();
    changeSlots(rig, { durableFloor: { index: 4, term: 3 } });
    expect(refusal(rig).exitCode).toBe(84);
  });

  test('a cut below the floor lowers it first, so that the next start is accepted', () => {
    const rig = seasoned();
    rig.disk.crash();
    const storage = rig.boot();
    valueOf(rig.open(storage));
    rig.persist(storage, replace(3, [3], 1));
    expect(slotRecord(rig, 0).durableFloor).toEqual({ index: 2, term: 1 });
    expect(termsOf(rig.recover())).toEqual([1, 1, 3]);
  });

  test('a floor is raised only to entries that are there, and never lowered by raising', () => {
    const rig = seasoned();
    rig.disk.crash();
    const storage = rig.boot();
    valueOf(rig.open(storage));
    for (const floor of [
      { index: 8, term: 3 },
      { index: 6, term: 2 },
      { index: 2, term: 1 },
    ]) {
      valueOf(rig.done((done) => storage.raiseFloor(floor, done)));
      expect(slotRecord(rig, 1).durableFloor).toEqual({ index: 4, term: 2 });
    }
    valueOf(rig.done((done) => storage.raiseFloor({ index: 7, term: 3 }, done)));
    expect(slotRecord(rig, 1).durableFloor).toEqual({ index: 7, term: 3 });
  });
});

function expectStart(start: string): unknown {
  return expect.stringMatching(`^${start}`);
}
