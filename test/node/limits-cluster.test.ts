// Changes of the limits of shipped hosts in a simulated world.

import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { ReplicatedLimits } from '../../src/locks/commands.ts';
import type { HostAnswer } from '../../src/node/host-types.ts';
import type { AdminStep, QueryResult } from '../../src/wire/client-messages.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { createSimCluster } from '../../sim/cluster.ts';

async function cluster(seed: number) {
  const made = await createSimCluster({ seed });
  const leader = await made.waitLeader();
  return { cluster: made, leader };
}

async function administrate(made: SimCluster, step: AdminStep): Promise<QueryResult> {
  const leader: NodeId = await made.waitLeader();
  const pending = made.ask<HostAnswer>(leader, (host, done) => host.admin(step, done));
  await made.until(`an answer to ${step.step}`, () => pending.isSettled);
  return pending.value.result;
}

describe('limits', () => {
  const ttlMax = (ms: number): ReplicatedLimits => ({ ...DEFAULT_LIMITS, ttlMsMax: ms });
  const change = (expected: ReplicatedLimits, limits: ReplicatedLimits): AdminStep => ({
    step: 'setLimits',
    ...{ expected, limits, by: 'test' },
  });

  test('what somebody else changed since they were read is not undone in silence', async () => {
    const { cluster: made, leader } = await cluster(13);
    const limits = async (): Promise<QueryResult> => {
      const pending = made.query(await made.waitLeader(), { kind: 'limits' });
      await made.until('the limits', () => pending.isSettled);
      return pending.value.result;
    };
    expect(await limits()).toEqual({ kind: 'limits', limits: DEFAULT_LIMITS });
    const first = change(DEFAULT_LIMITS, ttlMax(700_000));
    expect(await administrate(made, first)).toEqual({ kind: 'done' });
    const other = change(DEFAULT_LIMITS, { ...DEFAULT_LIMITS, windowMax: 7 });
    const refused = await administrate(made, other);
    expect(refused).toMatchObject({ kind: 'refused', code: 'LIMITS_CHANGED' });
    // Asked again, as after an answer that was lost, also of the next leader.
    made.node(leader).crash();
    await made.waitLeader(leader);
    expect(await administrate(made, first)).toEqual({ kind: 'done' });
    expect(await limits()).toEqual({ kind: 'limits', limits: ttlMax(700_000) });
  });

  test('of two changes at the same time one is made', async () => {
    const { cluster: made, leader } = await cluster(14);
    const pending = [700_000, 800_000].map((ms) => {
      const step = change(DEFAULT_LIMITS, ttlMax(ms));
      return made.ask<HostAnswer>(leader, (host, done) => host.admin(step, done));
    });
    await made.until('both answers', () => pending.every(({ isSettled }) => isSettled));
    expect(pending.map(({ value }) => value.result)).toMatchObject([
      { kind: 'done' },
      {
        code: 'CHANGE_PENDING',
        message: expect.stringContaining('test changes the limits'),
        pending: { change: 'test changes the limits', sinceIndex: expect.any(Number) },
      },
    ]);
  });

  test('what cannot be a limit is refused, and a TTL beyond those in force too', async () => {
    const { cluster: made, leader } = await cluster(15);
    const odd = change(DEFAULT_LIMITS, { ...DEFAULT_LIMITS, ttlMsMin: 0 });
    const refused = await administrate(made, odd);
    expect(refused).toMatchObject({ kind: 'refused', code: 'INVALID' });
    expect(JSON.stringify(refused)).toContain('ttlMsMin must be a whole number from 100');
    await administrate(made, change(DEFAULT_LIMITS, ttlMax(2_000)));
    const opened = await made.execute(leader, {
      op: 'openSession',
      nonce: 'AAAAAAAAAAAAAAAA',
      ...{ ttlMs: 2_001, lockDelayMs: 0, name: 'late', meta: '' },
    });
    expect(opened.outcome).toMatchObject({
      code: 'INVALID',
      message: expect.stringContaining('from 1000 to 2000 (got 2001'),
    });
  });
});
