import { describe, expect, test } from 'vitest';
import { CoreCluster, H, additionOf, appendOf, appliedTexts, elected } from './scenario.ts';
import { progressOf, promotionOf, randomOf, removalOf, sentTo, votersOf } from './scenario.ts';
import { withLearner } from './scenario.ts';

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

describe('R-31 nobody waits for a word that was put off', () => {
  test('R-31 R-74 a heir takes over in no time, and everybody hears of its commits', () => {
    const cluster = withNews();
    cluster.step('n1', { type: 'transfer', id: 1, to: 'n2' });
    cluster.deliverAll();
    expect(cluster.leader()?.nodeId).toBe('n2');
    expect(['n1', 'n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([3, 3, 3]);
  });

  test('R-31 a successor of a leader that died without telling commits it with its own first', () => {
    const cluster = withNews();
    cluster.crash('n1');
    cluster.elect('n2');
    expect(['n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([3, 3]);
    for (const nodeId of ['n2', 'n3']) expect(appliedTexts(cluster.node(nodeId))).toEqual(['a']);
  });

  test('R-31 a leader that steps down without telling has no deadline left of it', () => {
    const cluster = withNews();
    const { raft } = cluster.node('n1');
    const newsUs = raft.nextDeadlineUs();
    cluster.step('n1', { type: 'stepDown' });
    expect(raft.nextDeadlineUs()).toBeGreaterThan(newsUs);
    cluster.deliverAll();
    cluster.runUntil(() => cluster.leader()?.core.leader?.isReady === true);
    cluster.run(H);
    for (const node of cluster.nodes.values()) expect(appliedTexts(node)).toEqual(['a']);
  });

  test('R-31 R-64 a learner is promoted, a voter removed, in no time', () => {
    const cluster = withLearner();
    cluster.propose('n1', 'a');
    cluster.deliverAll();
    expect(commitOf(cluster, 'n4')).toBeLessThan(commitOf(cluster, 'n1'));
    expect(cluster.change('n1', promotionOf('n4')).refusal).toBeNull();
    cluster.deliverAll();
    expect(votersOf(cluster.node('n4'))).toEqual(['n1', 'n2', 'n3', 'n4']);
    cluster.propose('n1', 'b');
    cluster.deliverAll();
    expect(cluster.change('n1', removalOf('n3')).refusal).toBeNull();
    cluster.deliverAll();
    const commit = commitOf(cluster, 'n1');
    expect(['n2', 'n4'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([commit, commit]);
    expect(votersOf(cluster.node('n2'))).toEqual(['n1', 'n2', 'n4']);
  });

  test('R-31 a leader that removes itself tells before it goes', () => {
    const cluster = withNews();
    expect(cluster.change('n1', removalOf('n1')).refusal).toBeNull();
    cluster.deliverAll();
    expect(cluster.node('n1').role).toBe('follower');
    cluster.runUntil(() => cluster.leader() !== null);
    cluster.run(H);
    for (const nodeId of ['n2', 'n3']) expect(appliedTexts(cluster.node(nodeId))).toEqual(['a']);
  });

  test('R-31 R-38 a follower whose link broke with the word on it hears it from the new link', () => {
    const cluster = withNews();
    cluster.cut('n1', 'n2');
    cluster.tick(NEWS_US, ['n1']);
    cluster.deliverAll();
    expect(['n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([1, 2]);
    cluster.step('n1', { type: 'link', peer: 'n2', state: 'down' });
    cluster.heal();
    cluster.step('n1', { type: 'link', peer: 'n2', state: 'up' });
    cluster.deliverAll();
    expect(commitOf(cluster, 'n2')).toBe(2);
  });

  test('R-31 a word that was lost on a link that stayed comes with the next heartbeat', () => {
    const cluster = withNews();
    cluster.tick(NEWS_US, ['n1']);
    cluster.drop('n1', 'n2');
    cluster.run(H);
    expect(commitOf(cluster, 'n2')).toBe(2);
  });

  test('R-31 one that lags hears when it has caught up, though others heard long before', () => {
    const cluster = withNews();
    cluster.node('n3').automatic.persist = false;
    cluster.propose('n1', 'b');
    cluster.deliverAll();
    cluster.run(NEWS_US);
    expect(['n2', 'n3'].map((nodeId) => commitOf(cluster, nodeId))).toEqual([3, 2]);
    cluster.completePersist('n3');
    cluster.deliverAll();
    expect(progressOf(cluster, 'n1', 'n3').inflights.count).toBe(0);
    cluster.run(NEWS_US);
    expect(commitOf(cluster, 'n3')).toBe(3);
  });
});

test('R-31 a tick leaves no deadline of the past, whatever is on its way', () => {
  const cluster = elected();
  const draw = randomOf(7);
  let putOff = 0;
  for (let step = 0; step < 300; step++) {
    if (draw() % 3 === 0) cluster.propose('n1', `${step}`);
    for (const peer of ['n2', 'n3']) {
      if (draw() % 2 === 0) cluster.deliver('n1', peer);
      if (draw() % 2 === 0) cluster.deliver(peer, 'n1');
      if (draw() % 50 === 0) cluster.drop('n1', peer);
    }
    cluster.tick(draw() % NEWS_US);
    const { raft, core, role } = cluster.node('n1');
    expect(role).toBe('leader');
    expect(raft.nextDeadlineUs()).toBeGreaterThan(cluster.nowUs);
    if (core.leader?.commitNewsUs !== Infinity) putOff++;
  }
  expect(putOff).toBeGreaterThan(30);
});

test('R-31 the disk of a follower starts before it applies what the same Append commits', () => {
  const cluster = withNews();
  const append = appendOf({ term: 1, prev: [2, 1], terms: [1], commit: 2 });
  const effects = cluster.inject('n1', 'n2', append).map(({ type }) => type);
  expect(effects).toEqual(['persist', 'apply']);
});
