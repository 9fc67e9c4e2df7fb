// Reports of users about crowds: very many sessions, waiters and renewals at once, with the shipped
// client and node.

import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import type { Grant } from '../../src/client/grant.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import { every, lossOf, look, nowMs, result, take } from './client-scenario.ts';
import { always, seeds, withLeader } from './scenario.ts';

const TTL_MS = 6_000;
/** Sessions that are opened together. */
const BATCH = 500;

/** Opens sessions that nobody will renew. */
async function openSilent(cluster: SimCluster, at: NodeId, count: number): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const opening = Array.from({ length: BATCH }, (_, number) => {
      const nonce = `${first + number}`.padStart(16, '_');
      const open = { op: 'openSession', nonce, ttlMs: TTL_MS, lockDelayMs: 0 } as const;
      return cluster.send(at, { ...open, name: '', meta: '' });
    });
    for (const { outcome } of await cluster.answers(...opening)) {
      expect(outcome.code).toBe('OPENED');
    }
  }
}

describe('thousands of sessions that expire at once', () => {
  test('G1 cost a live client neither its lease nor its patience', async () => {
    const count = 2_000;
    const { cluster, leader } = await withLeader({ seed: 1 });
    const one = cluster.client('one', { ttlMs: TTL_MS });
    const grant = await take(cluster, one);
    await openSilent(cluster, leader, count);
    const startMs = nowMs(cluster);
    let slowestMs = 0;
    every(one, 100, ({ client }) => {
      const askedMs = nowMs(cluster);
      const note = (): void => void (slowestMs = Math.max(slowestMs, nowMs(cluster) - askedMs));
      void client.lock('b').do(note);
      return true;
    });
    let leastMs = Infinity;
    const look = (): void => void (leastMs = Math.min(leastMs, grant.remainingMs()));
    await always(cluster, TTL_MS - 100, look);
    expect(cluster.status(leader).sessions).toBe(count + 1);
    const isOver = (): boolean => cluster.status(leader).sessions === 1;
    await cluster.until('all expiries', () => (look(), isOver()));
    expect(nowMs(cluster) - startMs).toBeLessThan(1.1 * TTL_MS);
    // Renewed at a third, and confirmed before another third is over.
    expect(leastMs).toBeGreaterThan((0.98 - 2 / 3) * TTL_MS);
    expect(slowestMs).toBeLessThan(TTL_MS / 3);
    expect([grant.held(), lossOf(grant)]).toEqual([true, null]);
  });
});

function isHolder(own: SimClient): boolean {
  return own.handle.program !== null && own.client.grants().length > 0;
}

describe('a hundred waiters', () => {
  test('C7 an expiry makes one holder, and so does every further one', async () => {
    const watched: string[] = [];
    const watch = (): HostWatch => ({
      started: () => {},
      stepped: () => {},
      installed: () => {},
      applied: (_entry, command, applied) => {
        const granted = applied?.events.filter(({ type }) => type === 'granted').length ?? 0;
        if (command?.op === 'expireSession') watched.push(`${granted}`);
      },
    });
    const { cluster } = await withLeader({
      seed: 7,
      watch: (id) => (id === 'n1' ? watch() : idle()),
    });
    const holder = cluster.client('holder', { ttlMs: 2_000 });
    await take(cluster, holder);
    const won: Grant[] = [];
    const waiting = ['one', 'two', 'three', 'four'].map((name) =>
      cluster.client(name, { ttlMs: 2_000 }),
    );
    for (const own of waiting) {
      own.run(({ client }) =>
        Promise.all(
          Array.from({ length: 25 }, async () =>
            won.push(await client.lock('a').acquire({ waitMs: Infinity })),
          ),
        ),
      );
    }
    await cluster.runFor(500);
    holder.handle.crash();
    await cluster.until('a grant', () => won.length > 0);
    await cluster.runFor(1_000);
    expect([won.length, (await look(cluster, waiting[3] ?? holder)).waiterCount]).toEqual([1, 99]);
    for (let count = 1; count < 4; count++) {
      const owner = waiting.find(isHolder);
      owner?.handle.crash();
      await cluster.until('the next grant', () => won.length > count);
      await cluster.runFor(1_000);
      expect(won.length).toBe(count + 1);
    }
    const tokens = won.map(({ token }) => token);
    expect(tokens).toEqual([...new Set(tokens)].sort((left, right) => left - right));
    expect(watched).toEqual(['1', '1', '1', '1']);
  });
});

function idle(): HostWatch {
  return { started: () => {}, stepped: () => {}, applied: () => {}, installed: () => {} };
}

describe('contention without faults', () => {
  test('F15 no lease is reported lost: many holders, permits and releases under short leases', async () => {
    const { cluster } = await withLeader({ seed: 15 });
    const clients = Array.from({ length: 4 }, (_, at) =>
      cluster.client(`c${at}`, { ttlMs: 1_000 }),
    );
    const lost: (string | null)[] = [];
    let done = 0;
    for (const own of clients) {
      for (let lane = 0; lane < 3; lane++) {
        own.run(async (process) => {
          for (;;) {
            await process.client.semaphore('s', 6).do({}, async (grant) => {
              grant.signal.addEventListener('abort', () => lost.push(lossOf(grant)));
              await process.sleep(300);
              done++;
            });
          }
        });
      }
    }
    await cluster.runFor(10_000);
    expect(lost).toEqual([]);
    expect(done).toBeGreaterThan((6 * 10_000) / 300 / 2);
  });

  test('K5 pauses of up to 200 ms cost no lease of one second', async () => {
    const { cluster } = await withLeader({ seed: 5 });
    const one = cluster.client('one', { ttlMs: 1_000 });
    const grant = await take(cluster, one);
    for (let round = 0; round < 300; round++) {
      one.handle.pause();
      await cluster.runFor((round * 73) % 201);
      one.handle.resume();
      await cluster.runFor((round * 131) % 401);
    }
    expect([grant.held(), lossOf(grant)]).toEqual([true, null]);
  });
});

describe('a watch whose connection is reset every second for a minute', () => {
  test('C21 no lock is lost by it, and no event', async () => {
    for (const seed of seeds(1)) {
      const { cluster } = await withLeader({ seed });
      const [one, two] = [cluster.client('one', { ttlMs: 3_000 }), cluster.client('two')];
      const grant = await take(cluster, one);
      const heard: number[] = [];
      one.run(async ({ client }) => {
        for await (const { type, revision } of client.watch({ name: 'b' })) {
          if (type === 'granted') heard.push(revision);
        }
      });
      await cluster.runFor(500);
      const tokens: number[] = [];
      for (let second = 0; second < 60; second++) {
        for (const id of cluster.ids) cluster.world.network.resetLinks('one', id);
        const other = await take(cluster, two, 'b');
        tokens.push(other.token);
        await result(cluster, two, () => other.release());
        await cluster.runFor(1_000);
        expect([second, grant.held(), lossOf(grant)]).toEqual([second, true, null]);
      }
      await cluster.runFor(2_000);
      expect(heard).toEqual(tokens);
    }
  });
});
