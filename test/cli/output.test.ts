import { expect, test } from 'vitest';
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

test('K1 a lock is shown with token, holder, host, pid, since, metadata and waiters', () => {
  const [holder] = LOCK.holders;
  const text = lockLines({ ...LOCK, holder }).join('\n');
  expect(text).toBe(
    [
      '"backup" is held with token 42',
      '  holder   ops\\u001b[2J',
      '  session  40-abc',
      '  since    1970-01-01 00:00:00Z',
      '  host     web-1\\u000a',
      '  pid      77',
      '  meta     {"job":7}',
      '  waiting 1. next since 1970-01-01 00:00:01Z (41-def)',
    ].join('\n'),
  );
});

test('K2 a lock is JSON with the same words as over HTTP', () => {
  const [holder] = LOCK.holders;
  expect(lockJson({ ...LOCK, holder })).toMatchObject({
    name: 'backup',
    holder: { token: 42, since: '1970-01-01T00:00:00.000Z', sessionMeta: { pid: 77 } },
    waiters: [{ session: '41-def', since: '1970-01-01T00:00:01.000Z' }],
    waiterCount: 1,
  });
});

test('of a long queue the head is shown, and how many more wait', () => {
  const [holder] = LOCK.holders;
  const lines = lockLines({ ...LOCK, holder, waiterCount: 12_346 });
  expect(lines.at(-1)).toBe('  and 12345 more');
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
