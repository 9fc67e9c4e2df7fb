import { describe, expect, test } from 'vitest';
import { Rig, expectRefused, openCommand } from './rig.ts';

const DONE = { code: 'DONE' };

describe('opening', () => {
  test('gives the id <index>-<nonce> and the values that count', () => {
    const rig = new Rig();
    const nonce = 'abcdefghijklmn_-';
    const outcome = rig.apply(openCommand(0, { nonce, ttlMs: 5_000 }));
    const session = `1-${nonce}`;
    expect(outcome).toEqual({ code: 'OPENED', session, ttlMs: 5_000, lockDelayMs: 0 });
    expect(rig.events).toEqual([{ type: 'sessionOpened', session, ttlMs: 5_000 }]);
    expect(rig.machine.session(session)).toEqual({
      session,
      ttlMs: 5_000,
      leaseMs: 5_000,
      lockDelayMs: 0,
      name: 'worker',
      meta: '{"pid":1}',
      openedMs: 1_000,
      held: 0,
      waiting: 0,
    });
  });

  test('INV-14 with the nonce of a living session answers for it, and opens no second', () => {
    const rig = new Rig();
    const client = rig.open();
    expect(rig.repeat(1)).toMatchObject({ code: 'OPENED', session: client.id });
    expect(rig.events).toEqual([]);
    expect(rig.machine.sessionCount()).toBe(1);
    rig.close(client);
    expect(rig.repeat(1)).toMatchObject({ code: 'OPENED', session: `4-${client.id.slice(2)}` });
  });

  test('D8 D10 refuses a TTL out of range with both limits and the value that came', () => {
    const rig = new Rig();
    for (const ttlMs of [0, -1, 0.5, 999, 600_001, 1_234.5, Number.NaN, Infinity, 2 ** 53]) {
      const outcome = rig.apply(openCommand(0, { ttlMs }));
      expectRefused(outcome, 'INVALID', /ttlMs must be .* from 1000 to 600000 \(got .*, a number/);
    }
    expect(rig.machine.sessionCount()).toBe(0);
    for (const ttlMs of [1_000, 600_000, null]) rig.open({ ttlMs });
  });

  test('refuses nonce, lock delay, name and metadata that break a rule', () => {
    const rig = new Rig();
    const refused = (parts: Parameters<typeof openCommand>[1], text: RegExp) => {
      expectRefused(rig.apply(openCommand(0, parts)), 'INVALID', text);
    };
    refused({ nonce: 'short' }, /nonce must be 16 characters of base64url/);
    refused({ nonce: 'abcdefghijklmn/+' }, /nonce must be/);
    refused({ lockDelayMs: 60_001 }, /lockDelayMs must be .* to 60000/);
    refused({ lockDelayMs: 0.5 }, /lockDelayMs must be a whole number/);
    refused({ name: 'x'.repeat(513) }, /name may have at most 512 bytes; it has 513/);
    refused({ meta: 'ä'.repeat(2_049) }, /meta may have at most 4096 bytes; it has 4098/);
    refused({ meta: '\ud800' }, /meta must be well-formed/);
    expect(rig.machine.stateHash()).toBe('0000000000000000');
  });
});

describe('the end of a session', () => {
  test('INV-18 M-58 takes its waiters out before its grants pass on, in one entry', () => {
    const rig = new Rig();
    const [dying, next] = [rig.open(), rig.open()];
    const token = rig.take(dying, 'a');
    rig.acquire(dying, 'a');
    rig.acquire(dying, ['b', 'a']);
    rig.acquire(next, 'a');
    rig.expire(dying);
    expect(rig.events).toMatchObject([
      { type: 'sessionEnded', session: dying.id, cause: 'expired', reason: '' },
      { type: 'left', acquireSeq: 2, cause: 'expired', names: ['a'] },
      { type: 'left', acquireSeq: 3, cause: 'expired', names: ['b', 'a'] },
      { type: 'freed', acquireSeq: 1, token, cause: 'expired', names: ['a'] },
      { type: 'granted', session: next.id, token: rig.index, names: ['a'] },
    ]);
    expect(rig.holders('a')).toEqual([next.id]);
    expect(rig.machine.session(dying.id)).toBeNull();
  });

  test('B1 C2 M-58 a waiter whose session ended never gets the lock, the next one does', () => {
    for (const end of ['expire', 'close', 'endSession'] as const) {
      const rig = new Rig();
      const [holder, dead, next] = [rig.open(), rig.open(), rig.open()];
      const token = rig.take(holder, 'a');
      rig.acquire(dead, 'a');
      const askedAt = rig.index;
      rig.acquire(next, 'a');
      expect(rig[end](dead)).toEqual(DONE);
      expect(rig.waiters('a')).toEqual([next.id]);
      rig.release(holder, 'a', token);
      expect(rig.holders('a')).toEqual([next.id]);
      expect(rig.repeat(askedAt).code).toBe('SESSION_GONE');
    }
  });

  test('C3 only the next waiter gets in when a waiting session is ended', () => {
    const rig = new Rig();
    const [one, two, three] = [rig.open(), rig.open(), rig.open()];
    const token = rig.take(one, 'a');
    rig.acquire(two, 'a');
    rig.acquire(three, 'a');
    rig.endSession(two);
    expect(rig.events).toMatchObject([
      { type: 'sessionEnded', cause: 'ended', reason: 'ops: gone' },
      { type: 'left', cause: 'ended' },
    ]);
    expect(rig.holders('a')).toEqual([one.id]);
    rig.release(one, 'a', token);
    expect(rig.holders('a')).toEqual([three.id]);
  });

  test('B3 a new session of the same name queues behind the old; its token is larger', () => {
    const rig = new Rig();
    const old = rig.open({ name: 'worker' });
    const token = rig.take(old, 'a');
    const fresh = rig.open({ name: 'worker' });
    expect(rig.acquire(fresh, 'a')).toEqual({ code: 'QUEUED', ahead: 0 });
    rig.expire(old);
    expect(rig.holders('a')).toEqual([fresh.id]);
    expect(rig.tokens('a')[0]).toBeGreaterThan(token);
  });

  test('drops its records and its row: nothing is left', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    rig.take(client, 'b');
    rig.release(client, 'a', token);
    rig.machine.takeChanges();
    rig.close(client);
    for (const { value } of rig.machine.takeChanges()) expect(value).toBeNull();
    expect([...rig.machine.rows()]).toEqual([]);
    expect(rig.machine.stateHash()).toBe('0000000000000000');
    expect(rig.close(client).code).toBe('SESSION_GONE');
    expect(rig.endSession(client).code).toBe('SESSION_GONE');
  });
});

describe('expiry', () => {
  test('A2 M-55 of another term is ignored', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    for (const term of [2, 4]) expect(rig.expire(client, term)).toEqual(DONE);
    expect(rig.events).toEqual([]);
    expect(rig.tokens('a')).toEqual([token]);
  });

  test('of an unknown session does nothing', () => {
    const rig = new Rig();
    expect(rig.expire({ id: '5-x', seq: 0, ackedBelow: 0 })).toEqual(DONE);
    expect(rig.events).toEqual([]);
  });

  test('M-83 a session without TTL expires before its first command, and never after it', () => {
    const rig = new Rig();
    const forgotten = rig.open({ ttlMs: null });
    expect(rig.machine.session(forgotten.id)).toMatchObject({ ttlMs: null, leaseMs: 15_000 });
    rig.expire(forgotten);
    expect(rig.machine.session(forgotten.id)).toBeNull();

    const kept = rig.open({ ttlMs: null });
    const token = rig.take(kept, 'a');
    const change = { type: 'leaseChanged', session: kept.id, leaseMs: null };
    expect(rig.events).toMatchObject([change, { type: 'granted' }]);
    expect(rig.machine.session(kept.id)?.leaseMs).toBeNull();
    expect(rig.expire(kept)).toEqual(DONE);
    expect(rig.tokens('a')).toEqual([token]);
    expect(rig.endSession(kept)).toEqual(DONE);
  });
});

test('INV-18 an id is of one session only when its index and its nonce are', () => {
  const rig = new Rig();
  const client = rig.open();
  const [index, nonce] = client.id.split('-');
  for (const id of [`${index}-`, `${index}-other`, `0${index}-${nonce}`, `${index}.5-${nonce}`]) {
    expect(rig.acquire({ ...client, id }, 'a').code).toBe('SESSION_GONE');
    expect(rig.machine.session(id)).toBeNull();
  }
  expect(rig.acquire(client, 'a').code).toBe('GRANTED');
});

test('an operator who ends a session says who and why in bounded texts', () => {
  const rig = new Rig();
  const client = rig.open();
  rig.take(client, 'a');
  const end = { op: 'endSession', session: client.id, by: 'ops', reason: 'gone' } as const;
  for (const field of ['by', 'reason'] as const) {
    const outcome = rig.apply({ ...end, [field]: 'x'.repeat(4_097) });
    expectRefused(outcome, 'INVALID', new RegExp(`${field} may have at most 4096 bytes`));
  }
  expect(rig.holders('a')).toEqual([client.id]);
  expect(rig.apply({ ...end, reason: 'x'.repeat(4_096) })).toEqual(DONE);
});

test('C3 what a session had goes in the order in which the log has it, however it was numbered', () => {
  const rig = new Rig();
  const client = rig.open();
  rig.take(client, 'b', { seq: 9 });
  rig.take(client, 'a', { seq: 4 });
  rig.endSession(client);
  const freed = rig.events.flatMap((event) => (event.type === 'freed' ? event.names : []));
  expect(freed).toEqual(['b', 'a']);
});

test('sessions are listed in the order of their opening, page by page', () => {
  const rig = new Rig();
  const clients = Array.from({ length: 5 }, () => rig.open());
  rig.close(clients[1] ?? rig.open());
  const first = rig.machine.sessions(0, 2);
  expect(first.map((view) => view.session)).toEqual([clients[0]?.id, clients[2]?.id]);
  const rest = rig.machine.sessions(3, 10);
  expect(rest.map((view) => view.session)).toEqual([clients[3]?.id, clients[4]?.id]);
  expect(rig.machine.sessions(0, 0)).toEqual([]);
});
