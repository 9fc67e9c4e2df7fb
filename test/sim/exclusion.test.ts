import { expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { SimNode } from '../../sim/cluster-node.ts';
import type { ClientProgram, SimClient } from '../../sim/cluster-client.ts';
import { FencedStore } from '../../sim/fenced-store.ts';
import { seeds, withLeader } from './scenario.ts';

const CLIENTS = 4;
const LOCKS = 2;
const FAULT_COUNT = 20;
const FAULT_EVERY_MS = 500;

/** One attempt: takes a lock and writes under it for as long as it believes in it. */
async function attempt(own: ClientProgram, store: FencedStore, name: string): Promise<void> {
  const by = own.client.session.id ?? '';
  const grant = await own.client.lock(name).acquire({ waitMs: 4_000 });
  const { token } = grant;
  for (let write = 0; write < 8; write++) {
    // Not held(): that may miss a suspend of the machine for 50 ms (RAFT.md §14.4).
    grant.assertHeld();
    const isTaken = store.offer({ name, token, by: `${by} ${token}` });
    // INV-17: belief is never wrong while clocks keep their rate within one per cent.
    if (!isTaken) throw new Error(`INV-17: token ${token} of ${name} was believed in too long`);
    await own.sleep(5);
  }
  await grant.release();
}

/** Attempts without end; errors that the library documents are part of life. */
async function work(own: ClientProgram, store: FencedStore, first: number): Promise<never> {
  for (let round = first; ; round++) {
    try {
      await attempt(own, store, `lock ${round % LOCKS}`);
    } catch (error) {
      if (!HoldfastError.is(error) || error.code === 'INTERNAL') throw error;
    }
    await own.sleep(10);
  }
}

interface Target {
  readonly cluster: SimCluster;
  readonly node: SimNode;
  readonly client: SimClient;
  readonly other: SimNode;
}

/** Does one thing and gives what undoes it. */
type Fault = (target: Target) => () => void;

function isolate(cluster: SimCluster, name: string): () => void {
  const { names } = cluster.world;
  cluster.world.isolate(name);
  return () => {
    for (const other of names) cluster.world.healBoth(name, other);
  };
}

const FAULTS: readonly Fault[] = [
  ({ node }) => {
    node.crash();
    return () => node.start();
  },
  ({ node }) => {
    node.losePower();
    return () => node.start();
  },
  ({ node }) => {
    node.pause();
    return () => node.resume();
  },
  ({ cluster, node }) => isolate(cluster, node.id),
  ({ cluster, client }) => isolate(cluster, client.name),
  ({ client }) => {
    client.handle.pause();
    return () => client.handle.resume();
  },
  ({ client }) => {
    client.handle.pause('suspend');
    return () => client.handle.resume();
  },
  ({ cluster, client }) => {
    for (const id of cluster.ids) cluster.world.cut(id, client.name);
    return () => {
      for (const id of cluster.ids) cluster.world.heal(id, client.name);
    };
  },
  ({ node }) => {
    node.disk.extraDelayUs = 50_000;
    return () => (node.disk.extraDelayUs = 0);
  },
  ({ cluster, node, other }) => {
    cluster.world.network.resetLinks(node.id, other.id);
    return () => cluster.world.network.stallLinks(node.id, other.id, 300_000);
  },
  ({ cluster, node, client }) => {
    cluster.world.network.stallLinks(node.id, client.name, 700_000);
    return () => cluster.world.network.resetLinks(node.id, client.name);
  },
];

/** One fault, aimed at the leader every other time. */
function injectFault(cluster: SimCluster, clients: readonly SimClient[], number: number): void {
  const { random } = cluster.world;
  const pick = <T>(list: readonly T[], what: string): T => {
    const chosen = list[random.below(list.length, what, number)];
    if (chosen === undefined) throw new Error(`nothing to pick for ${what}`);
    return chosen;
  };
  const anyNode = pick(cluster.all(), 'node');
  const leader = cluster.leader();
  const isAimed = leader !== null && random.below(2, 'aim', number) === 1;
  const node = isAimed ? cluster.node(leader) : anyNode;
  const target = {
    cluster,
    node,
    client: pick(clients, 'client'),
    other: pick(cluster.all(), 'other'),
  };
  const undo = pick(FAULTS, 'fault')(target);
  cluster.world.at(cluster.world.nowUs + 1_000 * (200 + random.below(4_000, 'undo', number)), undo);
}

async function campaign(seed: number): Promise<{ store: FencedStore; cluster: SimCluster }> {
  const clocks = { n1: { driftPpm: 9_900 }, n2: { driftPpm: -9_900 } };
  const { cluster } = await withLeader({ seed, clocks });
  const store = new FencedStore();
  const clients = Array.from({ length: CLIENTS }, (_, at) => {
    const driftPpm = at % 2 === 0 ? -9_900 : 9_900;
    return cluster.client(`c${at}`, { ttlMs: 2_000, requestMs: 3_000 }, { driftPpm });
  });
  const ends = clients.map((client, at) => client.run((own) => work(own, store, at)));
  const failed = (): boolean => ends.some((end) => end.isSettled);
  const raise = (): void => {
    for (const end of ends) if (end.isSettled && !end.value.isOk) throw end.value.error;
  };
  for (let fault = 0; fault < FAULT_COUNT; fault++) {
    await cluster.world.run(failed, FAULT_EVERY_MS * 1_000);
    raise();
    injectFault(cluster, clients, fault);
  }
  await cluster.runFor(12_000);
  raise();
  const before = store.tokens;
  await cluster.runFor(10_000);
  raise();
  expect(store.tokens - before, `LIV-5, seed ${seed}`).toBeGreaterThan(50);
  return { store, cluster };
}

test('INV-15 INV-16 INV-17 no two clients hold one lock while nodes and clients fail', async () => {
  let tokens = 0;
  let terms = 0;
  for (const seed of seeds(4)) {
    const { store, cluster } = await campaign(seed);
    tokens += store.tokens;
    terms += cluster.oracle.terms.length;
  }
  expect(tokens).toBeGreaterThan(1_500);
  expect(terms).toBeGreaterThan(8);
});

test('DET-1 the same campaign twice is the same run, clients included', async () => {
  const [first, second] = [await campaign(99), await campaign(99)];
  expect(second.cluster.world.traceHash()).toBe(first.cluster.world.traceHash());
  expect(second.store.tokens).toBe(first.store.tokens);
});
