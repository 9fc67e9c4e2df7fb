import { describe, expect, test } from 'vitest';
import type { RequestItem } from '../../src/locks/commands.ts';
import { Rig, expectRefused } from './rig.ts';

describe('names', () => {
  test('H1 "a", "a/", "a/b", "A" are unrelated; "", "..", control characters refused', () => {
    const rig = new Rig();
    const clients = ['a', 'a/', 'a/b', 'A', 'path', 'path/1'].map((name) => {
      const client = rig.open();
      rig.take(client, name);
      return client;
    });
    expect(clients).toHaveLength(6);
    const client = rig.open();
    for (const name of ['', '.', '..', 'a\u0000b', 'a\u0085', '\ud800', 'é'.repeat(257)]) {
      expectRefused(rig.acquire(client, name), 'INVALID', /name/);
    }
    rig.take(client, 'é'.repeat(256));
    expect(rig.machine.lockCount()).toBe(7);
  });

  test('are listed in byte order, by prefix, page by page', () => {
    const rig = new Rig();
    const client = rig.open();
    for (const name of ['b', 'a/b', '\u{1f600}', 'a', '\uffee', 'a/', 'a/c', '0']) {
      rig.take(client, name);
    }
    const names = (prefix: string, after: string, limit: number) =>
      rig.machine.list(prefix, after, limit).map((view) => view.name);
    expect(names('', '', 100)).toEqual(['0', 'a', 'a/', 'a/b', 'a/c', 'b', '\uffee', '\u{1f600}']);
    expect(names('a', '', 2)).toEqual(['a', 'a/']);
    expect(names('a', 'a/', 100)).toEqual(['a/b', 'a/c']);
    expect(names('a', 'b', 100)).toEqual([]);
    expect(names('a/', '0', 100)).toEqual(['a/', 'a/b', 'a/c']);
    expect(names('x', '', 100)).toEqual([]);
    expect(names('', '', 0)).toEqual([]);
  });
});

describe('a request', () => {
  test('names 1 to 64 locks, each once', () => {
    const rig = new Rig();
    const client = rig.open();
    const many = Array.from({ length: 65 }, (_, at) => `lock-${at}`);
    expectRefused(rig.acquire(client, []), 'INVALID', /must name 1 to 64 locks \(got 0\)/);
    expectRefused(rig.acquire(client, many), 'INVALID', /\(got 65\)/);
    expectRefused(rig.acquire(client, ['a', 'b', 'a']), 'INVALID', /each lock once \("a" twice\)/);
    rig.take(client, many.slice(1));
    expect(rig.machine.lockCount()).toBe(64);
  });

  test('asks for a lock of either mode, or for permits of a semaphore', () => {
    const rig = new Rig();
    const client = rig.open();
    const refused = (item: Partial<RequestItem>, text: RegExp) => {
      const items = [{ name: 'a', mode: 'exclusive', permits: null, ...item }] as const;
      expectRefused(rig.acquire(client, 'a', { items }), 'INVALID', text);
    };
    for (const total of [0, -1, 0.5, 1_000_001, Number.NaN]) {
      refused({ permits: [1, total] }, /a semaphore must have 1 to 1000000 permits/);
    }
    for (const taken of [0, -1, 0.5, 5, Infinity]) {
      refused({ permits: [taken, 4] }, /may take 1 to 4 permits of "a", a semaphore of 4/);
    }
    refused({ permits: [1_025, 1_000_000] }, /may take 1 to 1024 permits/);
    refused({ mode: 'shared', permits: [1, 4] }, /mode must be "exclusive" with permits/);
    const most = [{ name: 'a', mode: 'exclusive', permits: [1_024, 1_000_000] }] as const;
    rig.take(client, 'a', { items: most });
  });

  test('waits a whole number of milliseconds, and carries a bounded text', () => {
    const rig = new Rig();
    const client = rig.open();
    for (const waitMs of [-1, 0.5, Number.NaN, Infinity]) {
      expectRefused(rig.acquire(client, 'a', { waitMs }), 'INVALID', /waitMs must be null or/);
    }
    const long = 'x'.repeat(4_097);
    expectRefused(
      rig.acquire(client, 'a', { meta: long }),
      'INVALID',
      /meta may have at most 4096/,
    );
    expectRefused(rig.acquire(client, 'a', { value: long }), 'INVALID', /value may have at most/);
    rig.take(client, 'a', { meta: long.slice(1), value: long.slice(1), waitMs: 0 });
  });

  test('is refused when its session would hold and wait for too many names', () => {
    const rig = new Rig({ holdingsPerSessionMax: 3 });
    const [client, other] = [rig.open(), rig.open()];
    const token = rig.take(client, ['a', 'b']);
    expectRefused(
      rig.acquire(client, ['c', 'd']),
      'INVALID',
      /for 3 names, .*has 2, and asks for 2/,
    );
    rig.take(other, 'c');
    expect(rig.acquire(client, 'c').code).toBe('QUEUED');
    expectRefused(rig.acquire(client, 'd'), 'INVALID', /it has 3/);
    rig.release(client, 'a', token);
    rig.take(client, ['a', 'd']);
  });
});
