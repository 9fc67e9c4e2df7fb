import { expect, test, vi } from 'vitest';
import { answerQuery } from '../../src/node/queries.ts';
import type { RequestItem } from '../../src/locks/commands.ts';
import type { LockView } from '../../src/locks/outcomes.ts';
import { encodeNodeMessages } from '../../src/wire/client.ts';
import type { Query, QueryResult } from '../../src/wire/client-messages.ts';
import { OfficeRig, TICK_US } from './office-rig.ts';

const FRAME_BYTES_MAX = 262_144;
const WIDE_NAME = '漢'.repeat(85);
const LOCK: RequestItem = { name: 'a', mode: 'exclusive', permits: null };
const SHARED: RequestItem = { ...LOCK, mode: 'shared' };

function ask(rig: OfficeRig, query: Query): QueryResult {
  const unasked = (): never => {
    throw new Error('nobody asks for the status, or the membership');
  };
  const { machine, office: times } = rig;
  return answerQuery(query, { machine, times, status: unasked, membership: unasked });
}

/** So many sessions with this name that each asked for these items once. */
function crowd(size: number, items: readonly RequestItem[], name = 'worker'): OfficeRig {
  const rig = new OfficeRig();
  rig.lead(1);
  for (let at = 0; at < size; at++) {
    const session = rig.open(10_000, 5_000, name);
    rig.run({ op: 'acquire', session, seq: 1, items, waitMs: null, meta: '', value: null });
  }
  return rig;
}

function locksOf(result: QueryResult): readonly LockView[] {
  if (result.kind === 'lock') return [result.lock];
  return result.kind === 'locks' ? result.locks : [];
}

function frameBytes(result: QueryResult): number {
  return encodeNodeMessages([{ type: 'answer', requestId: 1, revision: 1, result }]).length;
}

test('of a queue, inspect shows the first 500, a list the first 20, and both how many', () => {
  const rig = crowd(601, [LOCK]);
  const [one] = locksOf(ask(rig, { kind: 'inspect', name: 'a' }));
  expect(one?.waiters.length).toBeLessThanOrEqual(500);
  expect(one?.waiters.length).toBeGreaterThan(200);
  expect(one?.waiterCount).toBe(600);
  const [listed] = locksOf(ask(rig, { kind: 'list', prefix: '', after: '', limit: 10 }));
  expect(listed).toEqual({ ...one, waiters: one?.waiters.slice(0, 20) });
});

test('a lock with 10,000 readers fits a frame, and tells how many there are', () => {
  const rig = crowd(10_000, [SHARED], WIDE_NAME);
  const result = ask(rig, { kind: 'inspect', name: 'a' });
  const [one] = locksOf(result);
  expect(one?.holderCount).toBe(10_000);
  expect(one?.holders.length).toBeGreaterThan(50);
  expect(frameBytes(result)).toBeLessThanOrEqual(FRAME_BYTES_MAX);
});

test('holders, ghosts and waiters with long texts fit a frame all together', () => {
  const gpu = { name: 'a', mode: 'exclusive', permits: [500, 1_000_000] } as const;
  const rig = crowd(1_200, [gpu], WIDE_NAME);
  // The first 600 expire, and leave ghosts; the others hold and renew, and then others wait.
  const sessions = rig.machine.sessions(0, 1_200).map(({ session }) => session);
  for (const session of sessions.slice(0, 600)) {
    rig.run({ op: 'expireSession', session, proposerTerm: 1 });
  }
  for (let at = 0; at < 600; at++) {
    const session = rig.open(null, 0, WIDE_NAME);
    const items = [{ ...gpu, permits: [1_000, 1_000_000] }] as const;
    rig.run({ op: 'acquire', session, seq: 1, items, waitMs: null, meta: '', value: null });
  }
  const result = ask(rig, { kind: 'inspect', name: 'a' });
  const [one] = locksOf(result);
  expect([one?.holders, one?.ghosts, one?.waiters].every((list) => (list?.length ?? 0) > 5)).toBe(
    true,
  );
  expect(frameBytes(result)).toBeLessThanOrEqual(FRAME_BYTES_MAX);
  const list = ask(rig, { kind: 'list', prefix: '', after: '', limit: 1_000 });
  expect(frameBytes(list)).toBeLessThanOrEqual(FRAME_BYTES_MAX);
});

test('a queue of long names fits a frame, and its length is told', () => {
  const rig = crowd(501, [LOCK], WIDE_NAME);
  const result = ask(rig, { kind: 'inspect', name: 'a' });
  const [one] = locksOf(result);
  expect(one?.waiters.length).toBeLessThan(500);
  expect(one?.waiterCount).toBe(500);
  expect(frameBytes(result)).toBeLessThanOrEqual(FRAME_BYTES_MAX);
});

test('C15 what the leader counts is told: leases of holders and sessions, and lock-delays', () => {
  const rig = crowd(1, [LOCK]);
  const [view] = rig.machine.sessions(0, 1);
  const session = view?.session ?? '';
  rig.pass(2_500_100);
  const held = ask(rig, { kind: 'inspect', name: 'a' });
  expect(held).toMatchObject({ leftMs: { holders: [7_500], ghosts: [] } });
  expect(ask(rig, { kind: 'session', session })).toMatchObject({ leftMs: 7_500 });
  rig.pass(7_500_000 + TICK_US);
  rig.commit();
  rig.pass(1_000_000);
  const closed = ask(rig, { kind: 'inspect', name: 'a' });
  expect(closed).toMatchObject({ leftMs: { holders: [], ghosts: [4_000] } });
  expect(ask(rig, { kind: 'session', session })).toMatchObject({ session: null, leftMs: null });
});

test('a session without TTL has no time left to tell', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const session = rig.open(null);
  expect(ask(rig, { kind: 'session', session })).toMatchObject({ leftMs: 15_000 });
  rig.acquire(session, 1, 'a');
  expect(ask(rig, { kind: 'session', session })).toMatchObject({ leftMs: null });
  expect(ask(rig, { kind: 'inspect', name: 'a' })).toMatchObject({ leftMs: { holders: [null] } });
});

test('what a session holds comes in pages that fit a frame, each request once', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const session = rig.open(null);
  const long = '漢'.repeat(160);
  for (let seq = 1; seq <= 150; seq++) {
    const items = Array.from({ length: 20 }, (_, at) => ({
      ...LOCK,
      name: `${seq}/${at}/${long}`,
    }));
    rig.run({ op: 'acquire', session, seq, items, waitMs: null, meta: '', value: 'v' });
  }
  const seen: number[] = [];
  for (let more = true; more;) {
    const after = seen.at(-1) ?? 0;
    const result = ask(rig, { kind: 'holdings', session, after, limit: 1_000 });
    expect(frameBytes(result)).toBeLessThanOrEqual(FRAME_BYTES_MAX);
    if (result.kind !== 'holdings' || result.holdings === null) throw new Error('no holdings');
    seen.push(...result.holdings.holdings.map(({ acquireSeq }) => acquireSeq));
    more = result.holdings.hasMore;
  }
  expect(seen).toEqual(Array.from({ length: 150 }, (_, at) => at + 1));
});

test('a page of locks that lock-delays close fits a frame', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const names = Array.from({ length: 60 }, (_, at) => `${at}/${'漢'.repeat(160)}`);
  for (let at = 0; at < 20; at++) {
    const session = rig.open(1_000, 60_000, WIDE_NAME);
    const items = names.map((name) => ({ ...SHARED, name }));
    rig.run({ op: 'acquire', session, seq: 1, items, waitMs: null, meta: '', value: null });
    rig.run({ op: 'expireSession', session, proposerTerm: 1 });
  }
  const page = ask(rig, { kind: 'list', prefix: '', after: '', limit: 1_000 });
  expect(locksOf(page).every(({ ghosts }) => ghosts.length === 20)).toBe(true);
  expect(frameBytes(page)).toBeLessThanOrEqual(FRAME_BYTES_MAX);
  expect(page).toMatchObject({ hasMore: true });
});

test('a page shows as many plain locks as were asked for, and says when there are no more', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const session = rig.open(null);
  for (let seq = 1; seq <= 96; seq++) rig.acquire(session, seq, `lock-${seq}`);
  for (const [limit, shown, hasMore] of [
    [0, 0, true],
    [64, 64, true],
    [95, 95, true],
    [96, 96, false],
    [1_000, 96, false],
  ] as const) {
    const page = ask(rig, { kind: 'list', prefix: '', after: '', limit });
    expect([locksOf(page).length, page]).toMatchObject([shown, { hasMore }]);
  }
});

test('a page of crowded locks looks at few more than it shows', () => {
  const rig = new OfficeRig();
  rig.lead(1);
  const names = Array.from({ length: 300 }, (_, at) => `lock-${String(at).padStart(3, '0')}`);
  for (let at = 0; at < 20; at++) {
    const session = rig.open(10_000, 0, WIDE_NAME);
    for (let seq = 1; seq <= 6; seq++) {
      const items = names.slice(50 * seq - 50, 50 * seq).map((name) => ({ ...SHARED, name }));
      rig.run({ op: 'acquire', session, seq, items, waitMs: null, meta: '', value: null });
    }
  }
  const looks = vi.spyOn(rig.machine, 'inspect');
  const seen: string[] = [];
  for (let hasMore = true; hasMore;) {
    const page = ask(rig, { kind: 'list', prefix: '', after: seen.at(-1) ?? '', limit: 1_000 });
    const shown = locksOf(page).map(({ name }) => name);
    expect(looks.mock.calls.length).toBeLessThan(shown.length + 64);
    looks.mockClear();
    seen.push(...shown);
    hasMore = page.kind === 'locks' && page.hasMore;
  }
  expect(seen).toEqual(names);
  const all = ask(rig, { kind: 'list', prefix: 'lock-0', after: '', limit: 10 });
  expect(locksOf(all).map(({ name }) => name)).toEqual(names.slice(0, 10));
  expect(all).toMatchObject({ hasMore: true });
});
