import { describe, expect, test } from 'vitest';
import { CoreCluster, E, H, ackOf, appliedTexts, awake, calm, configOf } from './scenario.ts';
import { deliverLink, elected, exchange, makeCandidate, promotionOf } from './scenario.ts';
import { readyIds, sentTo, timeOut, votersOf, withLearner } from './scenario.ts';

describe('R-22 a learner', () => {
  test('R-22 votes, although it does not know yet that it may', () => {
    const cluster = elected({ config: configOf(['n1', 'n2'], { learners: ['n3'] }) });
    const [n2, n3] = [cluster.node('n2'), cluster.node('n3')];
    cluster.isolate('n3');
    expect(cluster.change('n1', promotionOf('n3')).refusal).toBeNull();
    cluster.deliverAll();
    // The joint configuration, and the one that it leads to.
    expect(cluster.observer.committedIndex).toBe(3);
    expect([n2.terms(), n3.terms()]).toEqual([[1, 1, 1], [1]]);
    cluster.crash('n1');
    cluster.heal();
    calm(n3);
    makeCandidate(cluster, 'n2', ['n3']);
    exchange(cluster, 'n2', 'n3');
    expect(sentTo(n3, 'n2', 'voteResponse')).toEqual([
      { type: 'voteResponse', term: 2, granted: true },
    ]);
    expect([n2.role, n3.disk.vote?.nodeId]).toEqual(['leader', 'n2']);
    expect(n3.raft.status().config.learners.length).toBe(1);
    cluster.deliverAll();
    expect(n3.raft.status().config).toEqual(configOf(['n1', 'n2', 'n3']));
    expect([n3.terms(), n3.core.commitIndex]).toEqual([[1, 1, 1, 2], 4]);
  });

  test('R-22 ignores its own timer, for as long as it is one', () => {
    const cluster = new CoreCluster({ config: configOf(['n1', 'n2'], { learners: ['n3'] }) });
    const n3 = cluster.node('n3');
    cluster.tick(50 * E, ['n3']);
    timeOut(cluster, 'n3');
    expect([n3.role, n3.term, n3.sent]).toEqual(['follower', 0, []]);
  });

  // 1. n1 makes n4 a voter, tells nobody and dies. 2. The next leader tells of its first entry only
  // n4, and dies for good. 3. n1 needs n4 by its own configuration, and n4 refuses it for its log;
  // nobody else could win either.
  test('R-22 R-67 LIV-1 leads for a moment where a change that nobody has counts its log', () => {
    const cluster = withLearner();
    expect(cluster.change('n1', promotionOf('n4')).refusal).toBeNull();
    cluster.crash('n1');
    cluster.dropAll();
    calm(cluster.node('n3'));
    makeCandidate(cluster, 'n2', ['n3']);
    exchange(cluster, 'n2', 'n3');
    deliverLink(cluster, 'n2', 'n4');
    cluster.crash('n2');
    cluster.dropAll();
    cluster.restart('n1');
    const left = ['n1', 'n3', 'n4'];
    expect(left.map((each) => cluster.node(each).terms())).toEqual([[1, 1], [1], [1, 2]]);
    cluster.runUntil(() => cluster.leader()?.core.leader?.isReady === true);
    cluster.run(E);
    const leader = cluster.leader();
    expect(leader === null ? [] : votersOf(leader)).toEqual(['n1', 'n2', 'n3']);
    expect(leader?.nodeId).not.toBe('n4');
    expect(cluster.propose(leader?.nodeId ?? '', 'a').accepted).toBe(1);
    cluster.run(2 * H);
    for (const each of left) expect(appliedTexts(cluster.node(each))).toEqual(['a']);
  });
});

describe('R-23 a sole voter', () => {
  function withUnsyncedEntry(): CoreCluster {
    const cluster = new CoreCluster({ size: 1 });
    const n1 = cluster.node('n1');
    expect([n1.role, n1.terms()]).toEqual(['follower', []]);
    cluster.step('n1', { type: 'tick' });
    expect([n1.role, n1.terms(), n1.core.commitIndex]).toEqual(['leader', [1], 1]);
    n1.automatic.persist = false;
    expect(cluster.propose('n1', 'a').accepted).toBe(1);
    cluster.step('n1', { type: 'read', id: 1 });
    cluster.run(3 * H);
    expect([n1.core.commitIndex, appliedTexts(n1), n1.disk.lastIndex]).toEqual([1, [], 1]);
    return cluster;
  }

  test('R-23 M-11 M-27 answers nothing that is not on its disk, and leads in one step', () => {
    const cluster = withUnsyncedEntry();
    const n1 = cluster.node('n1');
    cluster.crash('n1');
    cluster.restart('n1');
    n1.automatic.persist = true;
    expect([n1.role, n1.term, n1.terms()]).toEqual(['follower', 1, [1]]);
    cluster.step('n1', { type: 'tick' });
    expect([n1.role, n1.term, n1.terms(), n1.core.commitIndex]).toEqual(['leader', 2, [1, 2], 2]);
    expect(appliedTexts(n1)).toEqual([]);
  });

  test('R-23 keeps an entry whose write was done but not reported', () => {
    const cluster = withUnsyncedEntry();
    const n1 = cluster.node('n1');
    n1.disk.writeBatch();
    cluster.crash('n1');
    cluster.restart('n1');
    n1.automatic.persist = true;
    expect(n1.role).toBe('follower');
    cluster.step('n1', { type: 'tick' });
    expect([n1.role, n1.terms(), appliedTexts(n1)]).toEqual(['leader', [1, 1, 2], ['a']]);
  });

  test('R-23 answers when its disk does', () => {
    const cluster = withUnsyncedEntry();
    cluster.completePersist('n1');
    expect(appliedTexts(cluster.node('n1'))).toEqual(['a']);
    expect(readyIds(cluster.node('n1'))).toEqual([1]);
  });
});

describe('R-65 joint quorums, in votes and in commits', () => {
  const config = configOf(['n3', 'n4', 'n5'], { outgoing: ['n1', 'n2', 'n3'] });
  const cases = [
    { with: ['n2'], isQuorum: false },
    { with: ['n2', 'n3'], isQuorum: false },
    { with: ['n4', 'n5'], isQuorum: false },
    { with: ['n2', 'n4', 'n5'], isQuorum: true },
    { with: ['n3', 'n4'], isQuorum: true },
  ];
  for (const { with: others, isQuorum } of cases) {
    const what = `n1 with ${others.join(' and ')} ${isQuorum ? 'are' : 'are not'} a quorum`;

    test(`R-65 M-26 ${what} of votes`, () => {
      const cluster = awake({ config });
      makeCandidate(cluster, 'n1', ['n2', 'n3', 'n4', 'n5']);
      for (const other of others) exchange(cluster, 'n1', other);
      expect(cluster.node('n1').role).toBe(isQuorum ? 'leader' : 'candidate');
    });

    test(`R-65 M-26 ${what} of disks`, () => {
      const cluster = elected({ config: configOf(['n1', 'n2', 'n3'], { learners: ['n4', 'n5'] }) });
      const change = { type: 'change', promote: ['n4', 'n5'], remove: ['n1', 'n2'] } as const;
      expect(cluster.change('n1', change).index).toBe(2);
      expect(cluster.node('n1').raft.status().config).toMatchObject({
        voters: config.voters,
        votersOutgoing: config.votersOutgoing,
      });
      for (const other of others) exchange(cluster, 'n1', other);
      expect(cluster.node('n1').core.commitIndex).toBe(isQuorum ? 2 : 1);
    });
  }
});

describe('R-71 M-26 learners do not count', () => {
  function oneVoter(): CoreCluster {
    const cluster = elected({ config: configOf(['n1'], { learners: ['n2', 'n3'] }) });
    cluster.run(H);
    cluster.node('n1').automatic.persist = false;
    return cluster;
  }

  test('R-71 before their promotion what they have on disk changes nothing', () => {
    const cluster = oneVoter();
    cluster.propose('n1', 'a');
    cluster.deliverAll();
    expect([cluster.node('n2').disk.lastIndex, cluster.node('n3').disk.lastIndex]).toEqual([2, 2]);
    expect(cluster.node('n1').core.commitIndex).toBe(1);
    cluster.completePersist('n1');
    expect(cluster.node('n1').core.commitIndex).toBe(2);
  });

  test('R-71 the joint entry needs the old voter and a majority of the new ones', () => {
    const withoutOld = oneVoter();
    expect(withoutOld.change('n1', promotionOf('n2', 'n3')).refusal).toBeNull();
    expect(withoutOld.node('n1').raft.status().config).toEqual(
      configOf(['n1', 'n2', 'n3'], { outgoing: ['n1'] }),
    );
    withoutOld.deliverAll();
    expect(withoutOld.node('n1').core.commitIndex).toBe(1);
    withoutOld.completePersist('n1');
    expect(withoutOld.node('n1').core.commitIndex).toBe(2);

    const withoutNew = oneVoter();
    expect(withoutNew.change('n1', promotionOf('n2', 'n3')).refusal).toBeNull();
    withoutNew.completePersist('n1');
    expect([withoutNew.node('n1').disk.lastIndex, withoutNew.node('n1').core.commitIndex]).toEqual([
      2, 1,
    ]);
    deliverLink(withoutNew, 'n1', 'n2');
    deliverLink(withoutNew, 'n2', 'n1');
    expect(withoutNew.node('n1').core.commitIndex).toBe(2);
  });

  test('R-71 an acknowledgement of somebody outside the configuration is not counted', () => {
    const cluster = elected();
    cluster.isolate('n1');
    cluster.propose('n1', 'a');
    for (const stranger of ['n8', 'n9']) {
      expect(cluster.inject(stranger, 'n1', ackOf(1, 2))).toEqual([]);
    }
    expect(cluster.node('n1').core.commitIndex).toBe(1);
  });
});
