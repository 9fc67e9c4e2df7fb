// What others lost by crashes, power failures and releases side by side (group J of the reports).

import { describe, expect, test } from 'vitest';
import type { HostAnswer, HostSettings } from '../../src/node/host-types.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { AdminStep, QueryResult } from '../../src/wire/client-messages.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { tokenOf } from '../../sim/cluster-session.ts';
import { inspect, seeds, withLeader } from './scenario.ts';

const SMALL: Partial<HostSettings> = {
  checkpoints: { dirtyRowsMax: 8, intervalMs: 50, trailingEntries: 4, hashEvery: 8 },
};

async function administrate(cluster: SimCluster, step: AdminStep): Promise<QueryResult> {
  const leader = await cluster.waitLeader();
  const pending = cluster.ask<HostAnswer>(leader, (host, done) => host.admin(step, done));
  await cluster.until(`an answer to ${step.step}`, () => pending.isSettled, 120_000);
  return pending.value.result;
}

describe('J3 power loss', () => {
  test.each(seeds(6))(
    'J3 of one node, then of two, takes no acknowledged grant, and no read goes back (%i)',
    async (seed) => {
      const disk = { latencies: { batch: { minUs: 200, maxUs: 3_000 } } };
      const { cluster, leader } = await withLeader({ seed, settings: SMALL, disk });
      const session = await cluster.openSession(leader);
      const tokens = new Map<string, number>();
      const work = async (prefix: string): Promise<void> => {
        const at = await cluster.waitLeader();
        const names = Array.from({ length: 12 }, (_, n) => `${prefix}/${n}`);
        const asked = names.map((name) => session.acquire(at, name));
        await cluster.answers(...asked);
        asked.forEach(({ value }, n) => tokens.set(names[n] ?? '', tokenOf(value)));
      };
      const losePower = async (ids: readonly string[]): Promise<void> => {
        for (const id of ids) cluster.node(id).losePower();
        await cluster.runFor(200);
        for (const id of ids) cluster.node(id).start();
        const isBack = (): boolean => ids.every((id) => cluster.node(id).isStarted);
        await cluster.until('the nodes to be back', isBack);
      };
      await work('a');
      await losePower([leader]);
      await work('b');
      const [first = '', second = ''] = cluster.ids;
      await losePower([first, second]);
      await work('c');
      const now = await cluster.waitLeader();
      for (const [name, token] of tokens) {
        const { holders } = await inspect(cluster, now, name);
        expect(holders.map((holder) => holder.token)).toEqual([token]);
      }
      await cluster.converge();
    },
  );
});

describe('J4 two releases side by side', () => {
  test('J4 no command is used that a member lacks, and states stay equal on both', async () => {
    const { cluster, leader } = await withLeader({ seed: 3, settings: SMALL });
    const session = await cluster.openSession(leader);
    const join = async (id: string, commandSet: number): Promise<void> => {
      cluster.addNode(id, { settings: { commandSet } });
      await cluster.until(`the start of ${id}`, () => cluster.node(id).isStarted);
      const step = {
        step: 'addMember',
        nodeId: id,
        address: `${id}:7000`,
        isVoter: false,
      } as const;
      const { kind } = await administrate(cluster, { ...step, expectedIndex: null });
      expect(kind).toBe('membership');
    };
    await join('n4', 1);
    const expected = DEFAULT_LIMITS;
    const limits = { ...DEFAULT_LIMITS, ttlMsMax: 900_000 };
    const change = { step: 'setLimits', limits, expected, by: 'test' } as const;
    const refused = await administrate(cluster, change);
    expect(refused).toMatchObject({ kind: 'refused', code: 'INVALID' });
    expect(JSON.stringify(refused)).toContain('n4');
    const names = Array.from({ length: 30 }, (_, n) => `a/${n}`);
    await cluster.answers(...names.map((name) => session.acquire(leader, name)));
    await cluster.converge();
    const hashes = cluster.living().map(({ stateHash }) => stateHash);
    expect(new Set(hashes).size).toBe(1);
    const gone = { step: 'removeMember', nodeId: 'n4', expectedIndex: null } as const;
    expect((await administrate(cluster, gone)).kind).toBe('membership');
    cluster.node('n4').takeAway();
    await join('n5', 2);
    expect(await administrate(cluster, change)).toEqual({ kind: 'done' });
    await cluster.converge();
  });
});
