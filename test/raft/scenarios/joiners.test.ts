import { describe, expect, test } from 'vitest';
import { E, H, additionOf, codeOf, elected, member, promotionOf, removalOf } from './scenario.ts';
import { runWatching, votersOf, withLearner } from './scenario.ts';

describe('A7 R-73 who becomes a voter', () => {
  test('A7 a second node comes to a single one, and nothing waits for it', () => {
    const cluster = elected({ size: 1 });
    cluster.join('n2');
    cluster.crash('n2');
    expect(codeOf(cluster.change('n1', additionOf('n2')))).toBeNull();
    runWatching(cluster, 4 * E, () => {
      const before = cluster.node('n1').core.commitIndex;
      cluster.propose('n1', 'a');
      expect(cluster.node('n1').core.commitIndex).toBe(before + 1);
    });
    expect(cluster.leader()?.nodeId).toBe('n1');
    const { code, message } = cluster.change('n1', promotionOf('n2')).refusal ?? {};
    expect([code, message]).toEqual([
      'NOT_CAUGHT_UP',
      'n2 does not answer. In force is configuration 2: voters n1; learners n2.',
    ]);
    expect(votersOf(cluster.node('n1'))).toEqual(['n1']);
    cluster.restart('n2');
    cluster.run(4 * H);
    expect(codeOf(cluster.change('n1', promotionOf('n2')))).toBeNull();
    cluster.run(2 * H);
    expect(votersOf(cluster.node('n1'))).toEqual(['n1', 'n2']);
  });

  test('R-73 M-43 a learner that is slower than the load is never promoted', () => {
    const cluster = withLearner();
    const [n1, n4] = [cluster.node('n1'), cluster.node('n4')];
    n4.automatic.persist = false;
    const peer = (): unknown => n1.raft.status().peers.find(({ nodeId }) => nodeId === 'n4');
    for (let round = 0; round < 30; round++) {
      cluster.propose('n1', 'a', 'b');
      cluster.run(E / 5);
      if (round % 6 === 5) cluster.completePersist('n4');
      if (round < 10) continue;
      expect(peer()).toMatchObject({ isActive: true, isCaughtUp: false });
      expect(codeOf(cluster.change('n1', promotionOf('n4')))).toBe('NOT_CAUGHT_UP');
    }
    expect(votersOf(n1)).toEqual(['n1', 'n2', 'n3']);
    n4.automatic.persist = true;
    while (cluster.completePersist('n4'));
    cluster.run(3 * H);
    expect(peer()).toMatchObject({ isActive: true, isCaughtUp: true });
    expect(codeOf(cluster.change('n1', promotionOf('n4')))).toBeNull();
  });

  test('R-73 a learner with a bad address is taken out again', () => {
    const cluster = elected();
    expect(codeOf(cluster.change('n1', additionOf('n9')))).toBeNull();
    cluster.run(4 * E);
    expect(cluster.leader()?.nodeId).toBe('n1');
    expect(codeOf(cluster.change('n1', promotionOf('n9')))).toBe('NOT_CAUGHT_UP');
    expect(codeOf(cluster.change('n1', removalOf('n9')))).toBeNull();
    cluster.run(H);
    expect(cluster.node('n2').raft.status().config).toMatchObject({
      voters: ['n1', 'n2', 'n3'].map(member),
      learners: [],
      retired: ['n9'],
    });
  });

  test('R-73 no change that those who answer could not commit', () => {
    const cluster = elected();
    cluster.crash('n2');
    cluster.run(2 * E);
    const { code, message } = cluster.change('n1', removalOf('n3')).refusal ?? {};
    expect([code, message?.split('.')[0]]).toEqual([
      'NOT_CAUGHT_UP',
      'Of 2 voters to be only 1 answer: they could decide nothing',
    ]);
    expect(codeOf(cluster.change('n1', removalOf('n2')))).toBeNull();
  });
});
