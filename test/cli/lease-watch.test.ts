import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import {
  defaultGraceMs,
  graceMsMax,
  stopPlan,
  untilWorkable,
  watchLease,
} from '../../src/cli/lease-watch.ts';
import type { Loss } from '../../src/cli/lease-watch.ts';

const TTL_MS = 15_000;
const PLAN = stopPlan(TTL_MS, 5_000);

class TestLease {
  readonly name = 'a';
  readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  deadlineMs = performance.now() + TTL_MS;

  remainingMs(): number {
    return this.deadlineMs - performance.now();
  }

  renew(): void {
    this.deadlineMs = performance.now() + TTL_MS;
  }
}

describe('the watch over a lease', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function watched(): { lease: TestLease; losses: Loss[]; stop: () => void } {
    const lease = new TestLease();
    const losses: Loss[] = [];
    const stop = watchLease(lease, PLAN, (loss) => losses.push(loss));
    return { lease, losses, stop };
  }

  test('B4 SIGTERM comes so early that grace and margin end within the lease', () => {
    const { lease, losses } = watched();
    vi.advanceTimersByTime(TTL_MS - PLAN.graceMs - PLAN.marginMs - 1);
    expect(losses).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(losses).toHaveLength(1);
    expect(losses[0]?.graceMs).toBeLessThanOrEqual(lease.remainingMs() - PLAN.marginMs);
    expect(losses[0]?.graceMs).toBeGreaterThan(PLAN.graceMs - 10);
  });

  test('a lease that is renewed is never lost', () => {
    const { lease, losses } = watched();
    for (let round = 0; round < 100; round++) {
      vi.advanceTimersByTime(TTL_MS / 3);
      lease.renew();
    }
    expect(losses).toEqual([]);
  });

  test('B4 after a stall past the lease nothing is left for grace', () => {
    const { lease, losses } = watched();
    lease.deadlineMs = performance.now() - 10_000;
    lease.controller.abort(new HoldfastError('EVENT_LOOP_BLOCKED', 'asleep for 25 s'));
    expect(losses).toEqual([{ graceMs: 0, reason: 'asleep for 25 s' }]);
  });

  test('a lease that is already over kills at once', () => {
    const losses: Loss[] = [];
    const lease = { name: 'a', signal: new AbortController().signal, remainingMs: () => -1 };
    watchLease(lease, PLAN, (loss) => losses.push(loss));
    const reason = 'the lease of the lock "a" could not be renewed and is over in 0 ms';
    expect(losses).toEqual([{ graceMs: 0, reason }]);
  });

  test.each([
    ['BROKEN', 'broken by ops: stuck'],
    ['SESSION_ENDED', 'the session was ended by ops: stuck'],
  ] as const)('K1 %s leaves the whole grace and tells the reason, once', (code, reason) => {
    const { lease, losses } = watched();
    lease.deadlineMs = 0;
    lease.controller.abort(new HoldfastError(code, reason));
    vi.advanceTimersByTime(TTL_MS * 2);
    expect(losses).toEqual([{ graceMs: PLAN.graceMs, reason }]);
  });

  test('a lease without end is lost by its signal only, and leaves a grace of 5 s', () => {
    const losses: Loss[] = [];
    const controller = new AbortController();
    const lease = { name: 'a', signal: controller.signal, remainingMs: () => Infinity };
    const plan = stopPlan(Infinity, defaultGraceMs(Infinity));
    watchLease(lease, plan, (loss) => losses.push(loss));
    vi.advanceTimersByTime(30 * 86_400_000);
    expect(losses).toEqual([]);
    controller.abort(new HoldfastError('BROKEN', 'broken by ops: stuck'));
    expect(losses).toEqual([{ graceMs: 5_000, reason: 'broken by ops: stuck' }]);
  });

  test('after the watch is stopped nothing is reported', () => {
    const { lease, losses, stop } = watched();
    stop();
    lease.controller.abort(new HoldfastError('BROKEN', 'too late'));
    vi.advanceTimersByTime(TTL_MS * 2);
    expect(losses).toEqual([]);
  });
});

describe('B4 a command begins only when there is time for it', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const NEVER = new AbortController().signal;

  function begun(lease: TestLease, interrupted = NEVER): { how: () => unknown } {
    let how: unknown = 'waits';
    untilWorkable(lease, PLAN, interrupted).then(
      () => (how = 'may begin'),
      (error: unknown) => (how = error),
    );
    return { how: () => how };
  }

  async function advance(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
  }

  test('a lease that was just renewed leaves enough of it at once', async () => {
    const { how } = begun(new TestLease());
    await advance(0);
    expect(how()).toBe('may begin');
  });

  test('what remains of an old one is waited out until it is renewed, and is not lost then', async () => {
    const lease = new TestLease();
    lease.deadlineMs = performance.now() + PLAN.graceMs + PLAN.marginMs + 100;
    const { how } = begun(lease);
    await advance(2_000);
    expect(how()).toBe('waits');
    lease.renew();
    await advance(100);
    expect(how()).toBe('may begin');
    const losses: Loss[] = [];
    watchLease(lease, PLAN, (loss) => losses.push(loss));
    await advance(1_000);
    expect(losses).toEqual([]);
  });

  test('without a renewal it does not begin, and the wait ends with the lease', async () => {
    const lease = new TestLease();
    lease.deadlineMs = performance.now() + 3_000;
    const { how } = begun(lease);
    await advance(3_100);
    expect(how()).toMatchObject({ code: 'UNAVAILABLE', outcome: 'none' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('renewals that never leave enough do not make it wait for ever', async () => {
    const lease = new TestLease();
    lease.deadlineMs = performance.now() + 3_000;
    const { how } = begun(lease);
    for (let round = 0; round < 40; round++) {
      lease.deadlineMs = performance.now() + 3_000;
      await advance(100);
    }
    expect(how()).toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('a loss meanwhile is told as it is, and a signal ends the wait', async () => {
    const lost = new TestLease();
    lost.deadlineMs = performance.now() + 3_000;
    const stop = new AbortController();
    const [first, second] = [begun(lost), begun(lost, stop.signal)];
    stop.abort(new Error('SIGTERM'));
    await advance(0);
    expect(second.how()).toBe(stop.signal.reason);
    lost.controller.abort(new HoldfastError('BROKEN', 'broken by ops: stuck'));
    await advance(0);
    expect(first.how()).toBe(lost.signal.reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a lease without end is enough', async () => {
    const lease = { name: 'a', signal: NEVER, remainingMs: () => Infinity };
    const plan = stopPlan(Infinity, defaultGraceMs(Infinity));
    await expect(untilWorkable(lease, plan, NEVER)).resolves.toBe(undefined);
  });
});

test.each([1_000, 3_000, 15_000, 600_000])(
  'a lease of %i ms is not given up before its second renewal was due',
  (ttlMs) => {
    for (const graceMs of [defaultGraceMs(ttlMs), graceMsMax(ttlMs)]) {
      const { marginMs, reserveMs } = stopPlan(ttlMs, graceMs);
      expect(graceMs + marginMs).toBeLessThan(ttlMs - ttlMs / 3);
      // Whatever the clocks, a renewal leaves nine tenths of the lease to believe in.
      expect(graceMs + marginMs + reserveMs).toBeLessThan(0.9 * ttlMs);
    }
  },
);
