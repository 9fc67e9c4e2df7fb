import { describe, expect, test } from 'vitest';
import type { CoreCluster, CoreNode } from './scenario.ts';
import { E, H, appliedTexts, calm, configOf, deliverLink, elected, exchange } from './scenario.ts';
import { failedIds, promotionOf, removalOf, replacementOf, runWatching } from './scenario.ts';
import { sentTo, timeOut, usUntilLeader } from './scenario.ts';

/** What the door of `teller` says to a node that has left, as its host passes it on. */
function tell(cluster: CoreCluster, teller: string, nodeId: string, configIndex: number): void {
  const { storeId } = cluster.node(teller).core.self;
  const from = { nodeId: teller, storeId, bootCount: 1 };
  cluster.step(nodeId, { type: 'notMember', from, configIndex });
}

function removedIn(node: CoreNode): number[] {
  return node.effects.flatMap((effect) => (effect.type === 'removed' ? [effect.configIndex] : []));
}

describe('R-69 a leader that is removed', () => {
  /** n1 has committed the joint configuration; C_new without n1 is entry 3, and is on its way. */
  function leaving(): CoreCluster {
    const cluster = elected();
    cluster.change('n1', removalOf('n1'));
    for (const other of ['n2', 'n3']) exchange(cluster, 'n1', other);
    const { config, configIndex } = cluster.node('n1').raft.status();
    expect([configIndex, config.voters.map(({ nodeId }) => nodeId)]).toEqual([3, ['n2', 'n3']]);
    return cluster;
  }

  test('R-69 M-46 does not count itself: each entry needs both of the others', () => {
    const cluster = leaving();
    const n1 = cluster.node('n1');
    cluster.propose('n1', 'a');
    exchange(cluster, 'n1', 'n2');
    expect([n1.disk.lastIndex, n1.core.commitIndex, n1.role]).toEqual([4, 2, 'leader']);
    exchange(cluster, 'n1', 'n3');
    // What comes behind C_new is for them to decide.
    expect([n1.core.commitIndex, n1.role]).toEqual([3, 'follower']);
    cluster.run(H);
    expect(appliedTexts(cluster.node('n2'))).toEqual(['a']);
  });

  test('R-69 M-48 hands over when that is committed, and is gone', () => {
    const cluster = leaving();
    const n1 = cluster.node('n1');
    cluster.propose('n1', 'a');
    cluster.step('n1', { type: 'read', id: 1 });
    exchange(cluster, 'n1', 'n2');
    const startUs = cluster.nowUs;
    exchange(cluster, 'n1', 'n3');
    expect([n1.role, removedIn(n1), failedIds(n1)]).toEqual(['follower', [3], [1]]);
    expect(n1.raft.status()).toMatchObject({ isRemoved: true, role: 'follower' });
    expect(n1.effects.at(-1)).not.toMatchObject({ type: 'readReady' });
    // The others hear what is committed with the last heartbeats, and one campaigns at once.
    expect(sentTo(n1, 'n2', 'heartbeat').at(-1)?.commit).toBe(3);
    expect(sentTo(n1, 'n2', 'timeoutNow').length + sentTo(n1, 'n3', 'timeoutNow').length).toBe(1);
    expect(usUntilLeader(cluster)).toBeLessThan(H);
    expect(cluster.nowUs - startUs).toBeLessThan(2 * E);
    const leader = cluster.leader();
    expect([leader?.term, leader && appliedTexts(leader)]).toEqual([2, ['a']]);
  });

  test('R-69 M-48 R-74 hands over also while somebody was to lead who is not ready for it', () => {
    const cluster = leaving();
    const n1 = cluster.node('n1');
    exchange(cluster, 'n1', 'n2');
    cluster.step('n1', { type: 'transfer', id: 1, to: 'n3' });
    expect(sentTo(n1, 'n3', 'timeoutNow')).toEqual([]);
    // What makes n3 ready also ends the office of n1.
    exchange(cluster, 'n1', 'n3');
    expect([n1.role, n1.raft.status().isRemoved]).toEqual(['follower', true]);
    expect(sentTo(n1, 'n2', 'timeoutNow').length + sentTo(n1, 'n3', 'timeoutNow').length).toBe(1);
    expect(usUntilLeader(cluster)).toBeLessThan(H);
  });

  test('R-69 M-48 never leads again, nor asks for votes, whatever its clock says', () => {
    const cluster = leaving();
    cluster.run(2 * H);
    const n1 = cluster.node('n1');
    n1.sent.length = 0;
    cluster.isolate('n1');
    runWatching(cluster, 20 * E, () => expect(n1.role).toBe('follower'));
    expect(n1.sent).toEqual([]);
    expect([cluster.leader()?.term, removedIn(n1)]).toEqual([2, [3]]);
  });

  test('R-69 leads on until then, also if only one of the others answers', () => {
    const cluster = leaving();
    cluster.isolate('n3');
    cluster.run(E / 2);
    expect([cluster.leader()?.nodeId, cluster.node('n1').core.commitIndex]).toEqual(['n1', 2]);
    cluster.heal();
    cluster.runUntil(() => (cluster.leader()?.term ?? 1) > 1, E);
    expect(cluster.node('n1').raft.status().isRemoved).toBe(true);
  });

  test('R-69 with nobody to hand over to it says goodbye', () => {
    const cluster = elected({ config: configOf(['n1', 'n2'], { learners: ['n3'] }) });
    cluster.run(H);
    cluster.change('n1', replacementOf('n1', 'n3'));
    for (const other of ['n2', 'n3']) exchange(cluster, 'n1', other);
    // Their acknowledgements of C_new arrive when nothing else has for longer than E.
    for (const other of ['n2', 'n3']) deliverLink(cluster, 'n1', other);
    const acks = ['n2', 'n3'].map((other) => ({ other, sent: cluster.link(other, 'n1').slice() }));
    cluster.dropAll();
    cluster.tick(E, ['n1']);
    const n1 = cluster.node('n1');
    expect(n1.role).toBe('leader');
    cluster.nowUs += H / 2;
    for (const { other, sent } of acks) {
      for (const message of sent) cluster.inject(other, 'n1', message);
    }
    expect([n1.role, n1.raft.status().isRemoved]).toEqual(['follower', true]);
    expect(sentTo(n1, 'n2', 'goodbye').length).toBe(1);
  });

  test('R-69 R-70 a voter of the half that goes leads on to the end, and not beyond', () => {
    const cluster = elected();
    cluster.change('n1', removalOf('n3'));
    for (const other of ['n2', 'n3']) deliverLink(cluster, 'n1', other);
    cluster.crash('n1');
    cluster.restart('n1');
    const [n2, n3] = [cluster.node('n2'), cluster.node('n3')];
    for (const node of cluster.nodes.values()) calm(node);
    timeOut(cluster, 'n3');
    cluster.deliverAll();
    const roles = n3.effects.flatMap((effect) => (effect.type === 'role' ? [effect.role] : []));
    expect(roles).toContain('leader');
    expect([n3.raft.status().isRemoved, n2.raft.status().config.retired]).toEqual([true, ['n3']]);
    expect(usUntilLeader(cluster)).toBeLessThan(2 * E);
    expect(cluster.leader()?.nodeId).not.toBe('n3');
  });
});

describe('R-72 a node that was removed and does not know it', () => {
  /** n4 has left, and the last that it heard was an entry before. */
  function removed(): CoreCluster {
    const cluster = elected({ size: 4 });
    cluster.isolate('n4');
    cluster.change('n1', removalOf('n4'));
    cluster.run(2 * H);
    expect(cluster.node('n2').raft.status().config.retired).toEqual(['n4']);
    cluster.heal();
    return cluster;
  }

  test('R-72 disturbs nobody, however long it asks', () => {
    const cluster = removed();
    const n4 = cluster.node('n4');
    runWatching(cluster, 100 * E, () => {
      expect([cluster.leader()?.nodeId, cluster.leader()?.term]).toEqual(['n1', 1]);
    });
    expect(sentTo(n4, 'n2', 'preVoteRequest').length).toBeGreaterThan(50);
    expect([n4.term, n4.raft.status().isRemoved]).toEqual([1, false]);
  });

  test('R-72 goes passive when a member tells it, and still answers', () => {
    const cluster = removed();
    const n4 = cluster.node('n4');
    timeOut(cluster, 'n4');
    expect(n4.role).toBe('preCandidate');
    cluster.dropAll();
    tell(cluster, 'n2', 'n4', 3);
    expect([n4.role, n4.raft.status().isRemoved, removedIn(n4)]).toEqual(['follower', true, [3]]);
    tell(cluster, 'n1', 'n4', 3);
    n4.sent.length = 0;
    cluster.tick(20 * E, ['n4']);
    expect([n4.sent, removedIn(n4)]).toEqual([[], [3]]);
    const request = { type: 'voteRequest', term: 2, lastIndex: 9, lastTerm: 1, transfer: false };
    cluster.inject('n2', 'n4', { ...request, type: 'voteRequest' });
    expect(sentTo(n4, 'n2', 'voteResponse')).toMatchObject([{ term: 2, granted: true }]);
  });

  test('R-72 a member that lags cannot retire a voter that is newer than what it knows', () => {
    const cluster = elected({ config: configOf(['n1', 'n2', 'n3'], { learners: ['n4'] }) });
    cluster.run(H);
    cluster.change('n1', promotionOf('n4'));
    cluster.run(H);
    const n4 = cluster.node('n4');
    expect(n4.raft.status().configIndex).toBe(3);
    for (const configIndex of [0, 2, 3]) tell(cluster, 'n2', 'n4', configIndex);
    expect([n4.raft.status().isRemoved, removedIn(n4)]).toEqual([false, []]);
    timeOut(cluster, 'n4');
    expect(n4.role).toBe('preCandidate');
  });

  test('R-72 whoever has its own removal in its log, and is told of it, goes passive', () => {
    const cluster = elected();
    cluster.change('n1', removalOf('n1'));
    for (const other of ['n2', 'n3']) exchange(cluster, 'n1', other);
    const n1 = cluster.node('n1');
    expect([n1.raft.status().configIndex, n1.core.commitIndex]).toEqual([3, 2]);
    cluster.crash('n1');
    cluster.restart('n1');
    cluster.runUntil(() => cluster.leader()?.raft.status().previousConfig === null, 4 * E);
    // It cannot know that C_new was committed, and may have to help with that.
    timeOut(cluster, 'n1');
    expect([n1.role, n1.raft.status().isRemoved]).toEqual(['preCandidate', false]);
    tell(cluster, 'n2', 'n1', cluster.node('n2').raft.status().configIndex);
    expect([n1.role, n1.raft.status().isRemoved]).toEqual(['follower', true]);
  });

  test('R-72 it knows from the start if its checkpoint says so', () => {
    const config = { ...configOf(['n1', 'n2', 'n3']), retired: ['n4', 'n5'] };
    const cluster = elected({ config });
    cluster.join('n4');
    cluster.join('n6');
    expect(cluster.node('n4').raft.status().isRemoved).toBe(true);
    // Who was never a member has not left either.
    expect(cluster.node('n6').raft.status().isRemoved).toBe(false);
  });
});
