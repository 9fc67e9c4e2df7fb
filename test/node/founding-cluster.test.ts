// A blank founding member that is brought into its cluster from two sides: by whoever founds it,
// and by a leader of those who are founded already, which sends it the checkpoint at the origin.

import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import type { Founded } from '../../src/client/founding.ts';
import { foundCluster } from '../../src/client/founding.ts';
import type { HostAnswer } from '../../src/node/host-types.ts';
import type { Member } from '../../src/raft/config.ts';
import type { FoundingStep, QueryResult } from '../../src/wire/client-messages.ts';
import type { FoundingRecord } from '../../src/wire/founding-record.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { valueOf } from '../../sim/cluster-client.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import { SMALL } from './members-rig.ts';

const LAST = 'n3';

interface HalfFounded {
  readonly cluster: SimCluster;
  readonly record: FoundingRecord;
}

async function ask(cluster: SimCluster, id: NodeId, step: FoundingStep): Promise<QueryResult> {
  const pending = cluster.ask<HostAnswer>(id, (host, done) => host.founding(step, done));
  await cluster.until(`${id} to ${step.step}`, () => pending.isSettled);
  return pending.value.result;
}

/** The first two of three nodes are founded, and have a leader; the third is blank. */
async function halfFounded(): Promise<HalfFounded> {
  return foundHalf(await createSimCluster({ seed: 1, isFounded: false, settings: SMALL }));
}

function memberOf(cluster: SimCluster, nodeId: NodeId): Member {
  const { storeId } = cluster.status(nodeId);
  return { nodeId, storeId, address: cluster.node(nodeId).address };
}

async function foundHalf(cluster: SimCluster): Promise<HalfFounded> {
  const members = cluster.ids.map((id) => memberOf(cluster, id));
  const { clusterName, limits } = cluster.settings;
  const mint = { step: 'mint', clusterName, members, limits, origin: 0 } as const;
  const minted = await ask(cluster, 'n1', mint);
  if (minted.kind !== 'founding' || minted.record === null) throw new Error(minted.kind);
  const { record } = minted;
  await ask(cluster, 'n2', { step: 'found', record });
  const isLed = (): boolean => cluster.living().some(({ role }) => role === 'leader');
  await cluster.until('a leader', isLed);
  return { cluster, record };
}

const isBlank = (cluster: SimCluster): boolean => cluster.status(LAST).membership === 'none';

/** Runs so many events, or until the last node is blank no more; gives how many it were. */
async function run(cluster: SimCluster, events: number): Promise<number> {
  let count = 0;
  await cluster.until('the last node to be a member', () => count++ >= events || !isBlank(cluster));
  return count;
}

/** As `holdfast init` does. */
async function init(cluster: SimCluster): Promise<Founded> {
  const operator = cluster.client(`operator ${cluster.world.nowUs}`);
  const { clusterName, limits, nodes } = cluster.settings;
  const plan = { clusterName, limits, nodes, origin: null, patienceMs: 5_000 };
  const asked = operator.run(({ ports }) => foundCluster(ports, plan));
  await cluster.until('the end of init', () => asked.isSettled);
  return valueOf(asked.value);
}

/** All three are members of the one cluster, with one record, and hold the same. */
async function expectOne({ cluster, record }: HalfFounded): Promise<void> {
  await cluster.until('three members', () => cluster.living().length === 3 && !isBlank(cluster));
  for (const id of cluster.ids) {
    expect(await ask(cluster, id, { step: 'ask' })).toMatchObject({ state: 'founded', record });
  }
  const session = await cluster.openSession(await cluster.waitLeader());
  const [grant] = await cluster.answers(session.acquire(await cluster.waitLeader(), 'a'));
  expect(grant?.outcome.code).toBe('GRANTED');
  await cluster.converge();
}

/** The same, with a state of many rows, which is offered from the start of the third node on. */
async function halfFilled(): Promise<HalfFounded> {
  const half = await halfFounded();
  const { cluster } = half;
  cluster.node(LAST).crash();
  const leader = await cluster.waitLeader();
  const session = await cluster.openSession(leader);
  const asked = Array.from({ length: 40 }, (_, at) => session.acquire(leader, `k${at}`));
  await cluster.answers(...asked);
  await cluster.runFor(1_000);
  cluster.node(LAST).start();
  await cluster.until('the start of the last node', () => cluster.node(LAST).isStarted);
  return half;
}

describe.each([
  ['the checkpoint at the origin', halfFounded, 1],
  ['a checkpoint of many pieces', halfFilled, 2],
] as const)('while a leader offers %s', (_, begin, stride) => {
  test('J1 founded at any moment of its joining, a node is a member once, and says so', async () => {
    const { cluster: first } = await begin();
    const events = await run(first, Infinity);
    expect(events).toBeGreaterThan(10);
    for (let at = 0; at <= events; at += stride) {
      const half = await begin();
      const { cluster, record } = half;
      await run(cluster, at);
      const answer = await ask(cluster, LAST, { step: 'found', record });
      expect(answer).toMatchObject({ kind: 'founding', state: 'founded', record });
      await expectOne(half);
    }
  });

  test('J1 one that dies at any moment of it is founded by the next run, with what it was given', async () => {
    const events = await run((await begin()).cluster, Infinity);
    for (let at = 0; at <= events; at += 2 * stride) {
      const half = await begin();
      const { cluster, record } = half;
      await run(cluster, at);
      const node = cluster.node(LAST);
      // With the step on its way, every other time.
      if (at % (4 * stride) === 0) {
        cluster.ask<HostAnswer>(LAST, (host, done) =>
          host.founding({ step: 'found', record }, done),
        );
      }
      await run(cluster, at % 7);
      node.losePower();
      node.start();
      await cluster.until('it to start again', () => node.isStarted);
      const answer = await ask(cluster, LAST, { step: 'found', record });
      expect(answer).toMatchObject({ kind: 'founding', state: 'founded', record });
      await expectOne(half);
    }
  });

  test('J1 when the leader dies on the way, init brings the node in and reports success', async () => {
    const events = await run((await begin()).cluster, Infinity);
    for (let at = 0; at <= events; at += 4 * stride) {
      const half = await begin();
      const { cluster, record } = half;
      await run(cluster, at);
      const leader = cluster.node(await cluster.waitLeader());
      leader.crash();
      await run(cluster, 5);
      leader.start();
      const done = await init(cluster);
      expect(done.clusterId).toBe(record.clusterId);
      expect([[], [LAST]]).toContainEqual(done.founded);
      expect((await init(cluster)).founded).toEqual([]);
      await expectOne(half);
    }
  });
});

test('J1 R-73 of two clusters that reach a blank node, it joins the one that names its directory', async () => {
  const cluster = await createSimCluster({ seed: 1, isFounded: false, settings: SMALL });
  const { nodeId, storeId, address } = memberOf(cluster, LAST);
  const strangers = await createSimCluster({
    ...{ seed: 1, beside: cluster, prefix: 's', nodes: 2, isFounded: false, settings: SMALL },
  });
  const lost = { nodeId, address, storeId: [...storeId].reverse().join('') };
  const members = [memberOf(strangers, 's1'), memberOf(strangers, 's2'), lost];
  const { clusterName, limits } = strangers.settings;
  const mint = { step: 'mint', clusterName, members, limits, origin: 0 } as const;
  const minted = await ask(strangers, 's1', mint);
  if (minted.kind !== 'founding' || minted.record === null) throw new Error(minted.kind);
  await ask(strangers, 's2', { step: 'found', record: minted.record });
  await strangers.waitLeader();
  await strangers.runFor(2_000);
  expect(isBlank(cluster)).toBe(true);
  await expectOne(await foundHalf(cluster));
});
