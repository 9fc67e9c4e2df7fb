import { expect, test } from 'vitest';
import { lockInfo } from '../../src/client/holder.ts';
import type { LockView } from '../../src/locks/outcomes.ts';
import { lockJson as httpJson } from '../../src/server/views.ts';
import { lockJson, lockLines } from '../../src/cli/lock-text.ts';
import { visible } from '../../src/cli/output.ts';

const LOCK = {
  name: 'backup',
  holders: [
    {
      token: 42,
      session: '40-abc',
      acquireSeq: 1,
      mode: 'exclusive',
      permits: null,
      slots: [],
      sessionName: 'ops\u001b[2J',
      sessionMeta: { host: 'web-1\n', pid: 77 },
      meta: { job: 7 },
      value: null,
      sinceMs: 0,
      leaseLeftMs: 12_000,
    },
  ],
  ghosts: [],
  waiters: [
    {
      session: '41-def',
      acquireSeq: 3,
      mode: 'exclusive',
      permits: null,
      index: 45,
      sessionName: 'next',
      sinceMs: 1_000,
    },
  ],
  holderCount: 1,
  waiterCount: 1,
} as const;

const VIEW: LockView = {
  name: 'gpu',
  holders: [
    {
      token: 42,
      session: '40-abc',
      acquireSeq: 1,
      mode: 'exclusive',
      permits: [2, 4],
      slots: [0, 3],
      sessionName: 'ops',
      sessionMeta: '{"host":"web-1"}',
      meta: '{}',
      value: 'n1',
      sinceMs: 0,
    },
  ],
  ghosts: [
    {
      token: 30,
      session: '20-xyz',
      acquireSeq: 7,
      mode: 'exclusive',
      permits: [1, 4],
      slots: [1],
      sessionName: 'dead',
      lockDelayMs: 300_000,
      closedAt: 35,
    },
  ],
  waiters: [
    {
      session: '41-def',
      acquireSeq: 3,
      mode: 'exclusive',
      permits: [1, 4],
      index: 45,
      sessionName: 'next',
      sinceMs: 1_000,
    },
  ],
  holderCount: 7,
  waiterCount: 1,
};
const TIMES = { holders: [null], ghosts: [200_000] };

test('K1 a lock is shown with token, holder, host, pid, since, metadata and waiters', () => {
  const [holder] = LOCK.holders;
  const text = lockLines({ ...LOCK, holder }).join('\n');
  expect(text).toBe(
    [
      '"backup" is held with token 42',
      '  holder   ops\\u001b[2J',
      '  session  40-abc',
      '  since    1970-01-01 00:00:00Z',
      '  expires  in 12.0s unless it is renewed',
      '  host     web-1\\u000a',
      '  pid      77',
      '  meta     {"job":7}',
      '  waiting 1. next since 1970-01-01 00:00:01Z (41-def)',
    ].join('\n'),
  );
});

test('K2 a lock is JSON with the same words as over HTTP', () => {
  const info = lockInfo(VIEW, TIMES);
  expect(lockJson(info, { hasTimes: true })).toEqual(httpJson(VIEW, TIMES));
  expect(lockJson(lockInfo(VIEW, null), { hasTimes: false })).toEqual(httpJson(VIEW));
});

test('D12 a semaphore is shown with permits, slots, value and when it expires', () => {
  const lines = lockLines(lockInfo(VIEW, TIMES));
  expect(lines.slice(0, 9)).toEqual([
    '"gpu" is held with token 42',
    '  holder   ops',
    '  session  40-abc',
    '  since    1970-01-01 00:00:00Z',
    '  expires  never',
    '  permits  2 of 4',
    '  slots    0, 3',
    '  host     web-1',
    '  value    "n1"',
  ]);
});

test('D12 what keeps a lock closed is shown, with how long yet, and how many more hold', () => {
  const lines = lockLines(lockInfo(VIEW, TIMES));
  expect(lines.slice(9)).toEqual([
    '  and 6 more hold it',
    '"gpu" is closed by a lock-delay for 3m 20s more, token 30',
    '  holder   dead, whose session expired',
    '  session  20-xyz',
    '  permits  1 of 4',
    '  slots    1',
    '  waiting 1. next since 1970-01-01 00:00:01Z, 1 of 4 permits (41-def)',
  ]);
});

test('D12 a lock that only its delay closes is not called free', () => {
  const closed = { ...VIEW, holders: [], holderCount: 0, waiters: [], waiterCount: 0 };
  expect(lockLines(lockInfo(closed, null))[0]).toBe('"gpu" is closed by a lock-delay, token 30');
});

test('of a long queue the head is shown, and how many more wait', () => {
  const [holder] = LOCK.holders;
  const lines = lockLines({ ...LOCK, holder, waiterCount: 12_346 });
  expect(lines.at(-1)).toBe('  and 12345 more wait');
  expect(lockLines({ ...LOCK, holder }).join('\n')).not.toContain('more');
});

test('a free lock is said to be free', () => {
  const free = {
    name: 'x',
    holder: null,
    holders: [],
    ghosts: [],
    waiters: [],
    holderCount: 0,
    waiterCount: 0,
  };
  expect(lockLines(free)).toEqual(['"x" is free']);
});

test('metadata that is no object shows no host', () => {
  const holder = { ...LOCK.holders[0], sessionMeta: 'free text' };
  expect(lockLines({ ...LOCK, holder, holders: [holder] }).join('\n')).not.toContain('host');
});

test('text of others cannot move the cursor or begin a line', () => {
  expect(visible('a\u0007b\u009bc\nd\u2028é')).toBe('a\\u0007b\\u009bc\\u000ad\\u2028é');
});
