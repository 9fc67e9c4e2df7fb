// The background reading finds what a start would find, while the node runs, and nothing else.

import { expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import { encodeMeta } from '../../src/node/storage/layout.ts';
import type { NodeStorage, StorageResult } from '../../src/node/storage/types.ts';
import { append, changesOf, checkpointAt, exitOf, replace, Rig, rowsOf, valueOf } from './rig.ts';

/** Steps of a little more than a page's length: enough for every circle here. */
const STEPS = 60;

/** Log 1-12 in four chunks, compacted to 3; three rows. */
function seasoned(): { readonly rig: Rig; readonly storage: NodeStorage } {
  const rig = new Rig();
  const storage = rig.founded(3);
  rig.persist(storage, append(1, [1, 1, 1]));
  for (const first of [4, 7, 10]) rig.persist(storage, append(first, [1, 1, 1], 1));
  const rows = changesOf({ a: '1', b: '2', c: '3' });
  rig.checkpoint(storage, { checkpoint: checkpointAt(8, 1), rows, compactTo: 3 });
  return { rig, storage };
}

/** Reads in steps of `bytes` through at least one circle; the first failure, or null. */
function scrub(rig: Rig, storage: NodeStorage, bytes = 1): StorageResult<void> | null {
  for (let step = 0; step < STEPS; step++) {
    const result = present(
      rig.done((done) => storage.scrub(bytes, done)),
      'an answer',
    );
    if (!result.ok) return result;
  }
  return null;
}

test('an undamaged directory passes, in steps of any size', () => {
  for (const bytes of [1, 100, 1_000_000]) {
    const { rig, storage } = seasoned();
    expect(scrub(rig, storage, bytes)).toBeNull();
  }
});

test('83 any byte of any chunk or row changed, with its key and the remedy', () => {
  const keys = seasoned().rig.disk.store.keys();
  expect(keys.length).toBe(11);
  for (const key of keys) {
    const { length } = present(seasoned().rig.disk.store.value(key), key);
    for (let at = 0; at < length; at++) {
      const { rig, storage } = seasoned();
      const value = present(rig.disk.store.value(key), key).slice();
      value[at] = (value[at] ?? 0) ^ 0x10;
      rig.disk.store.overwrite(key, value);
      const exit = exitOf(scrub(rig, storage));
      expect([key, at, exit.exitCode]).toEqual([key, at, 83]);
      expect(exit.message).toContain(key);
      expect(exit.message).toMatch(/new node id/);
    }
  }
});

test('M-79 83 any chunk or single row missing', () => {
  const keys = seasoned().rig.disk.store.keys();
  for (const key of keys.filter((each) => !each.startsWith('r/'))) {
    for (const bytes of [1, 1_000_000]) {
      const { rig, storage } = seasoned();
      rig.disk.store.overwrite(key, null);
      expect([key, exitOf(scrub(rig, storage, bytes)).exitCode]).toEqual([key, 83]);
    }
  }
});

test('83 a chunk of another history, though its checksums are right', () => {
  const { rig, storage } = seasoned();
  const other = new Rig();
  const stranger = other.founded(3);
  other.persist(stranger, append(1, [1, 1, 1, 1, 1, 1]));
  other.persist(stranger, append(7, [2, 2, 2], 1));
  const key = 'l/0000000000000007';
  rig.disk.store.overwrite(key, other.disk.store.value(key));
  expect(exitOf(scrub(rig, storage)).message).toMatch(/entry 10 .*term 1 is before it/);
});

test('83 a meta row of another checkpoint', () => {
  const { rig, storage } = seasoned();
  const meta = { generation: 1, checkpoint: checkpointAt(5, 1) };
  rig.disk.store.overwrite('m/meta', encodeMeta(meta));
  expect(exitOf(scrub(rig, storage)).message).toMatch(/checkpoint at entry 8, .* at entry 5/);
});

test('a log that grows, is cut, compacted and replaced between two steps is no damage', () => {
  for (let offset = 0; offset < 12; offset++) {
    const { rig, storage } = seasoned();
    const step = (): void => valueOf(rig.done((done) => storage.scrub(1, done)));
    for (let count = 0; count < offset; count++) step();
    rig.persist(storage, append(13, [1, 1], 1));
    step();
    rig.persist(storage, replace(11, [2], 1));
    step();
    rig.persist(storage, append(12, [2, 2, 2, 2], 2));
    step();
    rig.checkpoint(storage, { checkpoint: checkpointAt(12, 2), rows: [], compactTo: 11 });
    step();
    const incoming = storage.receive(checkpointAt(40, 3));
    valueOf(rig.done((done) => incoming.add(rowsOf({ z: '9' }), done)));
    step();
    valueOf(rig.done((done) => incoming.install(false, done)));
    step();
    rig.persist(storage, append(41, [3], 3));
    expect(scrub(rig, storage)).toBeNull();
  }
});

test('a log that is written while a page is read is no damage', () => {
  for (let steps = 0; steps < 12; steps++) {
    const { rig, storage } = seasoned();
    for (let count = 0; count < steps; count++) {
      valueOf(rig.done((done) => storage.scrub(1, done)));
    }
    const answers: boolean[] = [];
    storage.scrub(1_000, (result) => answers.push(result.ok));
    storage.persist(replace(8, [2], 1), (result) => answers.push(result.ok));
    storage.scrub(1_000, (result) => answers.push(result.ok));
    rig.settle();
    expect(answers).toEqual([true, true, true]);
    expect(scrub(rig, storage)).toBeNull();
  }
});
