// What others lost by crashes, power failures and releases side by side (group J of the reports).

import { describe, expect, test } from 'vitest';
import type { HostSettings } from '../../src/node/host-types.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { tokenOf } from '../../sim/cluster-session.ts';
import { administrate } from '../node/members-rig.ts';
import { inspect, seeds, withLeader } from './scenario.ts';

const SMALL: Partial<HostSettings> = {
  checkpoints: { dirtyRowsMax: 8, intervalMs: 50, trailingEntries: 4, hashEvery: 8 },
};

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
    const older = { ...SMALL, commandSet: 1 };
    const { cluster, leader } = await withLeader({ seed: 3, settings: older });
    const session = await cluster.openSession(leader);
    const limits = { ...DEFAULT_LIMITS, ttlMsMax: 900_000 };
    const expected = DEFAULT_LIMITS;
    const change = { step: 'setLimits', limits, expected, by: 'test' } as const;
    // One node after the other is replaced by one of the newer release, under work.
    for (const [id, by] of [
      ['n1', 'n4'],
      ['n2', 'n5'],
      ['n3', 'n6'],
    ] as const) {
      const refused = await administrate(cluster, change);
      expect(refused).toMatchObject({ kind: 'refused', code: 'INVALID' });
      expect(JSON.stringify(refused)).toContain(id);
      cluster.addNode(by, { settings: { commandSet: 2 } });
      await cluster.until(`the start of ${by}`, () => cluster.node(by).isStarted);
      const step = { step: 'replace', nodeId: id, expectedIndex: null } as const;
      const member = { nodeId: by, address: `${by}:7000` };
      expect((await administrate(cluster, { ...step, by: member })).kind).toBe('membership');
      cluster.node(id).takeAway();
      const next = await cluster.waitLeader();
      const names = Array.from({ length: 20 }, (_, n) => `${by}/${n}`);
      await cluster.answers(...names.map((name) => session.acquire(next, name)));
      await cluster.converge();
      const hashes = cluster.living().map(({ stateHash }) => stateHash);
      expect(new Set(hashes).size).toBe(1);
    }
    expect(await administrate(cluster, change)).toEqual({ kind: 'done' });
    await cluster.converge();
  });
});
