// A member that slept while everybody else was replaced: it knows none of those that lead now, and
// they can reach it. Shipped hosts in a simulated world.

import { expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import type { HostAnswer } from '../../src/node/host-types.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { createSimCluster } from '../../sim/cluster.ts';

async function replace(cluster: SimCluster, nodeId: NodeId, by: NodeId): Promise<void> {
  cluster.addNode(by);
  await cluster.until(`the start of ${by}`, () => cluster.node(by).isStarted);
  const leader = await cluster.waitLeader();
  const newcomer = { nodeId: by, address: `${by}:7000` };
  const step = { step: 'replace', nodeId, by: newcomer, expectedIndex: null } as const;
  const asked = cluster.ask<HostAnswer>(leader, (host, done) => host.admin(step, done));
  const [answer] = await cluster.answers(asked);
  expect(answer?.result.kind).toBe('membership');
  cluster.node(nodeId).crash();
}

async function withNewNeighbours(seed: number): Promise<SimCluster> {
  const cluster = await createSimCluster({ seed });
  const leader = await cluster.waitLeader();
  const [sleeper = '', other = ''] = cluster.others(leader);
  cluster.node(sleeper).crash();
  await replace(cluster, other, 'n4');
  await replace(cluster, leader, 'n5');
  await cluster.waitLeader(leader);
  cluster.node(sleeper).start();
  return cluster;
}

test('LIV-4 R-69 answers a leader that it has never heard of, and catches up', async () => {
  const cluster = await withNewNeighbours(1);
  expect(['n4', 'n5']).toContain(await cluster.waitLeader());
  await cluster.until('its start', () => cluster.members().every(({ isStarted }) => isStarted));
  await cluster.converge();
});

test('LIV-1 R-69 votes for a candidate that it has never heard of', async () => {
  const cluster = await withNewNeighbours(2);
  const leader = await cluster.waitLeader();
  cluster.node(leader).crash();
  const successor = await cluster.waitLeader(leader);
  expect(['n4', 'n5']).toContain(successor);
  await cluster.converge();
});
