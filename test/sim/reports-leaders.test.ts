// Reports of users about leases across changes of leader, and nodes that are stuck or dead, with
// the shipped client and node.

import { describe, expect, test } from 'vitest';
import type { Grant } from '../../src/client/grant.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { ClientMessage } from '../../src/wire/client-messages.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { SimClient, TransportTap } from '../../sim/cluster-client.ts';
import { TappedTransport } from '../../sim/oracle/history-tap.ts';
import { forceElection, lossOf, look, nowMs, result, take } from './client-scenario.ts';
import { E, seeds, withLeader } from './scenario.ts';

const TTL_MS = 10_000;

/** Watches every node for sessions that end by expiry. */
function expiries(): { readonly watch: () => HostWatch; readonly ended: string[] } {
  const ended: string[] = [];
  const watch = (): HostWatch => ({
    started: () => {},
    stepped: () => {},
    installed: () => {},
    applied: (_entry, command, applied) => {
      if (command?.op === 'expireSession' && applied?.outcome.code === 'DONE') {
        ended.push(command.session);
      }
    },
  });
  return { watch, ended };
}

/** A session that holds a lock and is not heard of any more. */
async function deadHolder(cluster: SimCluster): Promise<{ grant: Grant; confirmedMs: number }> {
  const one = cluster.client('one', { ttlMs: TTL_MS, marginMs: 0 });
  const grant = await take(cluster, one);
  await cluster.runFor(9_000);
  // The client believes for 0.98 of the TTL since it sent the renewal that was confirmed last.
  const confirmedMs = nowMs(cluster) + grant.remainingMs() - 0.98 * TTL_MS;
  one.handle.crash();
  return { grant, confirmedMs };
}

describe('a leader that is stuck in its log write for twice the TTL', () => {
  const FREEZES = {
    'its disk stands still': (cluster: SimCluster, leader: string) =>
      cluster.node(leader).disk.writes.stall(),
    'its process stands still': (cluster: SimCluster, leader: string) => {
      cluster.node(leader).pause();
      return () => cluster.node(leader).resume();
    },
    'its disk stands still, and nobody hears of it': (cluster: SimCluster, leader: string) => {
      const undo = cluster.node(leader).disk.writes.stall();
      for (const id of cluster.others(leader)) cluster.world.cutBoth(leader, id);
      return () => {
        undo();
        for (const id of cluster.others(leader)) cluster.world.healBoth(leader, id);
      };
    },
  };

  test.each(Object.entries(FREEZES))(
    'A1 %s: nobody who renews loses his lease',
    async (_, freeze) => {
      for (const seed of seeds(3)) {
        const { watch, ended } = expiries();
        const { cluster, leader, rest } = await withLeader({ seed, watch });
        const [one, two] = [
          cluster.client('one', { ttlMs: 5_000 }),
          cluster.client('two', { ttlMs: 5_000 }),
        ];
        const grants = [await take(cluster, one, 'a'), await take(cluster, two, 'b')];
        const sessions = [one.client.session.id, two.client.session.id];
        // One talks to nobody but the stuck leader at first.
        for (const id of rest) cluster.world.cutBoth('one', id);
        const unfreeze = freeze(cluster, leader);
        await cluster.runFor(1_000);
        for (const id of rest) cluster.world.healBoth('one', id);
        await cluster.runFor(9_000);
        expect([seed, grants.map(lossOf)]).toEqual([seed, [null, null]]);
        unfreeze();
        await cluster.runFor(20_000);
        expect([seed, grants.map((grant) => grant.held()), ended]).toEqual([
          seed,
          [true, true],
          [],
        ]);
        expect([one.client.session.id, two.client.session.id]).toEqual(sessions);
        await cluster.converge();
      }
    },
  );

  test('A1 it confirms no renewal while others may lead, and its clients move on in time', async () => {
    for (const seed of seeds(4)) {
      const { watch, ended } = expiries();
      const { cluster, leader } = await withLeader({ seed, watch });
      const session = await cluster.openSession(leader, 5_000);
      const undo = FREEZES['its disk stands still, and nobody hears of it'](cluster, leader);
      // What was under way may still be answered; from then on no quorum confirms anything.
      await cluster.runFor(10);
      const answers = [];
      for (let passedMs = 0; passedMs < 3 * E; passedMs += 100) {
        answers.push(cluster.keepAlive(leader, session));
        await cluster.runFor(100);
      }
      const next = await cluster.waitLeader(leader);
      for (let passed = 0; passed < 10; passed++) {
        answers.push(cluster.keepAlive(leader, session));
        const [renewed] = await cluster.answers(cluster.keepAlive(next, session));
        expect(renewed?.code).toBe('OK');
        await cluster.runFor(1_000);
      }
      undo();
      const late = cluster.keepAlive(leader, session);
      await cluster.runFor(2_000);
      const codes = new Set([...answers, late].map((answer) => answer.value.code));
      expect([seed, codes, ended]).toEqual([seed, new Set(['NOT_LEADER']), []]);
    }
  });
});

describe('a holder that died', () => {
  test('A3 keeps its lock for a TTL after the last of fifty elections, and no longer', async () => {
    const { cluster } = await withLeader({ seed: 3 });
    const two = cluster.client('two', { requestMs: 60_000 });
    const { grant, confirmedMs } = await deadHolder(cluster);
    let lastMs = 0;
    for (const endMs = nowMs(cluster) + 300_000; nowMs(cluster) < endMs;) {
      await forceElection(cluster);
      lastMs = nowMs(cluster);
      await cluster.runFor(6_000 - E);
      expect((await look(cluster, two)).holder?.token).toBe(grant.token);
    }
    const next = await take(cluster, two);
    const freedMs = nowMs(cluster);
    expect(next.token).toBeGreaterThan(grant.token);
    expect(freedMs - confirmedMs).toBeGreaterThan(TTL_MS);
    expect(freedMs - lastMs).toBeGreaterThan(0.98 * TTL_MS);
    expect(freedMs - lastMs).toBeLessThan(1.01 * TTL_MS + 3 * E);
  });

  test('A3 without an election is never freed before a TTL after its last renewal', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      const { confirmedMs } = await deadHolder(cluster);
      await take(cluster, cluster.client('two'));
      expect(nowMs(cluster) - confirmedMs).toBeGreaterThan(TTL_MS);
      expect(nowMs(cluster) - confirmedMs).toBeLessThan(1.01 * TTL_MS + E);
    }
  });

  test('A4 after each of many elections the lease is told by the same rule', async () => {
    for (const seed of seeds(3)) {
      const { cluster } = await withLeader({ seed });
      const two = cluster.client('two', { requestMs: 60_000 });
      await deadHolder(cluster);
      for (let election = 1; election <= 12; election++) {
        const next = await forceElection(cluster);
        const startMs = nowMs(cluster);
        for (const waitedMs of [0, (700 * election) % 8_000]) {
          await cluster.runFor(waitedMs);
          const leftMs = (await look(cluster, two)).holder?.leaseLeftMs ?? 0;
          const expectedMs = TTL_MS - (nowMs(cluster) - startMs);
          expect([seed, election, next, Math.abs(leftMs - expectedMs) < 100]).toEqual([
            seed,
            election,
            next,
            true,
          ]);
        }
      }
    }
  });
});

describe('a holder whose cluster is in trouble', () => {
  async function hold(
    cluster: SimCluster,
    ttlMs: number,
  ): Promise<{ one: SimClient; grant: Grant }> {
    const one = cluster.client('one', { ttlMs });
    return { one, grant: await take(cluster, one) };
  }

  /** Nodes reach clients, and not one another. */
  function separate(cluster: SimCluster): void {
    for (const id of cluster.ids) {
      for (const other of cluster.others(id)) cluster.world.cut(id, other);
    }
  }

  test('A8 no node leads for 0.8 of the TTL: it asks on and on, and never notices', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      let renewals = 0;
      const sent = ({ type }: ClientMessage): void =>
        void (renewals += type === 'keepAlive' ? 1 : 0);
      const tap: TransportTap = (transport) =>
        new TappedTransport(transport, () => ({ sent, heard: () => {} }));
      const grant = await take(cluster, cluster.client('one', { ttlMs: 15_000 }, {}, tap));
      const startMs = nowMs(cluster);
      separate(cluster);
      await cluster.runFor(2 * E);
      expect(cluster.leader()).toBe(null);
      await cluster.runFor(12_000 - 4 * E);
      expect([seed, renewals >= 5, renewals <= 50]).toEqual([seed, true, true]);
      cluster.world.heal();
      await cluster.waitLeader();
      expect([seed, nowMs(cluster) - startMs > 11_000]).toEqual([seed, true]);
      await cluster.runFor(60_000);
      expect([seed, grant.held(), lossOf(grant)]).toEqual([seed, true, null]);
    }
  });

  test('A8 no node leads any more: it aborts at its deadline, not before', async () => {
    for (const seed of seeds(5)) {
      const { cluster } = await withLeader({ seed });
      const { grant } = await hold(cluster, TTL_MS);
      await cluster.runFor(seed * 700);
      separate(cluster);
      // A round of the old leader may still be under way.
      await cluster.runFor(50);
      const deadlineMs = nowMs(cluster) + grant.remainingMs();
      await cluster.until('the abort', () => grant.signal.aborted);
      const earlyMs = deadlineMs - nowMs(cluster);
      expect([seed, lossOf(grant), earlyMs >= 490 && earlyMs <= 510]).toEqual([
        seed,
        'UNAVAILABLE',
        true,
      ]);
    }
  });

  test('A9 the only node that it reached is killed: another serves it within a heartbeat', async () => {
    for (const seed of seeds(6)) {
      const { cluster, leader } = await withLeader({ seed });
      const { one, grant } = await hold(cluster, 3_000);
      const session = one.client.session.id;
      const pinned = cluster.ids[seed % 3] ?? leader;
      for (const id of cluster.others(pinned)) cluster.world.cutBoth('one', id);
      await cluster.runFor(500);
      cluster.node(pinned).crash();
      cluster.world.heal();
      // A renewal of this session is due every second.
      const before = grant.remainingMs();
      await cluster.runFor(1_000 + (pinned === leader ? 3 * E : 0));
      expect([seed, grant.held(), grant.remainingMs() > before - 500]).toEqual([seed, true, true]);
      await cluster.runFor(20_000);
      const { holder } = await look(cluster, one);
      expect([holder?.session, holder?.token]).toEqual([session, grant.token]);
      expect(await result(cluster, one, () => grant.release())).toBe(true);
    }
  });
});
