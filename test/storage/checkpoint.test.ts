// Checkpoints: rows of the state beside the log, written by what changed, and the log that goes
// when they contain it (RAFT.md §9).

import { describe, expect, test } from 'vitest';
import { append, changesOf, checkpointAt, exitOf, replace, Rig, termsOf, valueOf } from './rig.ts';
import type { Entry } from '../../src/raft/entry.ts';
import type { NodeStorage } from '../../src/node/storage/types.ts';

/** Terms of ten entries in the chunks 1-3, 4-6, 7-9, 10. */
function withTenEntries(): { readonly rig: Rig; readonly storage: NodeStorage } {
  const rig = new Rig();
  const storage = rig.founded(2);
  rig.persist(storage, append(1, [1, 1, 1]));
  rig.persist(storage, append(4, [1, 1, 2], 1));
  rig.persist(storage, append(7, [2, 2, 2], 2));
  rig.persist(storage, append(10, [2], 2));
  return { rig, storage };
}

function reopened(rig: Rig): NodeStorage {
  rig.disk.crash();
  const storage = rig.boot();
  valueOf(rig.open(storage));
  return storage;
}

function chunkCount(rig: Rig): number {
  return rig.disk.store.keys().filter((key) => key.startsWith('l/')).length;
}

describe('a checkpoint', () => {
  test('comes back with its rows, the log, and everything after it', () => {
    const { rig, storage } = withTenEntries();
    const rows = changesOf({ 's/1': 'one', 'g/2': 'two', 'r/3': 'three' });
    const anchor = rig.checkpoint(storage, {
      checkpoint: checkpointAt(6, 2),
      rows,
      compactTo: null,
    });
    expect(anchor).toEqual({ index: 0, term: 0 });
    rig.persist(storage, append(11, [2], 2));
    const recovered = valueOf(rig.restart());
    expect(recovered.checkpoint).toEqual(checkpointAt(6, 2));
    expect(recovered.raft).toMatchObject({ applied: 6, lastIndex: 11, anchor: { index: 0 } });
    expect(valueOf(rig.rows(reopened(rig)))).toEqual({
      'g/2': 'two',
      'r/3': 'three',
      's/1': 'one',
    });
  });

  test('R-62 builds on the one before: rows change, go and stay', () => {
    const { rig, storage } = withTenEntries();
    const first = { checkpoint: checkpointAt(4, 1), rows: changesOf({ a: '1', b: '2', c: '3' }) };
    rig.checkpoint(storage, { ...first, compactTo: 3 });
    const second = { checkpoint: checkpointAt(9, 2), rows: changesOf({ b: null, c: '4', d: '5' }) };
    rig.checkpoint(storage, { ...second, compactTo: 9 });
    const recovered = valueOf(rig.restart());
    expect(recovered.checkpoint).toEqual(checkpointAt(9, 2));
    expect(recovered.raft).toMatchObject({
      anchor: { index: 9, term: 2 },
      applied: 9,
      lastIndex: 10,
      termRuns: [{ term: 2, firstIndex: 10 }],
      configs: [{ index: 0, config: checkpointAt(9, 2).point.config }],
    });
    expect(valueOf(rig.rows(reopened(rig)))).toEqual({ a: '1', c: '4', d: '5' });
  });

  test('keeps rows with any key, in the order of their bytes', () => {
    const { rig, storage } = withTenEntries();
    const keys = [
      'a',
      'a b',
      'a!',
      'a~',
      'a\u0000',
      'aé',
      'a\u{ffff}',
      'a\u{1f512}',
      '~',
      '!',
      ' ',
    ];
    const rows = changesOf(Object.fromEntries(keys.map((key) => [key, `value of ${key}`])));
    rig.checkpoint(storage, { checkpoint: checkpointAt(6, 2), rows, compactTo: null });
    expect(rig.disk.store.keys().every((key) => /^[\x20-\x7e]*$/.test(key))).toBe(true);
    const read = Object.keys(valueOf(rig.rows(reopened(rig), 1)));
    const byBytes = [...keys].sort((left, right) =>
      Buffer.compare(Buffer.from(left), Buffer.from(right)),
    );
    expect(read).toEqual(byBytes);
  });
});

describe('compaction', () => {
  test('deletes whole chunks only, and never above what it was told', () => {
    for (const [compactTo, chunks, anchor] of [
      [2, 4, 0],
      [3, 3, 3],
      [8, 2, 6],
      [9, 1, 9],
      [10, 0, 10],
    ] as const) {
      const { rig, storage } = withTenEntries();
      const checkpoint = checkpointAt(10, 2);
      const answer = rig.checkpoint(storage, { checkpoint, rows: [], compactTo });
      expect([compactTo, answer.index]).toEqual([compactTo, anchor]);
      expect(chunkCount(rig)).toBe(chunks);
      expect(rig.recover()).toMatchObject({ anchor: answer, lastIndex: 10 });
    }
  });

  test('leaves a log that goes on: appends, cuts and loads, also from nothing', () => {
    const { rig, storage } = withTenEntries();
    rig.checkpoint(storage, { checkpoint: checkpointAt(10, 2), rows: [], compactTo: 10 });
    rig.persist(storage, append(11, [2, 2, 2], 2));
    rig.persist(storage, replace(12, [2], 2));
    expect(termsOf(rig.recover())).toEqual([2, 2]);
  });

  test('R-62 entries whose batch of deletion is not answered yet are no loss', () => {
    const { rig, storage } = withTenEntries();
    rig.disk.writes.holdAfter(0);
    storage.checkpoint({ checkpoint: checkpointAt(10, 2), rows: [], compactTo: 10 }, () => {});
    rig.disk.writes.land();
    let loaded: readonly Entry[] | null = null;
    storage.load(4, 1_000, (result) => (loaded = valueOf(result)));
    rig.settle();
    expect(loaded).toBeNull();
    rig.disk.writes.finish();
    rig.settle();
    expect(loaded).toEqual([]);
  });

  test('M-80 cuts right behind an anchor that lies inside a chunk leave nothing of it', () => {
    const { rig, storage } = withTenEntries();
    rig.checkpoint(storage, { checkpoint: checkpointAt(4, 1), rows: [], compactTo: 3 });
    const incoming = storage.receive(checkpointAt(5, 1));
    valueOf(rig.done((done) => incoming.install(true, done)));
    expect(rig.recover()).toMatchObject({ anchor: { index: 5, term: 1 }, lastIndex: 10 });
    const later = reopened(rig);
    rig.persist(later, replace(6, [2], 1));
    expect(chunkCount(rig)).toBe(1);
    expect(rig.recover()).toMatchObject({ anchor: { index: 5 }, lastIndex: 6 });
  });
});

describe('a view', () => {
  test('stays as it was while checkpoints go on', () => {
    const { rig, storage } = withTenEntries();
    const rows = changesOf({ a: '1', b: '2' });
    rig.checkpoint(storage, { checkpoint: checkpointAt(4, 1), rows, compactTo: 3 });
    const before = valueOf(rig.view(storage));
    const changes = changesOf({ a: '9', b: null, c: '3' });
    rig.checkpoint(storage, { checkpoint: checkpointAt(9, 2), rows: changes, compactTo: 9 });
    const after = valueOf(rig.view(storage));
    expect(before.checkpoint).toEqual(checkpointAt(4, 1));
    expect(valueOf(rig.rows(before, 1))).toEqual({ a: '1', b: '2' });
    expect(after.checkpoint).toEqual(checkpointAt(9, 2));
    expect(valueOf(rig.rows(after, 1))).toEqual({ a: '9', c: '3' });
    before.close();
    after.close();
  });

  test('R-61 of a damaged row ends in 83 with the key and the remedy', () => {
    const { rig, storage } = withTenEntries();
    const rows = changesOf({ a: '1', b: '2' });
    rig.checkpoint(storage, { checkpoint: checkpointAt(4, 1), rows, compactTo: null });
    const key = rig.disk.store.keys().find((each) => /^r.*b$/.test(each)) ?? '';
    rig.disk.store.overwrite(key, Uint8Array.from([1, 2, 3, 4, 5]));
    const exit = exitOf(rig.rows(valueOf(rig.view(storage))));
    expect(exit.exitCode).toBe(83);
    expect(exit.message).toMatch(new RegExp(`${key} has a wrong checksum.*new node id`));
  });
});
