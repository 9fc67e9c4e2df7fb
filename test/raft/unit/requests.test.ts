import { describe, expect, test } from 'vitest';
import type { Proposal, RaftEffect } from '../../../src/raft/events.ts';
import { configOf, CoreCluster, H, member, payloadOfSize } from './harness.ts';
import type { ClusterOptions } from './harness.ts';

function electedCluster(options: ClusterOptions = {}): CoreCluster {
  const cluster = new CoreCluster(options);
  cluster.elect('n1');
  cluster.run(H);
  cluster.node('n1').effects.length = 0;
  return cluster;
}

const command = (sizeBytes: number, internal = false): Proposal => ({
  type: 'command',
  payload: payloadOfSize(sizeBytes),
  record: null,
  internal,
});

function readyIds(effects: readonly RaftEffect[]): number[] {
  return effects.flatMap((effect) => (effect.type === 'readReady' ? [...effect.ids] : []));
}

describe('reads', () => {
  test('R-51 are confirmed by a round that began after they arrived', () => {
    const cluster = electedCluster();
    const n1 = cluster.node('n1');
    cluster.step('n1', { type: 'read', id: 1 });
    cluster.step('n1', { type: 'read', id: 2 });
    cluster.deliver('n1', 'n2');
    cluster.deliver('n2', 'n1');
    expect(readyIds(n1.effects)).toEqual([1]);
    cluster.deliver('n1', 'n2');
    cluster.deliver('n2', 'n1');
    expect(readyIds(n1.effects)).toEqual([1, 2]);
  });

  test('R-51 any number of them costs two rounds', () => {
    const cluster = electedCluster();
    for (let id = 1; id <= 10_000; id++) cluster.step('n1', { type: 'read', id });
    cluster.deliverAll();
    expect(readyIds(cluster.node('n1').effects).length).toBe(10_000);
    const beats = cluster
      .node('n1')
      .effects.filter((effect) => effect.type === 'send' && effect.message.type === 'heartbeat');
    expect(beats.length).toBeLessThanOrEqual(4);
  });

  test('R-47 wait until the no-op of the term is applied', () => {
    const cluster = new CoreCluster({ logs: { n1: [1], n2: [1], n3: [1] } });
    const n1 = cluster.node('n1');
    n1.automatic.apply = false;
    expect(() => cluster.elect('n1')).toThrow('was not elected');
    cluster.step('n1', { type: 'read', id: 1 });
    cluster.run(2 * H);
    expect(readyIds(n1.effects)).toEqual([]);
    while (cluster.completeApply('n1'));
    cluster.run(2 * H);
    expect(readyIds(n1.effects)).toEqual([1]);
    expect(n1.core.appliedIndex).toBe(2);
  });

  test('R-49 answers of learners do not confirm', () => {
    const config = configOf(['n1', 'n2', 'n3'], { learners: ['n4', 'n5'] });
    const cluster = electedCluster({ config });
    cluster.cut('n1', 'n2');
    cluster.cut('n1', 'n3');
    cluster.step('n1', { type: 'read', id: 1 });
    cluster.run(2 * H);
    expect(readyIds(cluster.node('n1').effects)).toEqual([]);
  });

  test('a sole voter confirms at once, a follower not at all', () => {
    const cluster = electedCluster({ size: 1 });
    expect(readyIds(cluster.step('n1', { type: 'read', id: 1 }))).toEqual([1]);
    const three = electedCluster();
    expect(three.step('n2', { type: 'read', id: 7 })).toEqual([{ type: 'readFailed', ids: [7] }]);
  });
});

describe('proposals', () => {
  test('a node that does not lead appends nothing and says so', () => {
    const cluster = electedCluster();
    const answer = cluster.propose('n2', 'a', 'b');
    expect([answer.accepted, answer.refusal]).toEqual([0, 'NOT_LEADER']);
    expect(cluster.node('n2').terms()).toEqual([1]);
  });

  test('R-41 beyond the limit they are refused before they are appended', () => {
    const cluster = electedCluster({ settings: { uncommittedBytesMax: 500 } });
    cluster.isolate('n1');
    const answer = cluster.proposeAll('n1', [command(200), command(200), command(200)]);
    expect([answer.firstIndex, answer.accepted, answer.refusal]).toEqual([2, 2, 'OVERLOADED']);
    expect(cluster.node('n1').terms()).toEqual([1, 1, 1]);
  });

  test('R-41 the first entry is admitted whatever its size, and commits free the budget', () => {
    const cluster = electedCluster({ settings: { uncommittedBytesMax: 500 } });
    expect(cluster.proposeAll('n1', [command(5_000)]).accepted).toBe(1);
    expect(cluster.proposeAll('n1', [command(1)]).refusal).toBe('OVERLOADED');
    cluster.deliverAll();
    expect(cluster.proposeAll('n1', [command(1)]).accepted).toBe(1);
  });

  test('the leader’s own proposals have a purse of their own', () => {
    const cluster = electedCluster({
      settings: { uncommittedBytesMax: 500, internalBytesMax: 300 },
    });
    cluster.isolate('n1');
    expect(cluster.proposeAll('n1', [command(600)]).accepted).toBe(1);
    expect(cluster.proposeAll('n1', [command(200, true)]).accepted).toBe(1);
    expect(cluster.proposeAll('n1', [command(200, true)]).refusal).toBe('OVERLOADED');
  });

  test('R-66 a second configuration waits until the first is committed', () => {
    const cluster = electedCluster();
    expect(cluster.change('n1', { type: 'addLearner', member: member('n4') }).index).toBe(2);
    const second = { type: 'addLearner', member: member('n5') } as const;
    expect(cluster.change('n1', second).refusal?.code).toBe('PENDING');
    cluster.deliverAll();
    expect(cluster.change('n1', second).index).toBe(3);
  });

  test('a member is served from the entry on that names it, and no longer when it left', () => {
    const cluster = electedCluster();
    const peers = (): string[] =>
      cluster
        .node('n1')
        .raft.status()
        .peers.map((peer) => peer.nodeId);
    cluster.change('n1', { type: 'addLearner', member: member('n4') });
    expect(peers()).toEqual(['n2', 'n3', 'n4']);
    expect(cluster.node('n1').sent.at(-1)?.to).toBe('n4');
    cluster.deliverAll();
    cluster.change('n1', { type: 'change', promote: [], remove: ['n4'] });
    expect(peers()).toEqual(['n2', 'n3']);
  });

  test('apply is paged, in order, and one page is out at a time', () => {
    const cluster = electedCluster({ settings: { applyBytesMax: 200 } });
    const n1 = cluster.node('n1');
    n1.automatic.apply = false;
    cluster.proposeAll(
      'n1',
      Array.from({ length: 6 }, () => command(40)),
    );
    cluster.deliverAll();
    const pages = (): number[] =>
      n1.effects.flatMap((effect) => (effect.type === 'apply' ? [effect.entries.length] : []));
    expect(pages()).toEqual([2]);
    while (cluster.completeApply('n1'));
    expect(pages()).toEqual([2, 2, 2]);
    expect(n1.applied.map((entry) => entry.index)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});
