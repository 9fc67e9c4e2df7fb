import { expect, test } from 'vitest';
import type { Row } from '../../src/locks/machine-types.ts';
import { hashOfRows, keyNumber, rowHash } from '../../src/locks/rows.ts';
import { Rig } from './rig.ts';

const EMPTY_HASH = '0000000000000000';

test('each session, record, waiter and grant is one row; a lock has none of its own', () => {
  const rig = new Rig();
  const [client, waiter] = [rig.open(), rig.open()];
  const token = rig.take(client, ['a', 'b'], { meta: '{"job":7}', value: 'v' });
  rig.acquire(waiter, 'b', { waitMs: 250 });
  rig.acquire(waiter, '..');
  const rows = [...mirror(rig, new Map()).values()].sort((left, right) =>
    left.key < right.key ? -1 : 1,
  );
  const [one, two] = ['00000000000001', '00000000000002'];
  const items = (...names: string[]) => names.map((name) => [name, 'exclusive', null]);
  const session = (id: string) => [id.slice(2), 15_000, 0, 'worker', '{"pid":1}', 1_000, 0, true];
  const refusal = '".." cannot be a name: no URL can carry it';
  const granted = [3, 1_000, '{"job":7}', 'v', 2_000];
  expect(rows).toEqual([
    { key: `s/${one}`, value: session(client.id) },
    { key: `s/${one}/g/${one}`, value: [...granted, items('a', 'b'), token, []] },
    { key: `s/${two}`, value: session(waiter.id) },
    { key: `s/${two}/r/${two}`, value: [2_000, ['INVALID', refusal]] },
    { key: `s/${two}/w/${one}`, value: [4, 1_000, '{}', null, 2_000, items('b'), 250] },
  ]);
});

test('INV-5 changes are enough to keep a copy, whenever they are taken', () => {
  const rig = new Rig();
  const copy = new Map<string, Row>();
  const clients = [rig.open(), rig.open(), rig.open()];
  for (let round = 0; round < 40; round++) {
    for (const client of clients) {
      const outcome = rig.acquire(client, `lock-${round % 3}`);
      if (round % 4 === 0) mirror(rig, copy);
      if (round % 5 === 0) client.ackedBelow = client.seq;
      if (outcome.code === 'GRANTED') rig.release(client, `lock-${round % 3}`, outcome.token);
      else rig.cancel(client, client.seq);
    }
  }
  mirror(rig, copy);
  expect(copy.size).toBeGreaterThan(3);
  expect(hashOfRows(copy.values())).toBe(rig.machine.stateHash());
});

test('INV-5 changes that are taken a few at a time are enough as well', () => {
  const rig = new Rig();
  const copy = new Map<string, Row>();
  const client = rig.open();
  for (let round = 0; round < 40; round++) {
    const names = Array.from({ length: 5 }, (_, at) => `lock-${round % 3}-${at}`);
    const tokens = names.map((name) => rig.take(client, name));
    const count = rig.machine.changedCount();
    mirror(rig, copy, 4);
    expect(rig.machine.changedCount()).toBe(Math.max(0, count - 4));
    if (round % 7 === 0) client.ackedBelow = client.seq;
    names.forEach((name, at) => rig.release(client, name, tokens[at] ?? 0));
  }
  expect(rig.machine.changedCount()).toBeGreaterThan(4);
  mirror(rig, copy);
  expect(hashOfRows(copy.values())).toBe(rig.machine.stateHash());
});

test('a row that comes and goes between two takes is no change', () => {
  const rig = new Rig();
  const client = rig.open();
  rig.machine.takeChanges();
  expect(rig.machine.takeChanges()).toEqual([]);
  const token = rig.take(client, 'a');
  client.ackedBelow = 2;
  rig.release(client, 'a', token);
  const kinds = rig.machine.takeChanges().map(({ key }) => key.replaceAll(/\w{2,}/g, ''));
  expect(kinds).toEqual(['s/', 's//r/']);
});

test('INV-5 equal states have equal hashes, whenever they were asked for them', () => {
  const [asked, silent] = [new Rig(), new Rig()];
  for (const rig of [asked, silent]) {
    const clients = [rig.open(), rig.open()];
    for (const client of clients) {
      for (const name of ['a', 'b', 'a']) {
        rig.acquire(client, name);
        if (rig === asked) rig.machine.stateHash();
      }
    }
    rig.expire(clients[0] ?? rig.open());
  }
  expect(asked.machine.stateHash()).toBe(silent.machine.stateHash());
});

test('INV-5 the hash tells states apart, and is that of nothing when all is gone', () => {
  const rig = new Rig();
  expect(rig.machine.stateHash()).toBe(EMPTY_HASH);
  const client = rig.open();
  const opened = rig.machine.stateHash();
  const token = rig.take(client, 'a');
  const granted = rig.machine.stateHash();
  rig.release(client, 'a', token);
  const released = rig.machine.stateHash();
  expect(new Set([EMPTY_HASH, opened, granted, released]).size).toBe(4);
  rig.close(client);
  expect(rig.machine.stateHash()).toBe(EMPTY_HASH);
});

test('the hash of a row tells types, nesting and key apart', () => {
  const values = ['1', 1, true, false, null, [], [[]], [1, 2], [[1], 2], [[1, 2]], 0, '', 2 ** 40];
  const rows: Row[] = values.map((value) => ({ key: 'x', value }));
  rows.push({ key: 'y', value: 1 });
  const hashes = new Set(rows.map((row) => rowHash(row).join('-')));
  expect(hashes.size).toBe(rows.length);
});

test('G3 a free lock leaves no trace: 10,000 random names and many rounds later', () => {
  const rig = new Rig();
  const client = rig.open();
  const before = rig.machine.stateHash();
  let random = 1;
  for (let round = 0; round < 10_000; round++) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    client.ackedBelow = client.seq + 1;
    const seq = client.seq + 1;
    const name = `lock/${random.toString(36)}`;
    const token = rig.take(client, name);
    expect(rig.machine.lockCount()).toBe(1);
    client.ackedBelow = client.seq + 1;
    rig.release(client, name, token, seq);
  }
  expect(rig.machine.lockCount()).toBe(0);
  expect(rig.machine.list('', '', 10)).toEqual([]);
  const kinds = rig.machine.takeChanges().map(({ key }) => key.replaceAll(/\w{2,}/g, ''));
  expect(kinds).toEqual(['s/', 's//r/']);
  rig.close(client);
  expect(rig.machine.stateHash()).not.toBe(before);
  expect(rig.machine.stateHash()).toBe(EMPTY_HASH);
});

test('keys tell numbers in 14 hex digits, so that they are ordered as the numbers are', () => {
  const edges = [
    0,
    1,
    9,
    10,
    15,
    16,
    2 ** 28 - 1,
    2 ** 28,
    2 ** 32,
    2 ** 45 + 0xabcdef,
    2 ** 53 - 1,
  ];
  for (const value of edges) {
    expect(keyNumber(value)).toBe(value.toString(16).padStart(14, '0'));
  }
});

/** Brings a copy of all rows up to date by the changes alone. */
function mirror(rig: Rig, copy: Map<string, Row>, limit?: number): Map<string, Row> {
  const changes = rig.machine.takeChanges(limit);
  expect(new Set(changes.map(({ key }) => key)).size).toBe(changes.length);
  for (const { key, value } of changes) {
    if (value === null) copy.delete(key);
    else copy.set(key, { key, value });
  }
  return copy;
}
