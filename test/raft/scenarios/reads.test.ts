import { describe, expect, test } from 'vitest';
import type { CoreCluster } from './scenario.ts';
import { E, H, appliedTexts, configOf, deliverLink, elected } from './scenario.ts';
import { calm, exchange, failedIds, makeCandidate, readyIds, sentTo } from './scenario.ts';

const read = (cluster: CoreCluster, nodeId: string, id: number): void => {
  cluster.step(nodeId, { type: 'read', id });
};

describe('R-47 a new leader', () => {
  test('R-47 M-16 M-33 answers when its no-op is applied, from all that was acknowledged', () => {
    const cluster = elected();
    cluster.propose('n1', 'a', 'b');
    exchange(cluster, 'n1', 'n2');
    expect(appliedTexts(cluster.node('n1'))).toEqual(['a', 'b']);
    cluster.crash('n1');
    cluster.dropAll();
    const n2 = cluster.node('n2');
    calm(n2);
    calm(cluster.node('n3'));
    makeCandidate(cluster, 'n2', ['n3']);
    exchange(cluster, 'n2', 'n3');
    expect([n2.role, n2.core.commitIndex, n2.core.leader?.noopIndex]).toEqual(['leader', 1, 4]);
    read(cluster, 'n2', 1);
    n2.automatic.apply = false;
    for (let trips = 0; trips < 6; trips++) {
      cluster.tick(H);
      exchange(cluster, 'n2', 'n3');
    }
    expect([n2.core.commitIndex, n2.core.appliedIndex, readyIds(n2)]).toEqual([4, 1, []]);
    n2.automatic.apply = true;
    cluster.completeApply('n2');
    expect([n2.core.appliedIndex, readyIds(n2)]).toEqual([4, []]);
    exchange(cluster, 'n2', 'n3');
    expect([appliedTexts(n2), readyIds(n2)]).toEqual([['a', 'b'], [1]]);
  });

  test('R-47 M-33 after a restart of all nodes nobody answers from an empty state', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const cluster = elected({ seed });
      cluster.propose('n1', 'a');
      cluster.deliverAll();
      const names = [...cluster.nodes.keys()];
      for (const nodeId of names) cluster.crash(nodeId);
      cluster.dropAll();
      for (const nodeId of names) cluster.restart(nodeId);
      let nextId = 1;
      for (let steps = 0; steps < 60; steps++) {
        for (const nodeId of names) {
          read(cluster, nodeId, nextId++);
          const node = cluster.node(nodeId);
          if (readyIds(node).length > 0) expect(appliedTexts(node)).toEqual(['a']);
        }
        cluster.run(H / 2);
      }
      expect(readyIds(cluster.leader() ?? cluster.node('n1')).length).toBeGreaterThan(0);
    }
  });
});

test('R-47 M-33 a confirmed read waits until what was committed before it is applied', () => {
  const cluster = elected();
  const n1 = cluster.node('n1');
  n1.automatic.apply = false;
  for (const text of ['a', 'b']) {
    cluster.propose('n1', text);
    cluster.deliverAll();
  }
  read(cluster, 'n1', 1);
  cluster.run(2 * H);
  expect([n1.core.commitIndex, n1.core.appliedIndex, readyIds(n1)]).toEqual([3, 1, []]);
  cluster.completeApply('n1');
  expect([n1.core.appliedIndex, readyIds(n1)]).toEqual([2, []]);
  cluster.completeApply('n1');
  expect([n1.core.appliedIndex, readyIds(n1)]).toEqual([3, [1]]);
});

describe('R-48 M-32 a leader that was deposed', () => {
  test('R-48 M-32 never answers from what it knew', () => {
    const one = { term: 1 };
    const cluster = elected({ hard: { n1: one, n2: one, n3: one } });
    const n1 = cluster.node('n1');
    cluster.propose('n1', 'old');
    cluster.deliverAll();
    cluster.isolate('n1');
    read(cluster, 'n1', 1);
    for (const nodeId of ['n2', 'n3']) calm(cluster.node(nodeId));
    makeCandidate(cluster, 'n2', ['n3']);
    cluster.deliverAll();
    expect([cluster.node('n2').role, cluster.node('n2').term]).toEqual(['leader', 3]);
    cluster.propose('n2', 'new');
    cluster.deliverAll();
    expect([n1.role, n1.term]).toEqual(['leader', 2]);
    read(cluster, 'n1', 2);
    cluster.run(2 * E);
    read(cluster, 'n1', 3);
    expect([readyIds(n1), failedIds(n1)]).toEqual([[], [1, 2, 3]]);
    cluster.heal();
    cluster.run(4 * H);
    expect([readyIds(n1), appliedTexts(n1)]).toEqual([[], ['old', 'new']]);
  });

  test('R-48 M-32 fails what waits in the step in which it learns of a later term', () => {
    const cluster = elected();
    const n1 = cluster.node('n1');
    read(cluster, 'n1', 1);
    const message = { type: 'heartbeat', term: 5, commit: 0, round: 1 } as const;
    const effects = cluster.inject('n2', 'n1', message);
    expect(effects[0]).toEqual({ type: 'readFailed', ids: [1] });
    cluster.deliverAll();
    expect(readyIds(n1)).toEqual([]);
  });

  test('R-48 M-35 a follower answers no read at all', () => {
    const cluster = elected();
    expect(cluster.step('n2', { type: 'read', id: 7 })).toEqual([{ type: 'readFailed', ids: [7] }]);
  });
});

describe('R-49 who confirms', () => {
  test('R-49 M-10 learners do not: the read waits, and fails with the leader', () => {
    const config = configOf(['n1', 'n2', 'n3'], { learners: ['n4', 'n5'] });
    const cluster = elected({ config });
    const n1 = cluster.node('n1');
    for (const voter of ['n2', 'n3']) cluster.cut('n1', voter);
    read(cluster, 'n1', 1);
    cluster.run(E - 2 * H);
    expect(sentTo(cluster.node('n4'), 'n1', 'heartbeatResponse').length).toBeGreaterThan(5);
    expect([readyIds(n1), failedIds(n1)]).toEqual([[], []]);
    cluster.run(4 * H);
    expect([readyIds(n1), failedIds(n1)]).toEqual([[], [1]]);
  });

  test('R-49 M-26 both halves of a joint configuration do, one alone does not', () => {
    const config = configOf(['n1', 'n2', 'n3'], { learners: ['n4', 'n5'] });
    const change = { type: 'change', promote: ['n4', 'n5'], remove: ['n2', 'n3'] } as const;
    for (const halves of [
      ['n2', 'n4'],
      ['n5', 'n3'],
    ] as const) {
      const cluster = elected({ config });
      const n1 = cluster.node('n1');
      // With slow disks the joint configuration stays in force.
      for (const node of cluster.nodes.values()) node.automatic.persist = false;
      expect(cluster.change('n1', change).refusal).toBeNull();
      read(cluster, 'n1', 1);
      exchange(cluster, 'n1', halves[0]);
      expect(readyIds(n1)).toEqual([]);
      exchange(cluster, 'n1', halves[1]);
      expect(readyIds(n1)).toEqual([1]);
    }
  });
});

describe('R-51 M-34 the border between two rounds', () => {
  test('R-51 M-34 a round confirms what came before it was sent, and nothing else', () => {
    const cluster = elected();
    const n1 = cluster.node('n1');
    const rounds = n1.core.leader?.rounds;
    const before = rounds?.current ?? 0;
    read(cluster, 'n1', 1);
    expect(rounds?.current).toBe(before + 1);
    read(cluster, 'n1', 2);
    expect([rounds?.current, readyIds(n1)]).toEqual([before + 1, []]);
    exchange(cluster, 'n1', 'n2');
    expect([rounds?.current, readyIds(n1)]).toEqual([before + 2, [1]]);
    // n3 answers the older round: that is no news of the younger one.
    cluster.deliver('n1', 'n3');
    deliverLink(cluster, 'n3', 'n1');
    expect(readyIds(n1)).toEqual([1]);
    cluster.deliver('n1', 'n3');
    deliverLink(cluster, 'n3', 'n1');
    expect(readyIds(n1)).toEqual([1, 2]);
  });

  test('R-51 M-34 a heartbeat that left before is no confirmation either', () => {
    const cluster = elected();
    const n1 = cluster.node('n1');
    cluster.tick(H, ['n1']);
    read(cluster, 'n1', 1);
    cluster.deliver('n1', 'n2');
    deliverLink(cluster, 'n2', 'n1');
    expect(readyIds(n1)).toEqual([]);
    exchange(cluster, 'n1', 'n2');
    expect(readyIds(n1)).toEqual([1]);
  });

  test('R-51 ten thousand of them cost two rounds', () => {
    const cluster = elected();
    const n1 = cluster.node('n1');
    const before = n1.core.leader?.rounds.current ?? 0;
    for (let id = 1; id <= 10_000; id++) read(cluster, 'n1', id);
    expect(cluster.link('n1', 'n2').length).toBe(1);
    cluster.deliverAll();
    expect(readyIds(n1)).toEqual(Array.from({ length: 10_000 }, (_, at) => at + 1));
    expect((n1.core.leader?.rounds.current ?? 0) - before).toBe(2);
  });
});
