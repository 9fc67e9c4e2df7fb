// Users test with timers and clocks of their own making while an embedded cluster and a client run
// in the same process.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/index.ts';
import { localCluster } from '../../src/node.ts';

const TTL_MS = 3_000;
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('fake timers, which stand still or leap', () => {
  test('I2 keep no cluster from starting, no lease from its renewals and no wait from its end', async () => {
    await using cluster = await localCluster({ nodes: 3 });
    await using holder = await connect({ nodes: cluster.addresses, ttlMs: TTL_MS });
    const grant = await holder.lock('a').acquire();
    vi.advanceTimersByTime(HOUR_MS);
    vi.setSystemTime(0);
    await using other = await connect({ nodes: cluster.addresses });
    // Longer than the TTL; only a clock that none of this touches can end it.
    const wait = other.lock('a').acquire({ waitMs: TTL_MS + 1_000 });
    await expect(wait).rejects.toMatchObject({ code: 'WAIT_OVER' });
    expect([grant.held(), grant.signal.aborted, Date.now()]).toEqual([true, false, 0]);
    expect(await grant.release()).toBe(true);
  });
});
