import { describe, expect, test } from 'vitest';
import { Rig, expectRefused } from './rig.ts';

const DONE = { code: 'DONE' };

describe('a lock', () => {
  test('INV-16 goes to the first who asks, with the index of the entry as token', () => {
    const rig = new Rig();
    const client = rig.open();
    expect(rig.acquire(client, 'a', { meta: '{"job":7}', value: 'v' })).toEqual({
      code: 'GRANTED',
      token: rig.index,
      slots: [],
    });
    expect(rig.events).toEqual([
      {
        type: 'granted',
        session: client.id,
        acquireSeq: 1,
        token: rig.index,
        names: ['a'],
        slots: [],
        value: 'v',
      },
    ]);
    expect(rig.machine.inspect('a').holders).toEqual([
      {
        token: rig.index,
        session: client.id,
        acquireSeq: 1,
        mode: 'exclusive',
        permits: null,
        slots: [],
        sessionName: 'worker',
        sessionMeta: '{"pid":1}',
        meta: '{"job":7}',
        value: 'v',
        sinceMs: 2_000,
      },
    ]);
  });

  test('INV-19 is handed on in log order; the token is the index of the releasing entry', () => {
    const rig = new Rig();
    const [holder, second, third] = [rig.open(), rig.open(), rig.open()];
    const token = rig.take(holder, 'a');
    expect(rig.acquire(second, 'a')).toEqual({ code: 'QUEUED', ahead: 0 });
    expect(rig.acquire(third, 'a', { waitMs: 500 })).toEqual({ code: 'QUEUED', ahead: 1 });
    expect(rig.events).toEqual([
      { type: 'queued', session: third.id, acquireSeq: 1, waitMs: 500, names: ['a'] },
    ]);
    expect(rig.release(holder, 'a', token)).toEqual(DONE);
    expect(rig.events.map((event) => event.type)).toEqual(['freed', 'granted']);
    expect(rig.tokens('a')).toEqual([rig.index]);
    expect(rig.holders('a')).toEqual([second.id]);
    expect(rig.waiters('a')).toEqual([third.id]);
  });

  test('C7 C3 goes to exactly one of a hundred waiters when the holder expires', () => {
    const rig = new Rig();
    const holder = rig.open();
    rig.take(holder, 'a');
    const waiters = Array.from({ length: 100 }, () => rig.open());
    for (const waiter of waiters) rig.acquire(waiter, 'a');
    rig.expire(holder);
    expect(rig.events.filter((event) => event.type === 'granted')).toHaveLength(1);
    expect(rig.holders('a')).toEqual([waiters[0]?.id]);
    expect(rig.waiters('a')).toEqual(waiters.slice(1).map((waiter) => waiter.id));
  });

  test('C6 is not shared by two acquires of one session, and each frees only its own', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    expect(rig.acquire(client, 'a')).toEqual({ code: 'QUEUED', ahead: 0 });
    expectRefused(rig.release(client, 'a', token, 2), 'NOT_HOLDER', /held with token/);
    rig.release(client, 'a', token, 1);
    const second = rig.index;
    expect(rig.tokens('a')).toEqual([second]);
    expectRefused(rig.release(client, 'a', token, 1), 'NOT_HOLDER', /held with token/);
    expect(rig.tokens('a')).toEqual([second]);
  });

  test('M-57 is not free for a newcomer while somebody waits, in adjacent entries too', () => {
    const rig = new Rig();
    const [holder, waiter, late] = [rig.open(), rig.open(), rig.open()];
    const token = rig.take(holder, 'a');
    rig.acquire(waiter, 'a');
    rig.release(holder, 'a', token);
    const busy = rig.acquire(late, 'a', { waitMs: 0 });
    expect(busy).toMatchObject({ code: 'LOCK_BUSY', holder: { session: waiter.id } });
    expect(rig.acquire(late, 'a')).toEqual({ code: 'QUEUED', ahead: 0 });
  });

  test('LOCK_BUSY names the first lock that is not free and shows its holder', () => {
    const rig = new Rig();
    const [holder, client] = [rig.open({ name: 'billing' }), rig.open()];
    const token = rig.take(holder, 'b', { meta: '{"job":7}' });
    const busy = rig.acquire(client, ['a', 'b'], { waitMs: 0 });
    expect(busy).toEqual({
      code: 'LOCK_BUSY',
      name: 'b',
      holder: rig.machine.inspect('b').holders[0],
      ghost: null,
      aheadIndex: 0,
    });
    expect(busy).toMatchObject({ holder: { token, sessionName: 'billing', meta: '{"job":7}' } });
    expect(rig.events).toEqual([]);
    expect(rig.machine.lockCount()).toBe(1);
  });
});

describe('a request for several names', () => {
  test('gets all of them in one entry under one token, and gives all back together', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, ['a', 'b', 'c']);
    expect(['a', 'b', 'c'].flatMap((name) => rig.tokens(name))).toEqual([token, token, token]);
    expect(rig.machine.session(client.id)?.held).toBe(3);
    expect(rig.release(client, 'b', token, 1)).toEqual(DONE);
    expect(rig.events).toMatchObject([{ type: 'freed', names: ['a', 'b', 'c'] }]);
    expect(rig.machine.lockCount()).toBe(0);
  });

  test('waits in all queues until it heads each of them and all names are free', () => {
    const rig = new Rig();
    const [one, two, both] = [rig.open(), rig.open(), rig.open()];
    const tokenA = rig.take(one, 'a');
    const tokenB = rig.take(two, 'b');
    expect(rig.acquire(both, ['a', 'b'])).toEqual({ code: 'QUEUED', ahead: 0 });
    rig.release(one, 'a', tokenA);
    expect(rig.holders('a')).toEqual([]);
    rig.release(two, 'b', tokenB);
    expect([...rig.holders('a'), ...rig.holders('b')]).toEqual([both.id, both.id]);
  });

  test('INV-19 keeps a free name idle behind it, and LOCK_BUSY names the waiter in front', () => {
    const rig = new Rig();
    const [one, both, late] = [rig.open(), rig.open(), rig.open()];
    rig.take(one, 'a');
    rig.acquire(both, ['a', 'b']);
    const bothIndex = rig.index;
    expect(rig.acquire(late, 'b', { waitMs: 0 })).toEqual({
      code: 'LOCK_BUSY',
      name: 'b',
      holder: null,
      ghost: null,
      aheadIndex: bothIndex,
    });
    expect(rig.acquire(late, 'b')).toEqual({ code: 'QUEUED', ahead: 1 });
    expect(rig.holders('b')).toEqual([]);
  });

  test('M-71 LIV-6 when it gives up, those behind it get what was idle in the same entry', () => {
    for (const giveUp of ['cancel', 'withdraw', 'close', 'expire'] as const) {
      const rig = new Rig();
      const [one, both, late] = [rig.open(), rig.open(), rig.open()];
      rig.take(one, 'a');
      rig.acquire(both, ['a', 'b']);
      rig.acquire(late, 'b');
      if (giveUp === 'cancel' || giveUp === 'withdraw') rig[giveUp](both, 1);
      else rig[giveUp](both);
      expect(rig.holders('b')).toEqual([late.id]);
      expect(rig.tokens('b')).toEqual([rig.index]);
    }
  });

  test('never deadlocks with another that names the same locks in the other order', () => {
    const rig = new Rig();
    const [one, two] = [rig.open(), rig.open()];
    const token = rig.take(one, ['a', 'b']);
    rig.acquire(two, ['b', 'a']);
    rig.acquire(one, ['a', 'b']);
    rig.release(one, 'a', token);
    expect(rig.holders('a')).toEqual([two.id]);
    expect(rig.waiters('b')).toEqual([one.id]);
    rig.release(two, 'a', rig.index);
    expect(rig.holders('b')).toEqual([one.id]);
  });

  test('one pass serves waiters of all freed names in ascending index', () => {
    const rig = new Rig();
    const [holder, ...waiters] = Array.from({ length: 4 }, () => rig.open());
    if (holder === undefined) throw new Error('four sessions');
    const token = rig.take(holder, ['a', 'b', 'c']);
    const names = [['c'], ['a', 'b'], ['b']];
    for (const [at, waiter] of waiters.entries()) rig.acquire(waiter, names[at] ?? []);
    rig.release(holder, 'a', token);
    const granted = rig.events.filter((event) => event.type === 'granted');
    expect(granted.map((event) => event.names)).toEqual([['c'], ['a', 'b']]);
    expect(rig.waiters('b')).toEqual([waiters[2]?.id]);
  });
});

test('tokenOf tells what an acquire holds: nothing while it waits, nor once it is over', () => {
  const rig = new Rig();
  const [one, two] = [rig.open(), rig.open()];
  rig.acquire(one, 'a');
  rig.acquire(two, 'a');
  const tokens = (): number[] => [one, two].map(({ id }) => rig.machine.tokenOf(id, 1));
  expect(tokens()).toEqual([3, 0]);
  rig.close(one);
  expect(tokens()).toEqual([0, 5]);
  expect(rig.machine.tokenOf(two.id, 2)).toBe(0);
});
