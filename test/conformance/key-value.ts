// What every KeyValue must do; run for LevelDB and for the simulated disk.

import { describe, expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import type {
  KeyValue,
  KeyValueOp,
  KeyValuePair,
  KeyValueSnapshot,
  Stored,
} from '../../src/ports/storage.ts';

/** One place where a store may be; handles share it as processes share a directory. */
export interface KeyValueMedium {
  handle(): KeyValue;
  /** Makes the call and waits for its answer; fails when the answer comes inside the call. */
  ask<T>(start: (done: (answer: T) => void) => void): Promise<T>;
  dispose(): void;
}

/** Defines the suite for stores on media of this kind. */
export function keyValueSuite(name: string, createMedium: () => KeyValueMedium): void {
  const on = (work: (driver: Driver) => Promise<void>) => async (): Promise<void> => {
    const medium = createMedium();
    try {
      await work(new Driver(medium));
    } finally {
      medium.dispose();
    }
  };

  describe(`${name} as a store`, () => {
    test(
      'is created once, and only when asked to',
      on(async (driver) => {
        const store = driver.medium.handle();
        expect(failureOf(await driver.open(store, false)).kind).toBe('corrupt');
        expect(await driver.open(store, true)).toEqual({ ok: true, value: { created: true } });
        await driver.close(store);
        const again = driver.medium.handle();
        expect(await driver.open(again, false)).toEqual({ ok: true, value: { created: false } });
        await driver.close(again);
        const third = driver.medium.handle();
        expect(await driver.open(third, true)).toEqual({ ok: true, value: { created: false } });
        await driver.close(third);
      }),
    );

    test(
      'belongs to one handle at a time',
      on(async (driver) => {
        const store = await driver.opened();
        const other = driver.medium.handle();
        expect(failureOf(await driver.open(other, true)).kind).toBe('locked');
        await driver.write(store, [put('a', 1)]);
        await driver.close(store);
        expect((await driver.open(other, false)).ok).toBe(true);
        expect(await driver.keys(other)).toEqual(['a']);
        await driver.close(other);
      }),
    );

    test(
      'gives back what was put, through a close and an open',
      on(async (driver) => {
        const store = await driver.opened();
        const large = new Uint8Array(1_000_000).map((_, at) => at % 251);
        await driver.write(store, [
          { type: 'put', key: 'empty', value: new Uint8Array() },
          { type: 'put', key: 'large', value: large },
        ]);
        await driver.close(store);
        const again = await driver.opened(false);
        const pairs = await driver.range(again, 'a', 'z');
        expect(pairs.map(({ key, value }) => [key, value.length])).toEqual([
          ['empty', 0],
          ['large', 1_000_000],
        ]);
        expect(large.every((byte, at) => pairs[1]?.value[at] === byte)).toBe(true);
        await driver.close(again);
      }),
    );

    test(
      'applies the operations of a batch in their order',
      on(async (driver) => {
        const store = await driver.opened();
        await driver.write(store, [put('a', 1), put('b', 1), put('c', 1)]);
        await driver.write(store, [remove('a'), remove('b'), remove('none'), put('b', 2)]);
        const pairs = await driver.range(store, 'a', 'z');
        expect(pairs.map(({ key, value }) => [key, value[0]])).toEqual([
          ['b', 2],
          ['c', 1],
        ]);
        await driver.close(store);
      }),
    );

    test(
      'lists from the lower bound to below the upper, in order of bytes',
      on(async (driver) => {
        const store = await driver.opened();
        const keys = ['l/10', 'l/9', 'l/a', 'l0', 'm/x', 'L/1', 'l/'];
        await driver.write(
          store,
          keys.map((key) => put(key, 1)),
        );
        const ranges = await Promise.all([
          driver.range(store, 'l/', 'l0'),
          driver.range(store, 'l/9', 'l/a'),
          driver.range(store, 'l/10\0', 'l/a'),
          driver.range(store, 'x', 'z'),
        ]);
        expect(ranges.map((pairs) => pairs.map(({ key }) => key))).toEqual([
          ['l/', 'l/10', 'l/9', 'l/a'],
          ['l/9'],
          ['l/9'],
          [],
        ]);
        await driver.close(store);
      }),
    );

    test(
      'ends a page near the bytes asked for, with at least one pair',
      on(async (driver) => {
        const store = await driver.opened();
        const values = ['a', 'b', 'c', 'd', 'e', 'f'].map((key): KeyValueOp => ({
          type: 'put',
          key,
          value: new Uint8Array(10_000),
        }));
        await driver.write(store, values);
        expect((await driver.range(store, 'a', 'z', 1)).length).toBe(1);
        const some = (await driver.range(store, 'a', 'z', 25_000)).length;
        expect([2, 3, 4]).toContain(some);
        expect((await driver.range(store, 'a', 'z', 1_000_000)).length).toBe(6);
        await driver.close(store);
      }),
    );

    test(
      'gives values that later writes and readers do not change',
      on(async (driver) => {
        const store = await driver.opened();
        await driver.write(store, [put('a', 1)]);
        const [first] = await driver.range(store, 'a', 'z');
        present(first, 'a pair').value[0] = 99;
        await driver.write(store, [put('a', 2)]);
        const [second] = await driver.range(store, 'a', 'z');
        expect([first?.value[0], second?.value[0]]).toEqual([99, 2]);
        await driver.close(store);
      }),
    );

    test(
      'takes a long batch while it is made, and writes it as one',
      on(async (driver) => {
        const store = await driver.opened();
        await driver.write(store, [put('before', 1)]);
        function* many(): Iterable<KeyValueOp> {
          yield remove('before');
          for (let at = 0; at < 5_000; at++) yield put(`many/${at}`, at % 256);
        }
        await driver.write(store, many());
        const pairs = await driver.range(store, 'many/', 'many0');
        expect(pairs.length).toBe(5_000);
        expect(pairs.find(({ key }) => key === 'many/4242')?.value[0]).toBe(4_242 % 256);
        expect((await driver.keys(store)).length).toBe(5_000);
        await driver.close(store);
      }),
    );

    test(
      'shows in a snapshot what it held then, whatever is written later',
      on(async (driver) => {
        const store = await driver.opened();
        await driver.write(store, [put('a', 1), put('b', 1), put('c', 1)]);
        const first = await driver.snapshot(store);
        await driver.write(store, [remove('a'), put('b', 2), put('d', 2)]);
        const second = await driver.snapshot(store);
        await driver.write(store, [put('a', 3)]);
        expect(await driver.content(first)).toEqual({ a: 1, b: 1, c: 1 });
        expect(await driver.content(second)).toEqual({ b: 2, c: 1, d: 2 });
        expect(await driver.content(store)).toEqual({ a: 3, b: 2, c: 1, d: 2 });
        first.close();
        expect(await driver.content(second)).toEqual({ b: 2, c: 1, d: 2 });
        const closed = await driver.medium.ask<Stored<unknown>>((done) =>
          first.range('a', 'z', 1, done),
        );
        expect(failureOf(closed).kind).toBe('io');
        await driver.close(store);
        const late = await driver.medium.ask<Stored<unknown>>((done) =>
          second.range('a', 'z', 1, done),
        );
        expect(failureOf(late).kind).toBe('io');
      }),
    );

    test(
      'tells its free bytes',
      on(async (driver) => {
        const store = await driver.opened();
        const free = await driver.medium.ask<Stored<number>>((done) => store.freeBytes(done));
        expect(free.ok && free.value > 0).toBe(true);
        await driver.close(store);
      }),
    );

    test(
      'fails, and does not throw, when it is not open',
      on(async (driver) => {
        const store = await driver.opened();
        await driver.close(store);
        const { medium } = driver;
        const batch = await medium.ask<Stored<void>>((done) => store.batch([put('a', 1)], done));
        expect(failureOf(batch).kind).toBe('io');
        const range = await medium.ask<Stored<unknown>>((done) => store.range('a', 'z', 1, done));
        expect(failureOf(range).kind).toBe('io');
        await driver.close(store);
      }),
    );
  });
}

class Driver {
  readonly medium: KeyValueMedium;

  constructor(medium: KeyValueMedium) {
    this.medium = medium;
  }

  open(store: KeyValue, create: boolean): Promise<Stored<{ readonly created: boolean }>> {
    return this.medium.ask((done) => store.open(create, done));
  }

  async opened(create = true): Promise<KeyValue> {
    const store = this.medium.handle();
    expect((await this.open(store, create)).ok).toBe(true);
    return store;
  }

  async close(store: KeyValue): Promise<void> {
    await this.medium.ask<void>((done) => store.close(done));
  }

  async snapshot(store: KeyValue): Promise<KeyValueSnapshot> {
    const result = await this.medium.ask<Stored<KeyValueSnapshot>>((done) => store.snapshot(done));
    if (!result.ok) throw new Error(result.failure.message);
    return result.value;
  }

  /** All keys with the first byte of their values; read one pair at a time. */
  async content(source: Pick<KeyValue, 'range'>): Promise<Readonly<Record<string, number>>> {
    const found: Record<string, number> = {};
    for (let from = ' '; ;) {
      const [pair] = await this.range(source, from, '~', 1);
      if (pair === undefined) return found;
      found[pair.key] = pair.value[0] ?? -1;
      from = `${pair.key}\0`;
    }
  }

  async write(store: KeyValue, ops: Iterable<KeyValueOp>): Promise<void> {
    expect(await this.medium.ask<Stored<void>>((done) => store.batch(ops, done))).toEqual({
      ok: true,
      value: undefined,
    });
  }

  async range(
    store: Pick<KeyValue, 'range'>,
    from: string,
    to: string,
    maxBytes = 10_000_000,
  ): Promise<readonly KeyValuePair[]> {
    const result = await this.medium.ask<Stored<readonly KeyValuePair[]>>((done) =>
      store.range(from, to, maxBytes, done),
    );
    if (!result.ok) throw new Error(result.failure.message);
    return result.value;
  }

  async keys(store: KeyValue): Promise<readonly string[]> {
    return (await this.range(store, '\0', '~')).map(({ key }) => key);
  }
}

function put(key: string, byte: number): KeyValueOp {
  return { type: 'put', key, value: Uint8Array.of(byte) };
}

function remove(key: string): KeyValueOp {
  return { type: 'delete', key };
}

function failureOf(result: Stored<unknown>): { readonly kind: string; readonly message: string } {
  if (result.ok) throw new Error('the call succeeded');
  return result.failure;
}
