import { describe, expect, test } from 'vitest';
import { Rig, acquireCommand, expectRefused } from './rig.ts';

const DONE = { code: 'DONE' };

describe('cancel', () => {
  test('C9 C10 removes a waiter: the lock goes to others as if it had never asked', () => {
    const rig = new Rig();
    const [holder, client, next] = [rig.open(), rig.open(), rig.open()];
    const token = rig.take(holder, 'a');
    rig.acquire(client, 'a');
    expect(rig.cancel(client, 1)).toEqual(DONE);
    expect(rig.events).toEqual([
      { type: 'left', session: client.id, acquireSeq: 1, cause: 'cancelled', names: ['a'] },
    ]);
    rig.release(holder, 'a', token);
    expect(rig.machine.lockCount()).toBe(0);
    rig.take(next, 'a');
  });

  test('returns a grant that was made before it arrived, and the next waiter gets it', () => {
    const rig = new Rig();
    const [client, next] = [rig.open(), rig.open()];
    const token = rig.take(client, 'a');
    rig.acquire(next, 'a');
    expect(rig.cancel(client, 1)).toEqual(DONE);
    const freed = { type: 'freed', acquireSeq: 1, token, cause: 'cancelled', reason: '' };
    expect(rig.events).toMatchObject([freed, { type: 'granted', session: next.id }]);
  });

  test('M-73 for an acquire not yet seen refuses it when it arrives, whatever it contains', () => {
    const rig = new Rig();
    const client = rig.open();
    client.seq = 1;
    expect(rig.cancel(client, 1)).toEqual(DONE);
    const late = { ...acquireCommand({ ...client, seq: 0 }, 'a'), bodyHash: 4711 };
    const ended = { code: 'ENDED', cause: 'cancelled', token: 0 };
    expect(rig.apply(late)).toEqual(ended);
    expect(rig.apply({ ...late, bodyHash: 1 })).toEqual(ended);
    expect(rig.machine.lockCount()).toBe(0);
  });

  test('changes nothing for an acquire that is over, and keeps its record', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    const grantedAt = rig.index;
    rig.release(client, 'a', token);
    expect(rig.cancel(client, 1)).toEqual(DONE);
    expect(rig.events).toEqual([]);
    expect(rig.repeat(grantedAt)).toEqual({ code: 'ENDED', cause: 'released', token });
  });

  test('of an acknowledged acquire that is not live leaves no record', () => {
    const rig = new Rig();
    const client = rig.open();
    client.ackedBelow = 5;
    client.seq = 5;
    expect(rig.cancel(client, 2)).toEqual(DONE);
    const keys = rig.machine.takeChanges().filter(({ key }) => key.includes('/r/'));
    expect(keys).toHaveLength(1);
  });

  test('refuses to name itself, or what is no request number', () => {
    const rig = new Rig();
    const client = rig.open();
    expectRefused(rig.cancel(client, 1), 'INVALID', /names the request itself \(1\)/);
    expectRefused(rig.cancel(client, 0.5), 'INVALID', /acquireSeq must be a whole number/);
  });
});

describe('release', () => {
  test('M-62 M-74 checks name, acquireSeq and token: one that differs frees nothing', () => {
    const rig = new Rig();
    const [client, other] = [rig.open(), rig.open()];
    const token = rig.take(client, 'a');
    const otherToken = rig.take(other, 'b');
    expectRefused(rig.release(client, 'b', token, 1), 'NOT_HOLDER', /held with token/);
    expectRefused(rig.release(client, 'c', token, 1), 'NOT_HOLDER', /nobody holds it/);
    expectRefused(rig.release(client, 'a', token + 1, 1), 'NOT_HOLDER', /held with token/);
    expectRefused(rig.release(client, 'a', token, 2), 'NOT_HOLDER', /held with token/);
    expectRefused(rig.release(client, 'a', 0, 1), 'NOT_HOLDER', /held with token/);
    expectRefused(rig.release(client, 'b', otherToken, null), 'NOT_HOLDER', /held with token/);
    expect(rig.events).toEqual([]);
    expect([rig.tokens('a'), rig.tokens('b')]).toEqual([[token], [otherToken]]);
    expect(rig.release(client, 'a', token, 1)).toEqual(DONE);
  });

  test('without acquireSeq frees the only grant of that name with that token', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    expect(rig.release(client, 'a', token, null)).toEqual(DONE);
    const cause = 'released';
    const freed = { type: 'freed', session: client.id, acquireSeq: 1, token, names: ['a'] };
    expect(rig.events).toEqual([{ ...freed, cause, reason: '' }]);
  });

  test('of a request that waits is NOT_HOLDER and leaves it in the queue', () => {
    const rig = new Rig();
    const [holder, client] = [rig.open(), rig.open()];
    rig.take(holder, 'a');
    rig.acquire(client, 'a');
    expectRefused(rig.release(client, 'a', 0, 1), 'NOT_HOLDER', /held with token/);
    expect(rig.waiters('a')).toEqual([client.id]);
  });
});

describe('withdraw', () => {
  test('removes a waiter', () => {
    const rig = new Rig();
    const [holder, client] = [rig.open(), rig.open()];
    rig.take(holder, 'a');
    rig.acquire(client, 'a', { waitMs: 100 });
    expect(rig.withdraw(client, 1)).toEqual(DONE);
    expect(rig.events).toMatchObject([{ type: 'left', acquireSeq: 1, cause: 'withdrawn' }]);
    expect(rig.waiters('a')).toEqual([]);
  });

  test('M-72 does nothing to a grant, which may be believed already', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    expect(rig.withdraw(client, 1)).toEqual(DONE);
    expect(rig.events).toEqual([]);
    expect(rig.tokens('a')).toEqual([token]);
  });

  test('M-55 of another term does nothing, nor one of an unknown session or request', () => {
    const rig = new Rig();
    const [holder, client] = [rig.open(), rig.open()];
    rig.take(holder, 'a');
    rig.acquire(client, 'a');
    expect(rig.withdraw(client, 1, 2)).toEqual(DONE);
    expect(rig.withdraw(client, 9)).toEqual(DONE);
    expect(rig.withdraw({ ...client, id: '77-x' }, 1)).toEqual(DONE);
    expect(rig.waiters('a')).toEqual([client.id]);
  });
});

describe('break', () => {
  test('frees the grant with this token, all its names, and tells who and why', () => {
    const rig = new Rig();
    const [client, next] = [rig.open(), rig.open()];
    const token = rig.take(client, ['a', 'b']);
    rig.acquire(next, 'b');
    expect(rig.breakLock('a', token)).toEqual(DONE);
    const freed = { type: 'freed', cause: 'broken', reason: 'ops: stuck', names: ['a', 'b'] };
    const granted = { type: 'granted', session: next.id, token: rig.index };
    expect(rig.events).toMatchObject([{ ...freed, session: client.id, token }, granted]);
    expect(rig.machine.session(client.id)?.held).toBe(0);
  });

  test('NOT_HOLDER when token or session do not match: a lock that moved on is left alone', () => {
    const rig = new Rig();
    const [client, next] = [rig.open(), rig.open()];
    const token = rig.take(client, 'a');
    rig.acquire(next, 'a');
    expectRefused(rig.breakLock('a', token, next.id), 'NOT_HOLDER', /does not hold "a"/);
    expect(rig.breakLock('a', token, client.id)).toEqual(DONE);
    expectRefused(rig.breakLock('a', token), 'NOT_HOLDER', /nobody holds "a" with token/);
    expectRefused(rig.breakLock('z', token), 'NOT_HOLDER', /nobody holds it/);
    expect(rig.holders('a')).toEqual([next.id]);
  });

  test('refuses texts that are too long', () => {
    const rig = new Rig({ metaBytesMax: 4 });
    const client = rig.open({ meta: '' });
    const token = rig.take(client, 'a');
    expectRefused(rig.breakLock('a', token), 'INVALID', /reason may have at most 4 bytes/);
    expect(rig.tokens('a')).toEqual([token]);
  });
});
