import { describe, expect, test } from 'vitest';
import { Rig, acquireCommand, expectRefused, numbered } from './rig.ts';

const DONE = { code: 'DONE' };

describe('a retry of a request', () => {
  test('INV-14 learns of the grant with the same token while it lives', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    const grantedAt = rig.index;
    expect(rig.repeat(grantedAt)).toEqual({ code: 'GRANTED', token, slots: [] });
    expect(rig.events).toEqual([]);
    expect(rig.tokens('a')).toEqual([token]);
  });

  test('INV-14 C13 stands once in the queue; learns of its place and its later grant', () => {
    const rig = new Rig();
    const [holder, first, second] = [rig.open(), rig.open(), rig.open()];
    const token = rig.take(holder, 'a');
    rig.acquire(first, 'a');
    expect(rig.acquire(second, 'a')).toEqual({ code: 'QUEUED', ahead: 1 });
    const queuedAt = rig.index;
    for (let retry = 0; retry < 5; retry++) {
      expect(rig.repeat(queuedAt)).toEqual({ code: 'QUEUED', ahead: 1 });
    }
    expect(rig.waiters('a')).toEqual([first.id, second.id]);
    rig.cancel(first, 1);
    expect(rig.repeat(queuedAt)).toEqual({ code: 'QUEUED', ahead: 0 });
    rig.release(holder, 'a', token);
    const grantedAt = rig.index;
    expect(rig.repeat(queuedAt)).toEqual({ code: 'GRANTED', token: grantedAt, slots: [] });
  });

  test('C4 gets the same grant after a lost reply, also when it was acknowledged already', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    const grantedAt = rig.index;
    client.ackedBelow = 5;
    client.seq = 4;
    rig.take(client, 'b');
    expect(rig.repeat(grantedAt)).toEqual({ code: 'GRANTED', token, slots: [] });
  });

  test('gets the stored answer of a request that ended at once', () => {
    const rig = new Rig();
    const [holder, client] = [rig.open(), rig.open()];
    const token = rig.take(holder, 'a');
    const busy = rig.acquire(client, 'a', { waitMs: 0 });
    const busyAt = rig.index;
    rig.release(holder, 'a', token);
    expect(rig.repeat(busyAt)).toEqual(busy);
    expect(rig.holders('a')).toEqual([]);
  });

  test('M-82 cannot take the lock again when its grant has ended, however it ended', () => {
    const rig = new Rig();
    const client = rig.open();
    const ends = [
      {
        cause: 'released',
        end: (seq: number, token: number) => rig.release(client, 'a', token, seq),
      },
      { cause: 'cancelled', end: (seq: number) => rig.cancel(client, seq) },
      { cause: 'broken', end: (_seq: number, token: number) => rig.breakLock('a', token) },
    ];
    for (const { cause, end } of ends) {
      const token = rig.take(client, 'a');
      const grantedAt = rig.index;
      expect(end(client.seq, token)).toEqual(DONE);
      expect(rig.repeat(grantedAt)).toEqual({ code: 'ENDED', cause, token });
      expect(rig.machine.lockCount()).toBe(0);
    }
  });

  test('M-82 cannot queue again when its wait has ended', () => {
    const rig = new Rig();
    const [holder, client] = [rig.open(), rig.open()];
    rig.take(holder, 'a');
    rig.acquire(client, 'a');
    const queuedAt = rig.index;
    rig.withdraw(client, 1);
    expect(rig.repeat(queuedAt)).toEqual({ code: 'ENDED', cause: 'withdrawn', token: 0 });
    expect(rig.waiters('a')).toEqual([]);
  });

  test('M-62 C1 of a release frees nothing that was taken since', () => {
    const rig = new Rig();
    const client = rig.open();
    const first = rig.take(client, 'a');
    expect(rig.release(client, 'a', first, 1)).toEqual(DONE);
    const releasedAt = rig.index;
    const second = rig.take(client, 'a');
    expect(second).toBeGreaterThan(first);
    expect(rig.repeat(releasedAt)).toEqual(DONE);
    expectRefused(rig.release(client, 'a', first), 'NOT_HOLDER', /held with token/);
    expect(rig.tokens('a')).toEqual([second]);
  });

  test('with other content under a number that is live, or has a record, is INVALID', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    const other = { ...acquireCommand({ ...client, seq: 0 }, 'b'), bodyHash: 7 };
    expectRefused(rig.apply(other), 'INVALID', /request 1 came before with other content/);
    rig.release(client, 'a', token);
    expectRefused(rig.apply(other), 'INVALID', /request 1 came before with other content/);
    expect(rig.machine.lockCount()).toBe(0);
  });

  test('of a refused request gets the refusal again', () => {
    const rig = new Rig();
    const client = rig.open();
    const refused = rig.acquire(client, '..');
    expectRefused(refused, 'INVALID', /cannot be a name/);
    expect(rig.repeat(rig.index)).toEqual(refused);
  });
});

describe('acknowledging', () => {
  test('STALE_SEQ: a request below ackedBelow that is not live is never executed again', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    const grantedAt = rig.index;
    rig.release(client, 'a', token);
    client.ackedBelow = 3;
    rig.take(client, 'b');
    expectRefused(rig.repeat(grantedAt), 'STALE_SEQ', /request 1 lies below 3/);
    expect(rig.holders('a')).toEqual([]);
  });

  test('ackedBelow never falls: an older duplicate does not reopen what was closed', () => {
    const rig = new Rig();
    const client = rig.open();
    client.ackedBelow = 10;
    client.seq = 9;
    rig.take(client, 'a');
    client.ackedBelow = 0;
    client.seq = 4;
    expectRefused(rig.acquire(client, 'b'), 'STALE_SEQ', /below 10/);
  });

  test('drops the records below it and leaves no record of a grant that ends below it', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    rig.acquire(client, '..');
    expect(recordKeys(rig)).toHaveLength(1);
    client.ackedBelow = 3;
    rig.release(client, 'a', token, 1);
    expect(recordKeys(rig)).toEqual([expect.stringMatching(/^s\/0+1\/r\/0+3$/)]);
    client.ackedBelow = Number.MAX_SAFE_INTEGER;
    client.seq = client.ackedBelow - 1;
    rig.take(client, 'b');
    expect(recordKeys(rig)).toEqual([]);
  });
});

describe('the window', () => {
  test('WINDOW: refuses an acquire when it is full of frozen answers, and stores nothing', () => {
    const rig = new Rig({ windowMax: 3 });
    const client = rig.open();
    for (let turn = 0; turn < 3; turn++) rig.acquire(client, '..');
    expectRefused(rig.acquire(client, 'a'), 'WINDOW', /has 3 answers/);
    const refusedAt = rig.index;
    client.ackedBelow = 2;
    client.seq = 10;
    rig.take(client, 'b');
    expect(rig.repeat(refusedAt).code).toBe('GRANTED');
  });

  test('LIV-6 the request that all others wait for goes through: nothing else makes room', () => {
    const rig = new Rig({ windowMax: 3 });
    const client = rig.open();
    client.ackedBelow = 1;
    client.seq = 1;
    for (let turn = 0; turn < 3; turn++) rig.acquire(client, '..');
    expect(rig.acquire(client, 'a').code).toBe('WINDOW');
    client.seq = 0;
    rig.take(client, 'a');
  });

  test('live requests do not count', () => {
    const rig = new Rig({ windowMax: 3 });
    const client = rig.open();
    for (let turn = 0; turn < 10; turn++) rig.take(client, `lock-${turn}`);
    expect(rig.machine.session(client.id)?.held).toBe(10);
  });

  test('cancel, release and close go through when it is full', () => {
    const rig = new Rig({ windowMax: 2 });
    const client = rig.open();
    const token = rig.take(client, 'a');
    rig.take(client, 'b');
    for (let turn = 0; turn < 2; turn++) rig.acquire(client, '..');
    expect(rig.acquire(client, 'c').code).toBe('WINDOW');
    expect(rig.release(client, 'a', token)).toEqual(DONE);
    expect(rig.cancel(client, 2)).toEqual(DONE);
    expect(rig.machine.lockCount()).toBe(0);
    expect(rig.close(client)).toEqual(DONE);
  });

  test('what is exempt from it has a bound too, wide enough to give everything back', () => {
    const rig = new Rig({ windowMax: 2, holdingsPerSessionMax: 3 });
    const client = rig.open();
    const tokens = ['a', 'b', 'c'].map((name) => rig.take(client, name));
    for (let turn = 0; turn < 2; turn++) rig.acquire(client, '..');
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      expect(rig.release(client, name, tokens[at] ?? 0)).toEqual(DONE);
    }
    expectRefused(rig.release(client, 'a', 1), 'WINDOW', /8 answers/);
    expect(rig.close(client)).toEqual(DONE);
  });
});

test('numbers that are no request numbers are refused without a trace', () => {
  const rig = new Rig();
  const client = rig.open();
  rig.take(client, 'b');
  const before = rig.machine.stateHash();
  for (const seq of [0, -1, 0.5, Number.NaN, 2 ** 53]) {
    const command = { ...acquireCommand(client, 'a'), seq };
    expectRefused(rig.apply(command), 'INVALID', /seq must be a whole number from 1/);
  }
  const command = { ...acquireCommand(client, 'a'), ackedBelow: -1 };
  expectRefused(rig.apply(command), 'INVALID', /ackedBelow must be a whole number from 0/);
  expect(rig.machine.stateHash()).toBe(before);
});

test('a command of a session that is unknown, or has another nonce, answers SESSION_GONE', () => {
  const rig = new Rig();
  const client = rig.open();
  const index = client.id.slice(0, client.id.indexOf('-'));
  for (const id of [`${index}-AAAAAAAAAAAAAAAA`, `0${client.id}`, index, '', 'x', '9-n']) {
    const command = { op: 'closeSession', ...numbered({ ...client, id }) } as const;
    expectRefused(rig.apply(command), 'SESSION_GONE', /has ended, or never existed/);
  }
  expect(rig.machine.sessionCount()).toBe(1);
});

/** Keys of answers that were frozen, or changed, since the last call. */
function recordKeys(rig: Rig): readonly string[] {
  const kept = rig.machine.takeChanges().filter(({ value }) => value !== null);
  return kept.map(({ key }) => key).filter((key) => key.includes('/r/'));
}
