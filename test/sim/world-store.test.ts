// The simulated LevelDB: views of it that stay as they are, and what it may lose.

import { describe, expect, test } from 'vitest';
import type { KeyValue, KeyValueOp, KeyValuePair, Stored } from '../../src/ports/storage.ts';
import { SimDisk } from '../../sim/world/disk.ts';
import type { SimDiskOptions } from '../../sim/world/disk-options.ts';
import { LOG_ROWS, loseRow, misdirectRow, rotRow, STATE_ROWS } from '../../sim/world/damage.ts';
import { KeyedRandom } from '../../sim/world/random.ts';
import { StoreImage } from '../../sim/world/store-image.ts';
import { createWorld } from '../../sim/world/world.ts';
import type { World } from '../../sim/world/world.ts';

interface Rig {
  readonly world: World;
  readonly disk: SimDisk;
  readonly keyValue: KeyValue;
}

/** An open store. */
function openStore(options: Partial<SimDiskOptions> = {}, seed = 1): Rig {
  const world = createWorld({ seed });
  const disk = new SimDisk({
    name: 'n1',
    luck: new KeyedRandom(seed),
    schedule: (delayUs, callback) => {
      const timer = world.after(delayUs, callback);
      return () => timer.cancel();
    },
    ...options,
  });
  const { keyValue } = disk.attach();
  answerOf<{ created: boolean }>(world, (done) => keyValue.open(true, done));
  return { world, disk, keyValue };
}

function answerOf<T>(world: World, ask: (done: (result: Stored<T>) => void) => void): Stored<T> {
  const box: { answer: Stored<T> | null } = { answer: null };
  ask((result) => {
    box.answer = result;
  });
  world.runSync(() => box.answer !== null);
  if (box.answer === null) throw new Error('no answer');
  return box.answer;
}

function valueOf<T>(result: Stored<T>): T {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

function put(key: string, ...value: readonly number[]): KeyValueOp {
  return { type: 'put', key, value: new Uint8Array(value) };
}

function write({ world, keyValue }: Rig, ...ops: readonly KeyValueOp[]): void {
  valueOf(answerOf<void>(world, (done) => keyValue.batch(ops, done)));
}

type Range = Pick<KeyValue, 'range'>;
type Pairs = readonly KeyValuePair[];

function contentOf(world: World, store: Range): readonly string[] {
  const pairs = valueOf(answerOf<Pairs>(world, (done) => store.range('', '~', 1_000, done)));
  return pairs.map(({ key, value }) => `${key}=${value.join()}`);
}

describe('a snapshot', () => {
  test('shows what there was, whatever is written later, page by page', () => {
    const rig = openStore();
    write(rig, put('r/a', 1), put('r/b', 2), put('r/c', 3));
    const view = valueOf(answerOf(rig.world, rig.keyValue.snapshot));
    write(rig, put('r/a', 9), { type: 'delete', key: 'r/b' }, put('r/d', 4));
    const later = valueOf(answerOf(rig.world, rig.keyValue.snapshot));
    write(rig, put('r/a', 7));
    expect(contentOf(rig.world, view)).toEqual(['r/a=1', 'r/b=2', 'r/c=3']);
    expect(contentOf(rig.world, later)).toEqual(['r/a=9', 'r/c=3', 'r/d=4']);
    expect(contentOf(rig.world, rig.keyValue)).toEqual(['r/a=7', 'r/c=3', 'r/d=4']);
    const page = valueOf(answerOf<Pairs>(rig.world, (done) => view.range('r/b', 'r/c', 1, done)));
    expect(page.map(({ key }) => key)).toEqual(['r/b']);
  });

  test('is over when it is closed, with its store, and with the life that opened it', () => {
    const rig = openStore();
    write(rig, put('r/a', 1));
    const open = (): Range & { close(): void } =>
      valueOf(answerOf(rig.world, rig.keyValue.snapshot));
    const rangeOf = (view: Range): Stored<unknown> =>
      answerOf(rig.world, (done) => view.range('', '~', 10, done));
    const [closed, kept] = [open(), open()];
    closed.close();
    closed.close();
    expect([rangeOf(closed).ok, rangeOf(kept).ok]).toEqual([false, true]);
    answerOf<void>(rig.world, (done) =>
      rig.keyValue.close(() => done({ ok: true, value: undefined })),
    );
    expect(rangeOf(kept)).toMatchObject({ ok: false, failure: { kind: 'io' } });
    expect(answerOf(rig.world, rig.keyValue.snapshot).ok).toBe(false);
    const next = openStore();
    const view = valueOf(answerOf(next.world, next.keyValue.snapshot));
    next.disk.crash();
    let hasAnswer = false;
    view.range('', '~', 10, () => (hasAnswer = true));
    next.world.runSync(10_000_000);
    expect(hasAnswer).toBe(false);
  });

  test.each([
    ['a flipped bit', rotRow],
    ['a missing row', loseRow],
    ['a misdirected row', misdirectRow],
  ])('INV-20 %s shows in it too, unless its row is another one', (_name, damage) => {
    const rig = openStore();
    write(rig, put('l/1', 1), put('r/a', 1), put('r/b', 2), put('r/c', 3));
    const view = valueOf(answerOf(rig.world, rig.keyValue.snapshot));
    const whole = contentOf(rig.world, view);
    write(rig, put('r/c', 4));
    expect(damage(rig.disk.store, STATE_ROWS, 0)).toBe(true);
    expect(contentOf(rig.world, view)).toEqual(whole);
    expect(damage(rig.disk.store, STATE_ROWS, 1)).toBe(true);
    expect(contentOf(rig.world, view)).not.toEqual(whole);
    expect(rig.disk.isDamaged).toBe(true);
    expect(rotRow(rig.disk.store, LOG_ROWS, 0)).toBe(true);
  });

  test('takes its time on a slow disk, and none at all goes on while the disk hangs', () => {
    const rig = openStore();
    const view = valueOf(answerOf(rig.world, rig.keyValue.snapshot));
    rig.disk.extraDelayUs = 50_000;
    const beganUs = rig.world.nowUs;
    contentOf(rig.world, view);
    expect(rig.world.nowUs - beganUs).toBeGreaterThan(50_000);
    const undo = rig.disk.writes.stall();
    const answers: string[] = [];
    view.range('', '~', 10, () => answers.push('view'));
    rig.keyValue.range('', '~', 10, () => answers.push('store'));
    rig.keyValue.batch([put('r/a', 1)], () => answers.push('batch'));
    rig.world.runSync(rig.world.nowUs + 5_000_000);
    expect(answers).toEqual([]);
    undo();
    rig.world.runSync(() => answers.length === 3);
    expect(answers.toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
      'batch',
      'store',
      'view',
    ]);
  });

  test('fails like any read', () => {
    const rig = openStore();
    const view = valueOf(answerOf(rig.world, rig.keyValue.snapshot));
    const failure = { kind: 'io', message: 'EIO' } as const;
    rig.disk.fail({ operation: 'range', failure });
    rig.disk.fail({ operation: 'snapshot', failure });
    expect(answerOf(rig.world, (done) => view.range('', '~', 10, done))).toEqual({
      ok: false,
      failure,
    });
    expect(answerOf(rig.world, rig.keyValue.snapshot)).toEqual({ ok: false, failure });
  });
});

describe('M-81 what a power loss may cost', () => {
  const CHECKPOINT = put('r/a', 1);
  const LATER = put('l/1', 2);

  /** What is left of an unsynced batch and a later synced one, over many kinds of luck. */
  function left(hasHoles: boolean): ReadonlySet<string> {
    const outcomes = Array.from({ length: 20 }, (_, seed) => {
      const syncsBatches = (ops: readonly KeyValueOp[]): boolean => ops[0]?.key !== CHECKPOINT.key;
      const rig = openStore({ hasHoles, syncsBatches }, seed);
      write(rig, CHECKPOINT);
      write(rig, LATER);
      rig.disk.losePower();
      return rig.disk.store.keys().join();
    });
    return new Set(outcomes);
  }

  test('an unsynced batch before a synced one, if it has holes', () => {
    expect(left(true)).toEqual(new Set(['l/1', 'l/1,r/a']));
    expect(left(false)).toEqual(new Set(['l/1,r/a']));
  });

  test('the earlier of two batches that are under way at the same time', () => {
    const outcomes = Array.from({ length: 40 }, (_, seed) => {
      const rig = openStore({}, seed);
      rig.keyValue.batch([CHECKPOINT], () => {});
      rig.keyValue.batch([LATER], () => {});
      rig.disk.losePower();
      return rig.disk.store.keys().join();
    });
    expect(new Set(outcomes)).toEqual(new Set(['', 'l/1', 'r/a', 'l/1,r/a']));
  });

  test('M-64 two batches that nobody waits for may land in either order', () => {
    const last = Array.from({ length: 20 }, (_, seed) => {
      const rig = openStore({}, seed);
      let answers = 0;
      for (const value of [1, 2]) rig.keyValue.batch([put('r/a', value)], () => answers++);
      rig.world.runSync(() => answers === 2);
      return rig.disk.store.value('r/a')?.join();
    });
    expect(new Set(last)).toEqual(new Set(['1', '2']));
  });

  test('nothing of a batch that was synced', () => {
    const store = new StoreImage();
    store.land([CHECKPOINT], false);
    store.land([LATER], true);
    store.settle();
    store.losePower(() => 0, true);
    expect(store.keys()).toEqual(['l/1', 'r/a']);
  });
});
