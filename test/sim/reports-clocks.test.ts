// Reports of users about wall clocks that jump, with the shipped client and node.

import { describe, expect, test } from 'vitest';
import type { SimCluster } from '../../sim/cluster.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import { lossOf, look, nowMs, result, take } from './client-scenario.ts';
import { seeds, withLeader } from './scenario.ts';

const TTL_MS = 3_000;
const HOUR_MS = 3_600_000;
const JUMPS = [HOUR_MS, -24 * HOUR_MS, 365 * 24 * HOUR_MS, -HOUR_MS];

/** Sets the wall clocks of all machines, or of the client's alone. */
function jump(cluster: SimCluster, owner: SimClient, byMs: number, isEverywhere: boolean): void {
  owner.handle.process.clock.jumpWall(byMs);
  if (isEverywhere) for (const node of cluster.all()) node.jumpWall(byMs);
}

describe('a wall clock that jumps', () => {
  test.each([true, false])(
    'I1 costs no lease and frees no lock (everywhere: %s)',
    async (isEverywhere) => {
      for (const seed of seeds(3)) {
        const { cluster } = await withLeader({ seed });
        const [one, two] = [cluster.client('one', { ttlMs: TTL_MS }), cluster.client('two')];
        const grant = await take(cluster, one);
        const waiting = two.run(({ client }) => client.lock('a').acquire({ waitMs: 20_000 }));
        for (const byMs of JUMPS) {
          jump(cluster, one, byMs, isEverywhere);
          await cluster.runFor(TTL_MS);
          expect([seed, byMs, grant.held(), lossOf(grant)]).toEqual([seed, byMs, true, null]);
        }
        expect(waiting.isSettled).toBe(false);
        expect((await look(cluster, two)).holder?.token).toBe(grant.token);
        await result(cluster, one, () => grant.release());
        await cluster.until('the hand-over', () => waiting.isSettled);
        expect(waiting.value.isOk).toBe(true);
      }
    },
  );

  test('I1 lets a dead holder, a wait and a lock-delay last as long as without it', async () => {
    for (const byMs of [0, ...JUMPS]) {
      const { cluster } = await withLeader({ seed: 9 });
      const one = cluster.client('one', { ttlMs: TTL_MS, lockDelayMs: 2_000 });
      const two = cluster.client('two');
      await take(cluster, one);
      one.handle.crash();
      const startMs = nowMs(cluster);
      const patient = two.run(({ client }) => client.lock('a').acquire({ waitMs: 2_500 }));
      await cluster.runFor(1_000);
      jump(cluster, two, byMs, true);
      await cluster.until('the end of the wait', () => patient.isSettled);
      const waitedMs = nowMs(cluster) - startMs;
      expect(patient.value).toMatchObject({ isOk: false, error: { code: 'WAIT_OVER' } });
      expect([byMs, Math.abs(waitedMs - 2_500) < 100]).toEqual([byMs, true]);
      await take(cluster, two);
      const freedMs = nowMs(cluster) - startMs;
      expect([byMs, Math.abs(freedMs - TTL_MS - 2_000) < 150]).toEqual([byMs, true]);
    }
  });

  test('I1 moves no token and no election: both come from the log', async () => {
    const { cluster } = await withLeader({ seed: 4 });
    const one = cluster.client('one');
    let last = 0;
    for (const byMs of JUMPS) {
      jump(cluster, one, byMs, true);
      const { term } = cluster.status(await cluster.waitLeader());
      const grant = await take(cluster, one);
      expect(grant.token).toBeGreaterThan(last);
      last = grant.token;
      await result(cluster, one, () => grant.release());
      await cluster.runFor(2_000);
      expect(cluster.status(await cluster.waitLeader()).term).toBe(term);
    }
  });
});
