import { describe, expect, test } from 'vitest';
import { CoreCluster, E, H, ackOf, appendOf, appliedTexts, calm, deliverLink } from './scenario.ts';
import {
  elected,
  exchange,
  makeCandidate,
  messagesIn,
  runWatching,
  sentTo,
  timeOut,
} from './scenario.ts';

describe('R-32 Figure 8', () => {
  /**
   * Entry 2 is of term 2 on n1 and n2, of term 3 on n5. n1 leads in term 4, and has brought its
   * old entry to n3 and n4, but its own first one to nobody. Every Append holds one entry.
   */
  function figureEight(): CoreCluster {
    const three = { term: 3 };
    const cluster = new CoreCluster({
      size: 5,
      logs: { n1: [1, 2], n2: [1, 2], n3: [1], n4: [1], n5: [1, 3] },
      hard: { n1: three, n2: three, n3: three, n4: three, n5: three },
      settings: { appendBytesMax: 1 },
    });
    for (const node of cluster.nodes.values()) calm(node);
    cluster.isolate('n2');
    cluster.isolate('n5');
    makeCandidate(cluster, 'n1', ['n3', 'n4']);
    for (const peer of ['n3', 'n4']) exchange(cluster, 'n1', peer);
    const n1 = cluster.node('n1');
    expect([n1.role, n1.term, n1.terms()]).toEqual(['leader', 4, [1, 2, 4]]);
    for (const peer of ['n3', 'n4']) {
      for (let probes = 0; cluster.node(peer).disk.lastIndex < 2; probes++) {
        expect(probes).toBeLessThan(4);
        cluster.deliver('n1', peer);
        deliverLink(cluster, peer, 'n1');
      }
    }
    return cluster;
  }

  const diskOf = (cluster: CoreCluster, nodeId: string): number[] =>
    cluster.node(nodeId).disk.entries.map((entry) => entry.term);

  test('R-32 M-15 an old entry on a majority of disks is not committed, and may be overwritten', () => {
    const cluster = figureEight();
    const n1 = cluster.node('n1');
    expect(['n1', 'n2', 'n3', 'n4'].map((nodeId) => diskOf(cluster, nodeId)[1])).toEqual([
      2, 2, 2, 2,
    ]);
    const { progress } = n1.core.leader ?? {};
    expect([...(progress?.values() ?? [])].map((peer) => peer.matchIndex)).toEqual([0, 2, 2, 0]);
    expect([n1.core.commitIndex, n1.applied]).toEqual([0, []]);
    cluster.crash('n1');
    cluster.dropAll();
    cluster.heal();
    for (const nodeId of ['n2', 'n3', 'n4']) calm(cluster.node(nodeId));
    // The first poll tells it of term 4.
    timeOut(cluster, 'n5');
    cluster.deliverAll();
    makeCandidate(cluster, 'n5', ['n2', 'n3', 'n4']);
    cluster.deliverAll();
    expect([cluster.node('n5').role, cluster.node('n5').term]).toEqual(['leader', 5]);
    cluster.restart('n1');
    cluster.run(4 * H);
    for (const node of cluster.nodes.values()) {
      expect([node.terms(), node.core.commitIndex]).toEqual([[1, 3, 5], 3]);
      expect(node.applied.map((entry) => entry.term)).toEqual([1, 3, 5]);
    }
  });

  test('R-32 once an entry of its own term is on a majority, both are safe', () => {
    const cluster = figureEight();
    const n1 = cluster.node('n1');
    for (const peer of ['n3', 'n4']) exchange(cluster, 'n1', peer);
    expect([n1.core.commitIndex, diskOf(cluster, 'n3'), diskOf(cluster, 'n4')]).toEqual([
      3,
      [1, 2, 4],
      [1, 2, 4],
    ]);
    cluster.crash('n1');
    cluster.dropAll();
    cluster.heal();
    cluster.elect('n3');
    expect(cluster.node('n3').term).toBeGreaterThan(4);
    expect(cluster.node('n5').terms().slice(0, 3)).toEqual([1, 2, 4]);
    cluster.elect('n4');
    for (const nodeId of ['n2', 'n3', 'n4', 'n5']) {
      expect(
        cluster
          .node(nodeId)
          .applied.map((entry) => entry.term)
          .slice(0, 3),
      ).toEqual([1, 2, 4]);
    }
  });

  test('R-32 then the node without them cannot win', () => {
    const cluster = figureEight();
    for (const peer of ['n3', 'n4']) exchange(cluster, 'n1', peer);
    cluster.crash('n1');
    cluster.dropAll();
    cluster.heal();
    const n5 = cluster.node('n5');
    for (let attempt = 0; attempt < 10; attempt++) {
      n5.core.election.deadlineUs = cluster.nowUs;
      for (const nodeId of ['n2', 'n3', 'n4']) calm(cluster.node(nodeId));
      cluster.run(H);
      expect(['follower', 'preCandidate']).toContain(n5.role);
    }
    const answers = sentTo(cluster.node('n3'), 'n5', 'preVoteResponse');
    expect(answers.length).toBeGreaterThan(5);
    expect(answers.at(-1)).toMatchObject({ granted: false, reason: 'log' });
    expect(answers.some((each) => each.granted)).toBe(false);
  });
});

test('R-33 M-15 M-16 the no-op comes at once and commits what is old; nothing is committed before', () => {
  const cluster = new CoreCluster({
    logs: { n1: [1, 1], n2: [1, 1], n3: [] },
    hard: { n3: { term: 1 } },
    settings: { appendBytesMax: 1 },
  });
  for (const node of cluster.nodes.values()) calm(node);
  const n1 = cluster.node('n1');
  makeCandidate(cluster, 'n1', ['n2', 'n3']);
  cluster.isolate('n2');
  const commits: number[] = [];
  deliverLink(cluster, 'n1', 'n3');
  const effects = cluster.inject('n3', 'n1', { type: 'voteResponse', term: 2, granted: true });
  expect([n1.role, n1.terms(), n1.core.commitIndex]).toEqual(['leader', [1, 1, 2], 0]);
  expect(n1.core.log.peek(3)).toMatchObject({ type: 'noop', term: 2 });
  expect(messagesIn(effects)).toContainEqual(
    expect.objectContaining({ type: 'append', prevIndex: 2, entries: [n1.core.log.peek(3)] }),
  );
  const acked: number[] = [];
  for (let steps = 0; steps < 20; steps++) {
    deliverLink(cluster, 'n1', 'n3');
    for (const answer of cluster.link('n3', 'n1')) {
      if (answer.type === 'appendResponse' && answer.ok) acked.push(answer.matchIndex);
    }
    deliverLink(cluster, 'n3', 'n1');
    commits.push(n1.core.commitIndex);
  }
  expect(acked).toEqual([1, 2, 3]);
  expect([...new Set(commits)]).toEqual([0, 3]);
  expect(n1.applied.map((entry) => entry.type)).toEqual(['command', 'command', 'noop']);
});

describe('R-34 a leader that is slower than its followers', () => {
  test('R-34 M-27 commits when both followers have it, answers, and may lose its own tail', () => {
    const cluster = elected();
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    cluster.propose('n1', 'a', 'b');
    exchange(cluster, 'n1', 'n2');
    expect([n1.core.commitIndex, appliedTexts(n1)]).toEqual([1, []]);
    exchange(cluster, 'n1', 'n3');
    expect([n1.core.commitIndex, appliedTexts(n1)]).toEqual([3, ['a', 'b']]);
    expect([n1.core.writes.durableIndex, n1.disk.lastIndex]).toEqual([1, 1]);
    cluster.crash('n1');
    cluster.dropAll();
    cluster.runUntil(() => cluster.leader()?.core.leader?.isReady === true, 4 * E);
    cluster.restart('n1');
    n1.automatic.persist = true;
    expect(n1.terms()).toEqual([1]);
    cluster.run(4 * H);
    for (const node of cluster.nodes.values()) {
      expect([node.nodeId, appliedTexts(node)]).toEqual([node.nodeId, ['a', 'b']]);
      expect(node.disk.entries.map((entry) => entry.term)).toEqual([1, 1, 1, 2]);
    }
  });

  test('R-34 M-27 does not count its memory, and its disk as soon as that has it', () => {
    const cluster = elected();
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    cluster.propose('n1', 'a');
    exchange(cluster, 'n1', 'n2');
    expect(n1.core.commitIndex).toBe(1);
    cluster.completePersist('n1');
    expect(n1.core.commitIndex).toBe(2);
  });
});

test('R-35 a write that ends after its term counts for what is still in the log, and commits nothing', () => {
  const one = { term: 1 };
  const cluster = elected({ hard: { n1: one, n2: one, n3: one } });
  const n1 = cluster.node('n1');
  n1.automatic.persist = false;
  cluster.isolate('n1');
  cluster.propose('n1', 'a', 'b');
  expect([n1.terms(), n1.core.writes.durableIndex]).toEqual([[2, 2, 2], 1]);
  n1.sent.length = 0;
  cluster.inject('n2', 'n1', appendOf({ term: 3, prev: [1, 2], terms: [3] }));
  expect([n1.role, n1.terms()]).toEqual(['follower', [2, 3]]);
  cluster.completePersist('n1');
  expect([n1.core.writes.durableIndex, n1.core.commitIndex, n1.sent]).toEqual([1, 1, []]);
  expect(n1.disk.entries.map((entry) => entry.term)).toEqual([2, 2, 2]);
  cluster.completePersist('n1');
  expect([n1.core.writes.durableIndex, n1.core.commitIndex]).toEqual([2, 1]);
  expect(n1.disk.entries.map((entry) => entry.term)).toEqual([2, 3]);
  expect(n1.sent).toEqual([{ to: 'n2', message: ackOf(3, 2) }]);
});

test('M-29 entries are applied in order, each once, none before it is committed, page by page', () => {
  const cluster = elected({ settings: { applyBytesMax: 100, tailBytesMax: 200 } });
  const texts = Array.from({ length: 30 }, (_, at) => `command ${at}`);
  cluster.node('n2').automatic.apply = false;
  cluster.node('n3').automatic.load = false;
  for (const text of texts) {
    cluster.propose('n1', text);
    cluster.deliverAll();
    cluster.completeApply('n2');
  }
  const look = (): void => {
    for (const node of cluster.nodes.values()) {
      const indices = node.applied.map((entry) => entry.index);
      expect(indices).toEqual(Array.from({ length: indices.length }, (_, at) => at + 1));
      expect(indices.length).toBeLessThanOrEqual(node.core.commitIndex);
    }
  };
  look();
  for (const node of cluster.nodes.values())
    Object.assign(node.automatic, { apply: true, load: true });
  while (cluster.completeApply('n2'));
  while (cluster.node('n3').completeLoad(cluster.nowUs));
  runWatching(cluster, 2 * H, look);
  for (const node of cluster.nodes.values()) expect(appliedTexts(node)).toEqual(texts);
});
