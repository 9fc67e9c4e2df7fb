// After the first failed write nothing is written any more, nothing is answered as done, and the
// directory is not trusted by the next start (RAFT.md §15.4).

import { describe, expect, test } from 'vitest';
import type { DiskOperation, WriteEffect } from '../../sim/world/disk-options.ts';
import type { StorageFailure } from '../../src/ports/storage.ts';
import type { StorageResult } from '../../src/node/storage/types.ts';
import { append, exitOf, replace, Rig, termsOf, valueOf } from './rig.ts';

const BROKEN: StorageFailure = { kind: 'io', message: 'Input/output error' };
const FULL: StorageFailure = { kind: 'full', message: 'No space left on device' };

describe('a failed write', () => {
  const effects: readonly WriteEffect[] = ['landed', 'lost'];

  test('R-77 M-66 of the log ends the storage, and the next start refuses', () => {
    for (const effect of effects) {
      const rig = new Rig();
      const storage = rig.founded(1);
      rig.persist(storage, append(1, [1]));
      rig.disk.fail({ operation: 'batch', failure: BROKEN, effect });
      const exit = exitOf(rig.done((done) => storage.persist(append(2, [1], 1), done)));
      expect(exit).toMatchObject({ exitCode: 85, isDiskFull: false });
      expect(exit.message).toMatch(/not tried again.*new node id/);
      const later = exitOf(rig.done((done) => storage.persist(append(2, [1], 1), done)));
      expect(later).toEqual(exit);
      const vote = exitOf(
        rig.done((done) => storage.writeHardState({ term: 2, vote: null }, done)),
      );
      expect(vote).toEqual(exit);
      const start = exitOf(rig.restart());
      expect(start.exitCode).toBe(85);
      expect(start.message).toMatch(/failed earlier.*Check the disk.*new node id/);
      expect(exitOf(rig.restart())).toEqual(start);
    }
  });

  test('R-77 of either slot ends the storage, and the next start refuses', () => {
    for (const after of [0, 1]) {
      for (const effect of effects) {
        const rig = new Rig();
        const storage = rig.founded(1);
        rig.disk.fail({ operation: 'slotWrite', failure: BROKEN, after, effect });
        const write = rig.done((done) => storage.writeHardState({ term: 2, vote: null }, done));
        expect(exitOf(write).exitCode).toBe(85);
        expect(exitOf(rig.restart()).exitCode).toBe(85);
      }
    }
  });

  test('R-77 marks whichever slot still takes the mark', () => {
    const rig = new Rig();
    const storage = rig.founded(1);
    rig.disk.fail({ operation: 'batch', failure: BROKEN });
    rig.disk.fail({ operation: 'slotWrite', failure: BROKEN, effect: 'lost' });
    expect(exitOf(rig.done((done) => storage.persist(append(1, [1]), done))).exitCode).toBe(85);
    expect(exitOf(rig.restart()).exitCode).toBe(85);
  });

  test('fails everything that waited for it', () => {
    const rig = new Rig();
    const storage = rig.founded(1);
    const codes: number[] = [];
    rig.disk.fail({ operation: 'slotWrite', failure: BROKEN, after: 2 });
    for (const term of [2, 3, 4]) {
      storage.writeHardState({ term, vote: null }, (result) => {
        codes.push(result.ok ? 0 : result.exit.exitCode);
      });
    }
    rig.settle();
    expect(codes).toEqual([0, 85, 85]);
  });

  test('of the boot count refuses this start and the next', () => {
    const rig = new Rig();
    rig.founded(1);
    rig.disk.crash();
    const storage = rig.boot();
    rig.disk.fail({ operation: 'slotWrite', failure: BROKEN, effect: 'lost' });
    expect(exitOf(rig.open(storage)).exitCode).toBe(85);
    expect(exitOf(rig.restart()).exitCode).toBe(85);
  });
});

describe('a full disk', () => {
  test('R-77 ends the storage, but the next start goes on with all that was answered', () => {
    for (const operation of ['batch', 'slotWrite'] as const satisfies readonly DiskOperation[]) {
      const rig = new Rig();
      const storage = rig.founded(1);
      rig.persist(storage, append(1, [1, 1]));
      rig.disk.fail({ operation, failure: FULL, effect: 'lost' });
      const result =
        operation === 'batch'
          ? rig.done((done) => storage.persist(replace(2, [1], 1), done))
          : rig.done((done) => storage.writeHardState({ term: 2, vote: null }, done));
      expect(exitOf(result)).toMatchObject({ exitCode: 85, isDiskFull: true });
      const raft = rig.recover();
      expect([raft.term, termsOf(raft)]).toEqual([1, [1, 1]]);
    }
  });

  test('is seen coming: the free bytes shrink with every batch', () => {
    const rig = new Rig();
    const storage = rig.founded(1);
    rig.disk.freeBytes = 1_000;
    const free = (): number | null =>
      valueOf(rig.ask<StorageResult<number | null>>((done) => storage.freeBytes(done)));
    const before = free();
    rig.persist(storage, append(1, [1]));
    expect(before).toBe(1_000);
    expect(free()).toBeLessThan(1_000);
    rig.disk.freeBytes = 10;
    const exit = exitOf(rig.done((done) => storage.persist(append(2, [1], 1), done)));
    expect(exit.isDiskFull).toBe(true);
  });
});

describe('a failed read', () => {
  test('of a slot counts as a damaged slot', () => {
    const rig = new Rig();
    rig.founded(4);
    rig.disk.crash();
    const storage = rig.boot();
    rig.disk.fail({ operation: 'slotRead', failure: BROKEN, after: 2 });
    expect(valueOf(rig.open(storage)).slots.term).toBe(4);
  });

  test('of the log refuses the start with 83', () => {
    const rig = new Rig();
    rig.founded(4);
    for (const after of [0, 1]) {
      rig.disk.crash();
      const storage = rig.boot();
      rig.disk.fail({ operation: 'range', failure: BROKEN, after });
      expect(exitOf(rig.open(storage)).exitCode).toBe(83);
    }
  });

  test('of a damaged chunk by load ends the storage with 83', () => {
    const rig = new Rig();
    const storage = rig.founded(1);
    rig.persist(storage, append(1, [1, 1]));
    const key = 'l/0000000000000001';
    const value = rig.disk.store.value(key)?.slice() ?? new Uint8Array();
    value[40] = 0xff;
    rig.disk.store.overwrite(key, value);
    const load = (): number =>
      exitOf(rig.ask<StorageResult<unknown>>((done) => storage.load(1, 1_000, done))).exitCode;
    expect(load()).toBe(83);
    expect(exitOf(rig.done((done) => storage.persist(append(3, [1], 1), done))).exitCode).toBe(83);
  });

  test('of a chunk that is gone is not taken for the end of the log', () => {
    const rig = new Rig();
    const storage = rig.founded(1);
    rig.persist(storage, append(1, [1, 1]));
    rig.disk.store.overwrite('l/0000000000000001', null);
    const load = rig.ask<StorageResult<unknown>>((done) => storage.load(1, 1_000, done));
    expect(exitOf(load).message).toMatch(/entry 1 is gone/);
  });
});
