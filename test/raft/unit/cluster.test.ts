import { expect, test } from 'vitest';
import { CoreCluster, E, H } from './harness.ts';

test('a cluster elects a leader by itself and replicates', () => {
  const cluster = new CoreCluster({ size: 3 });
  cluster.runUntil(() => cluster.leader()?.core.leader?.isReady === true, 4 * E);
  const leader = cluster.leader();
  expect(leader).not.toBeNull();
  if (leader === null) return;
  expect(cluster.propose(leader.nodeId, 'a', 'b').accepted).toBe(2);
  cluster.run(H);
  for (const node of cluster.nodes.values()) {
    expect(node.applied.map((entry) => entry.type)).toEqual(['noop', 'command', 'command']);
  }
  cluster.run(20 * E);
  expect(cluster.leader()).toBe(leader);
  expect(leader.term).toBe(1);
  cluster.crash(leader.nodeId);
  cluster.runUntil(() => cluster.leader() !== null, 4 * E);
  cluster.propose(cluster.leader()?.nodeId ?? '', 'c');
  cluster.restart(leader.nodeId);
  cluster.run(2 * E);
  expect(leader.applied.length).toBe(5);
  expect(H).toBe(50_000);
});
