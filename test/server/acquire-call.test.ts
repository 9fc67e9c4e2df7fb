import { describe, expect, test } from 'vitest';
import { createSystemClock } from '../../src/adapters/system-clock.ts';
import { HoldfastError } from '../../src/base/error.ts';
import { AcquireCalls } from '../../src/server/acquire-call.ts';
import type { Caller } from '../../src/server/acquire-call.ts';
import { HostCalls } from '../../src/server/host-calls.ts';
import { until } from '../conformance/ws-world.ts';
import { createScriptedHost } from './scripted-host.ts';
import type { ScriptedHost } from './scripted-host.ts';

const REQUEST = {
  session: 's',
  seq: 5,
  ackedBelow: 0,
  items: [{ name: 'a', mode: 'exclusive', permits: null }],
  waitMs: 60_000,
  meta: '{}',
  value: null,
} as const;

const QUEUED = { revision: 70, outcome: { code: 'QUEUED', ahead: 1 } } as const;

/** A caller whose connection ends when told. */
function caller(): Caller & { leave(): void } {
  const listeners = new Set<() => void>();
  return {
    onGone(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    leave: () => listeners.forEach((listener) => listener()),
  };
}

function setUp(): { host: ScriptedHost; acquires: AcquireCalls } {
  const host = createScriptedHost();
  const calls = new HostCalls({ host, clock: createSystemClock(), answerMs: 60_000 });
  return { host, acquires: new AcquireCalls(calls) };
}

/** What a promise came to: its value, or the code of its error. */
function settled<T>(promise: Promise<T>): Promise<T | string> {
  return promise.catch((error: unknown) => (HoldfastError.is(error) ? error.code : 'other'));
}

/** Lets the answer of the host come to those who wait for it. */
function waiting(host: ScriptedHost, count = 1): Promise<void> {
  return until('the wait has begun', () => host.heldOpen === count);
}

describe('a waiting acquire', () => {
  test('is answered by news that came before its own answer', async () => {
    const { host, acquires } = setUp();
    const grant = acquires.acquire(REQUEST, caller());
    host.tell({ kind: 'granted', session: 's', acquireSeq: 5, token: 9, slots: [] });
    host.executed[0]?.(QUEUED);
    expect(await grant).toEqual({ token: 9, revision: 77, acquireSeq: 5, slots: [] });
    expect([host.listeners(), host.heldOpen, host.withdrawn]).toEqual([0, 0, []]);
  });

  test('ignores news of another request of its session', async () => {
    const { host, acquires } = setUp();
    const grant = acquires.acquire(REQUEST, caller());
    host.executed[0]?.(QUEUED);
    await waiting(host);
    host.tell({ kind: 'granted', session: 's', acquireSeq: 4, token: 8, slots: [] });
    host.tell({ kind: 'granted', session: 's', acquireSeq: 5, token: 9, slots: [] });
    expect(await grant).toMatchObject({ token: 9 });
  });

  test.for([
    ['withdrawn', 'WAIT_OVER'],
    ['broken', 'BROKEN'],
  ] as const)('that was %s says %s', async ([cause, code]) => {
    const { host, acquires } = setUp();
    const grant = settled(acquires.acquire(REQUEST, caller()));
    host.executed[0]?.(QUEUED);
    await waiting(host);
    host.tell({ kind: 'over', session: 's', acquireSeq: 5, token: 0, cause, reason: 'x' });
    expect(await grant).toBe(code);
    expect([host.listeners(), host.heldOpen]).toEqual([0, 0]);
  });

  test('is told honestly that leadership was lost', async () => {
    const { host, acquires } = setUp();
    const grant = settled(acquires.acquire(REQUEST, caller()));
    host.executed[0]?.(QUEUED);
    await waiting(host);
    host.changeLeader();
    host.role = 'follower';
    host.changeLeader();
    expect(await grant).toBe('OUTCOME_UNKNOWN');
    expect([host.listeners(), host.heldOpen, host.withdrawn]).toEqual([0, 0, []]);
  });
});

describe('a caller that goes away', () => {
  test('takes its waiter along', async () => {
    const { host, acquires } = setUp();
    const connection = caller();
    const grant = settled(acquires.acquire(REQUEST, connection));
    host.executed[0]?.(QUEUED);
    await waiting(host);
    connection.leave();
    expect(await grant).toBe('CANCELLED');
    expect(host.withdrawn).toEqual(['s 5']);
    expect([host.listeners(), host.heldOpen]).toEqual([0, 0]);
  });

  test('leaves the place in the queue to its retry', async () => {
    const { host, acquires } = setUp();
    const [first, second] = [caller(), caller()];
    const lost = settled(acquires.acquire(REQUEST, first));
    const retry = acquires.acquire(REQUEST, second);
    for (const done of host.executed) done(QUEUED);
    await waiting(host, 2);
    first.leave();
    expect(await lost).toBe('CANCELLED');
    expect(host.withdrawn).toEqual([]);
    host.tell({ kind: 'granted', session: 's', acquireSeq: 5, token: 9, slots: [] });
    expect(await retry).toMatchObject({ token: 9 });
  });

  test('is not served, but withdrawn, when only then the request is queued', async () => {
    const { host, acquires } = setUp();
    const gone: Caller = {
      onGone(listener) {
        listener();
        return () => {};
      },
    };
    const grant = settled(acquires.acquire(REQUEST, gone));
    expect(host.withdrawn).toEqual([]);
    host.executed[0]?.(QUEUED);
    expect(await grant).toBe('CANCELLED');
    expect(host.withdrawn).toEqual(['s 5']);
  });
});

test('a cluster that does not decide is given up, with an honest outcome', async () => {
  const host = createScriptedHost();
  const calls = new HostCalls({ host, clock: createSystemClock(), answerMs: 1 });
  const grant = new AcquireCalls(calls).acquire({ ...REQUEST, waitMs: 0 }, caller());
  expect(await settled(grant)).toBe('OUTCOME_UNKNOWN');
});

test('INV-13 leadership that was lost between the answer and the wait is not missed', async () => {
  const { host, acquires } = setUp();
  const answer = settled(acquires.acquire(REQUEST, caller()));
  // One turn of the engine: 1. the entry is applied, QUEUED is answered. 2. The leader steps down.
  // 3. Only now does the promise of the answer go on, and nobody will tell of the change again.
  host.executed[0]?.(QUEUED);
  host.role = 'follower';
  host.changeLeader();
  expect(await answer).toBe('OUTCOME_UNKNOWN');
  expect([host.heldOpen, host.listeners()]).toEqual([0, 0]);
});
