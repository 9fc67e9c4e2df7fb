// Faults that wait until the membership is being changed.

import { expect, test } from 'vitest';
import { createSimCluster } from '../../sim/cluster.ts';
import { CHANGE, JOINT } from '../../sim/script/ambush.ts';
import { clientOptions, clusterOptions } from '../../sim/script/cluster-options.ts';
import { drawScript } from '../../sim/script/draw.ts';
import { describeFault } from '../../sim/script/describe-fault.ts';
import { scheduleFaults } from '../../sim/script/faults.ts';
import type { ClusterConfig } from '../../src/raft/config.ts';
import type { MembershipStep } from '../../src/client/admin.ts';

/** Configurations that may be in force when the leader crashes, which waits for a change. */
async function atCrash(arg: number): Promise<readonly ClusterConfig[]> {
  const fault = { kind: 'crash', target: 0, atMs: 100, forMs: 100, arg } as const;
  const mild = { ...drawScript(1), shape: { nodes: 3, clients: 1, keys: 1 }, noise: 5 } as const;
  const script = { ...mild, horizonMs: 2_000, faults: [fault], ops: [] };
  const cluster = await createSimCluster(clusterOptions(script));
  let seen: readonly ClusterConfig[] = [];
  for (const node of cluster.all()) {
    const crash = node.crash.bind(node);
    node.crash = () => {
      seen = cluster.oracle.configurations();
      crash();
    };
  }
  scheduleFaults(cluster, script, () => []);
  await cluster.waitLeader();
  await cluster.runFor(200);
  expect(seen).toEqual([]);
  const { address } = cluster.addNode('n4');
  await cluster.until('the new node listens', () => cluster.node('n4').isStarted);
  const node = { nodeId: 'n4', address, isVoter: true };
  const step: MembershipStep = { step: 'addMember', ...node, expectedIndex: null };
  const client = cluster.client('c1', clientOptions(script));
  client.run(async (own) => {
    const admin = own.openAdmin();
    await admin.change(step, () => {}).catch(() => null);
    admin.close();
  });
  await cluster.until('the leader crashes', () => seen.length > 0);
  return seen;
}

test('M-44 a fault that waits for a change strikes while it is not committed', async () => {
  const configs = await atCrash(CHANGE);
  expect(configs.at(0)?.learners.length).toBe(0);
  expect(configs.at(-1)?.learners.length).toBe(1);
});

test('N-27 one that waits for a joint configuration lets others pass', async () => {
  const configs = await atCrash(JOINT);
  expect(configs.at(-1)?.votersOutgoing.length).toBe(3);
});

test('both say so in words', () => {
  const script = drawScript(1);
  const fault = { kind: 'crash', target: 0, atMs: 0, forMs: 20 } as const;
  expect(describeFault(script, { ...fault, arg: CHANGE })).toBe(
    'the leader crashes for 20 ms, as soon as a configuration is not committed yet',
  );
  expect(describeFault(script, { ...fault, arg: JOINT + 96 })).toBe(
    'the leader crashes for 20 ms, 1 ms after a configuration is joint',
  );
});
