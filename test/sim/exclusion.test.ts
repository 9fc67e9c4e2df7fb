import { expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { ClientProgram, SimClient } from '../../sim/cluster-client.ts';
import { FencedStore } from '../../sim/fenced-store.ts';
import { seeds, withLeader } from './scenario.ts';

const CLIENTS = 4;
const LOCKS = 2;
const FAULTS = 20;
const FAULT_EVERY_MS = 500;

/** One attempt: takes a lock and writes under it for as long as it believes in it. */
async function attempt(own: ClientProgram, store: FencedStore, name: string): Promise<void> {
  const by = own.client.session.id ?? '';
  const grant = await own.client.lock(name).acquire({ waitMs: 4_000 });
  const { token } = grant;
  for (let write = 0; write < 8 && grant.held(); write++) {
    const isTaken = store.offer({ name, token, by: `${by} ${token}` });
    // INV-17: belief is never wrong while clocks keep their rate within one per cent.
    if (!isTaken) throw new Error(`INV-17: token ${token} of ${name} was believed in too long`);
    await own.sleep(5);
  }
  if (grant.held()) await grant.release();
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

/** Does one thing to one process, and undoes it a while later. */
function injectFault(cluster: SimCluster, clients: readonly SimClient[], number: number): void {
  const { random } = cluster.world;
  const pick = (limit: number, what: string): number => random.below(limit, what, number);
  const node = cluster.all()[pick(cluster.ids.length, 'node')];
  const client = clients[pick(clients.length, 'client')];
  if (node === undefined || client === undefined) return;
  const undoMs = 200 + pick(4_000, 'undo');
  const undo = (act: () => void): void => {
    cluster.world.at(cluster.world.nowUs + undoMs * 1_000, act);
  };
  const others = [...cluster.ids, ...clients.map(({ name }) => name)];
  const mendAll = (name: string) => () => {
    for (const other of others) cluster.world.healBoth(name, other);
  };
  switch (pick(7, 'fault')) {
    case 0:
      node.crash();
      return undo(() => node.start());
    case 1:
      node.losePower();
      return undo(() => node.start());
    case 2:
      node.pause();
      return undo(() => node.resume());
    case 3:
      cluster.world.isolate(node.id);
      return undo(mendAll(node.id));
    case 4:
      cluster.world.isolate(client.name);
      return undo(mendAll(client.name));
    case 5:
      client.handle.pause();
      return undo(() => client.handle.resume());
    default:
      for (const id of cluster.ids) cluster.world.cut(id, client.name);
      return undo(mendAll(client.name));
  }
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
  for (let fault = 0; fault < FAULTS; fault++) {
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
    terms += cluster.observer.terms.length;
  }
  expect(tokens).toBeGreaterThan(1_500);
  expect(terms).toBeGreaterThan(8);
});

test('DET-1 the same campaign twice is the same run, clients included', async () => {
  const [first, second] = [await campaign(99), await campaign(99)];
  expect(second.cluster.world.traceHash()).toBe(first.cluster.world.traceHash());
  expect(second.store.tokens).toBe(first.store.tokens);
});
