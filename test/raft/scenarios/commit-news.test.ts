import { describe, expect, test } from 'vitest';
import { CoreCluster, additionOf, elected, sentTo } from './scenario.ts';

/** Longest time that followers wait for the word of a commit, as docs/divergence.md tells. */
const NEWS_US = 5_000;

const commitOf = (cluster: CoreCluster, nodeId: string): number =>
  cluster.node(nodeId).core.commitIndex;

/** A leader whose entry 2 is committed, while the others know of entry 1 only. */
function withNews(): CoreCluster {
  const cluster = elected();
  cluster.node('n1').sent.length = 0;
  cluster.propose('n1', 'a');
  cluster.deliverAll();
  expect(['n1', 'n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([2, 1, 1]);
  return cluster;
}

describe('R-31 followers hear of a commit', () => {
  test('R-31 with the next Append, and not besides', () => {
    const cluster = withNews();
    cluster.propose('n1', 'b');
    cluster.deliverAll();
    expect(['n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([2, 2]);
    expect(sentTo(cluster.node('n1'), 'n2', 'append').map((each) => each.commit)).toEqual([1, 2]);
    expect(sentTo(cluster.node('n1'), 'n2', 'heartbeat')).toEqual([]);
  });

  test('R-31 or, when none follows, within a short time and once', () => {
    const cluster = withNews();
    const { raft } = cluster.node('n1');
    const wakeUs = cluster.nowUs + NEWS_US;
    expect(raft.nextDeadlineUs()).toBe(wakeUs);
    cluster.tick(NEWS_US - 1, ['n1']);
    expect(sentTo(cluster.node('n1'), 'n2', 'heartbeat')).toEqual([]);
    cluster.tick(1, ['n1']);
    cluster.deliverAll();
    expect(['n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([2, 2]);
    expect(raft.nextDeadlineUs()).toBeGreaterThan(wakeUs);
    cluster.tick(NEWS_US, ['n1']);
    expect(sentTo(cluster.node('n1'), 'n2', 'heartbeat').map((each) => each.commit)).toEqual([2]);
  });

  test('R-31 at once of the first entry of a term', () => {
    const cluster = new CoreCluster();
    cluster.elect('n1');
    expect(['n1', 'n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([1, 1, 1]);
  });

  test('R-31 R-64 at once of a configuration', () => {
    const cluster = withNews();
    cluster.join('n4');
    expect(cluster.change('n1', additionOf('n4')).index).toBe(3);
    cluster.deliverAll();
    expect(['n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([3, 3]);
  });

  test('R-31 R-74 at once when leadership is handed over', () => {
    const cluster = withNews();
    cluster.step('n1', { type: 'transfer', id: 1, to: 'n2' });
    for (const peer of ['n2', 'n3']) {
      expect(sentTo(cluster.node('n1'), peer, 'heartbeat').map((each) => each.commit)).toEqual([2]);
    }
  });
});
