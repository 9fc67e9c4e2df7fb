import { describe, expect, test } from 'vitest';
import { Rig, expectRefused, permits, shared } from './rig.ts';
import type { Client } from './rig.ts';

const DONE = { code: 'DONE' };
const DELAY = { lockDelayMs: 5_000 };

/** "a" was held by a session that expired with a lock-delay; another one waits for it. */
function haunted(): { rig: Rig; gone: Client; token: number; closedAt: number; next: Client } {
  const rig = new Rig();
  const [gone, next] = [rig.open({ ...DELAY, name: 'billing' }), rig.open()];
  const token = rig.take(gone, 'a');
  rig.acquire(next, 'a');
  rig.expire(gone);
  return { rig, gone, token, closedAt: rig.index, next };
}

describe('a lock-delay', () => {
  test('C15 keeps a lock closed after an expiry, and tells whose it was', () => {
    const { rig, gone, token, closedAt, next } = haunted();
    const fact = { session: gone.id, acquireSeq: 1, token };
    expect(rig.events.slice(1)).toEqual([
      { type: 'freed', ...fact, cause: 'expired', names: ['a'], reason: '' },
      { type: 'delayed', ...fact, name: 'a', closedAt, delayMs: 5_000 },
    ]);
    const view = rig.machine.inspect('a');
    expect(view).toMatchObject({ holders: [], holderCount: 0, waiterCount: 1 });
    const ghost = {
      ...fact,
      mode: 'exclusive',
      permits: null,
      slots: [],
      sessionName: 'billing',
      lockDelayMs: 5_000,
      closedAt,
    };
    expect(view.ghosts).toEqual([ghost]);
    expect(rig.acquire(next, 'a', { waitMs: 0 })).toEqual({
      code: 'LOCK_BUSY',
      name: 'a',
      holder: null,
      ghost,
      aheadIndex: 0,
    });
  });

  test('C15 is none after a close, a release, a cancel, a break, or the end by an operator', () => {
    for (const end of ['close', 'release', 'cancel', 'break', 'endSession'] as const) {
      const rig = new Rig();
      const [client, next] = [rig.open(DELAY), rig.open()];
      const token = rig.take(client, 'a');
      rig.acquire(next, 'a');
      if (end === 'release') rig.release(client, 'a', token);
      else if (end === 'break') rig.breakLock('a', token);
      else if (end === 'cancel') rig.cancel(client, 1);
      else rig[end](client);
      expect(rig.holders('a')).toEqual([next.id]);
      expect(rig.machine.inspect('a').ghosts).toEqual([]);
    }
  });

  test('is none for a session without one, nor for what it waited for', () => {
    const rig = new Rig();
    const [plain, waiting, next] = [rig.open(), rig.open(DELAY), rig.open()];
    rig.take(plain, 'a');
    rig.acquire(waiting, 'a');
    rig.expire(waiting);
    rig.acquire(next, 'a');
    rig.expire(plain);
    expect(rig.holders('a')).toEqual([next.id]);
    expect(rig.machine.lockCount()).toBe(1);
  });

  test('C17 lets its former holder wait like others', () => {
    const { rig } = haunted();
    const again = rig.open({ name: 'billing' });
    expect(rig.acquire(again, 'a')).toEqual({ code: 'QUEUED', ahead: 1 });
  });

  test('ends when the leader says so: the lock goes to the next in that entry', () => {
    const { rig, gone, token, closedAt, next } = haunted();
    expect(rig.lift('a', closedAt)).toEqual(DONE);
    const lifted = { type: 'lifted', session: gone.id, acquireSeq: 1, token, name: 'a', closedAt };
    expect(rig.events).toMatchObject([
      { ...lifted, cause: 'over', reason: '' },
      { type: 'granted', session: next.id, token: rig.index },
    ]);
    expect(rig.machine.inspect('a').ghosts).toEqual([]);
    expect(rig.lift('a', closedAt)).toEqual(DONE);
    expect(rig.events).toEqual([]);
  });

  test('M-55 is not ended by an entry of another term, nor by one for another closing', () => {
    const { rig, closedAt, next } = haunted();
    rig.lift('a', closedAt, 2);
    rig.lift('b', closedAt);
    for (const other of [closedAt - 1, closedAt + 1, 0, Number.NaN]) rig.lift('a', other);
    expect(rig.waiters('a')).toEqual([next.id]);
    expect(rig.machine.inspect('a').ghosts).toHaveLength(1);
  });

  test('leaves no trace when it is over and nobody waits', () => {
    const rig = new Rig();
    const gone = rig.open(DELAY);
    rig.take(gone, ['a', 'b/c']);
    rig.expire(gone);
    const closedAt = rig.index;
    expect(rig.machine.list('', '', 10).map((view) => view.name)).toEqual(['a', 'b/c']);
    expect(rig.machine.lockCount()).toBe(2);
    rig.lift('a', closedAt);
    rig.lift('b/c', closedAt);
    expect(rig.machine.lockCount()).toBe(0);
    expect(rig.machine.stateHash()).toBe('0000000000000000');
  });

  test('has a row for each name', () => {
    const rig = new Rig();
    const gone = rig.open(DELAY);
    rig.take(gone, [], { items: [...shared('a/ü').items, permits('s', 2, 3)] });
    rig.expire(gone);
    const place = 'd/00000000000003/00000000000001/00000000000001';
    const common = [gone.id, 'worker', 2, 5_000];
    expect(rig.machine.takeChanges()).toEqual([
      { key: `${place}/a/ü`, value: [...common, 'shared', null, []] },
      { key: `${place}/s`, value: [...common, 'exclusive', [2, 3], [0, 1]] },
    ]);
    rig.lift('s', 3);
    expect(rig.machine.takeChanges()).toEqual([{ key: `${place}/s`, value: null }]);
  });

  test('of a grant for several names is lifted name by name', () => {
    const rig = new Rig();
    const [gone, both, late] = [rig.open(DELAY), rig.open(), rig.open()];
    rig.take(gone, ['a', 'b']);
    rig.acquire(both, ['a', 'b']);
    rig.expire(gone);
    const closedAt = rig.index;
    rig.acquire(late, 'a');
    rig.lift('a', closedAt);
    expect([rig.holders('a'), rig.waiters('a')]).toEqual([[], [both.id, late.id]]);
    rig.lift('b', closedAt);
    expect([rig.holders('a'), rig.holders('b')]).toEqual([[both.id], [both.id]]);
  });

  test('lifts all ghosts of a name that one expiry left, and none of another expiry', () => {
    const rig = new Rig();
    const [one, two, writer] = [rig.open(DELAY), rig.open(DELAY), rig.open()];
    rig.take(one, 'a', shared('a'));
    rig.take(one, 'a', shared('a'));
    rig.take(two, 'a', shared('a'));
    rig.acquire(writer, 'a');
    rig.expire(two);
    const second = rig.index;
    rig.expire(one);
    const seqs = rig.machine.inspect('a').ghosts.map((ghost) => ghost.acquireSeq);
    expect(seqs).toEqual([1, 1, 2]);
    rig.lift('a', rig.index);
    expect(rig.machine.inspect('a').ghosts.map((ghost) => ghost.closedAt)).toEqual([second]);
    expect(rig.waiters('a')).toEqual([writer.id]);
    rig.lift('a', second);
    expect(rig.holders('a')).toEqual([writer.id]);
  });
});

describe('a ghost counts as a holder', () => {
  test('INV-15 a shared one lets readers in and keeps writers out', () => {
    const rig = new Rig();
    const [gone, reader, writer] = [rig.open(DELAY), rig.open(), rig.open()];
    rig.take(gone, 'a', shared('a'));
    rig.expire(gone);
    const closedAt = rig.index;
    const token = rig.take(reader, 'a', shared('a'));
    rig.acquire(writer, 'a');
    rig.release(reader, 'a', token);
    expect(rig.waiters('a')).toEqual([writer.id]);
    rig.lift('a', closedAt);
    expect(rig.holders('a')).toEqual([writer.id]);
  });

  test('INV-15 one of a semaphore keeps its slots, and fixes the total', () => {
    const rig = new Rig();
    const [gone, client] = [rig.open(DELAY), rig.open()];
    rig.take(gone, [], { items: [permits('s', 2, 4)] });
    rig.expire(gone);
    const closedAt = rig.index;
    const kind = /"s" is a semaphore of 4/;
    expectRefused(rig.acquire(client, 's'), 'INVALID', kind);
    expectRefused(rig.acquire(client, [], { items: [permits('s', 1, 3)] }), 'INVALID', kind);
    rig.take(client, [], { items: [permits('s', 1, 4)] });
    expect(rig.slots('s')).toEqual([[2]]);
    const busy = rig.acquire(client, [], { items: [permits('s', 2, 4)], waitMs: 0 });
    expect(busy).toMatchObject({ code: 'LOCK_BUSY', holder: { session: client.id }, ghost: null });
    rig.lift('s', closedAt);
    rig.take(client, [], { items: [permits('s', 3, 4)] });
    expect(rig.slots('s')).toEqual([[2], [0, 1, 3]]);
  });

  test('an exclusive one fixes the kind of its name: a lock', () => {
    const { rig } = haunted();
    const asked = rig.acquire(rig.open(), [], { items: [permits('a', 1, 2)] });
    expectRefused(asked, 'INVALID', /"a" is a lock/);
  });
});

describe('a break with the token of a ghost', () => {
  test('ends the delay of all names of that grant, and tells who and why', () => {
    const rig = new Rig();
    const [gone, next] = [rig.open(DELAY), rig.open()];
    const token = rig.take(gone, ['b', 'a']);
    const other = rig.take(gone, 'c');
    rig.acquire(next, ['a', 'b']);
    rig.expire(gone);
    const closedAt = rig.index;
    expect(rig.breakLock('b', token)).toEqual(DONE);
    const fact = { type: 'lifted', session: gone.id, acquireSeq: 1, token, closedAt };
    const end = { cause: 'broken', reason: 'ops: stuck' };
    expect(rig.events).toMatchObject([
      { ...fact, name: 'a', ...end },
      { ...fact, name: 'b', ...end },
      { type: 'granted', session: next.id, names: ['a', 'b'] },
    ]);
    expect(rig.machine.inspect('c').ghosts).toMatchObject([{ token: other }]);
  });

  test('is NOT_HOLDER when token or session do not match', () => {
    const { rig, gone, token, next } = haunted();
    expectRefused(rig.breakLock('a', token + 1), 'NOT_HOLDER', /nobody holds "a" with token/);
    expectRefused(rig.breakLock('a', token, next.id), 'NOT_HOLDER', /does not hold "a"/);
    expect(rig.machine.inspect('a').ghosts).toHaveLength(1);
    expect(rig.breakLock('a', token, gone.id)).toEqual(DONE);
    expect(rig.holders('a')).toEqual([next.id]);
  });

  test('ends live grants and delays that share the token alike', () => {
    const rig = new Rig();
    const [writer, gone, reader, next] = [rig.open(), rig.open(DELAY), rig.open(), rig.open()];
    const written = rig.take(writer, 'a');
    rig.acquire(gone, 'a', shared('a'));
    rig.acquire(reader, 'a', shared('a'));
    rig.release(writer, 'a', written);
    const token = rig.index;
    rig.expire(gone);
    rig.acquire(next, 'a');
    rig.breakLock('a', token);
    const types = rig.events.map((event) => event.type);
    expect(types).toEqual(['freed', 'lifted', 'granted']);
    expect(rig.holders('a')).toEqual([next.id]);
  });
});

test('INV-18 the ghosts of a session are no holdings: a release or cancel finds no session', () => {
  const { rig, gone, token } = haunted();
  expect(rig.release(gone, 'a', token, 1).code).toBe('SESSION_GONE');
  expect(rig.machine.session(gone.id)).toBeNull();
  expect(rig.machine.tokenOf(gone.id, 1)).toBe(0);
});
