import { describe, expect, test } from 'vitest';
import type { CoreCluster, CoreNode } from './scenario.ts';
import {
  E,
  H,
  appliedTexts,
  configOf,
  deliverLink,
  elected,
  exchange,
  heartbeat,
} from './scenario.ts';
import { progressOf, randomOf, readyIds, runWatching, sentTo, voteRequest } from './scenario.ts';
import { removalOf } from './scenario.ts';

/** Asks n1 to hand over; the answer comes with `decided`. */
function transfer(cluster: CoreCluster, to: string | null, id = 1): void {
  cluster.step('n1', { type: 'transfer', id, to });
}

/** Answers to requests for transfers: the id, and null or the code of the refusal. */
function decided(node: CoreNode): [number, string | null][] {
  return node.effects.flatMap((effect) =>
    effect.type === 'transferDecided'
      ? [[effect.id, effect.refusal?.code ?? null] satisfies [number, string | null]]
      : [],
  );
}

/** A cluster with a learner n4 in which n2 has everything, and n3 lacks the last two entries. */
function uneven(): CoreCluster {
  const cluster = elected({ config: configOf(['n1', 'n2', 'n3'], { learners: ['n4'] }) });
  cluster.node('n3').automatic.persist = false;
  cluster.propose('n1', 'a', 'b');
  cluster.run(H);
  expect(progressOf(cluster, 'n1', 'n3').matchIndex).toBe(1);
  return cluster;
}

describe('R-74 a leader hands over', () => {
  test('R-74 to a follower that has everything: at once, and within a round trip', () => {
    const cluster = uneven();
    transfer(cluster, 'n2');
    expect(sentTo(cluster.node('n1'), 'n2', 'timeoutNow')).toEqual([
      { type: 'timeoutNow', term: 1 },
    ]);
    deliverLink(cluster, 'n1', 'n2');
    expect([cluster.node('n2').role, cluster.node('n2').term]).toEqual(['candidate', 2]);
    const [request] = sentTo(cluster.node('n2'), 'n3', 'voteRequest');
    expect(request).toMatchObject({ term: 2, transfer: true });
    cluster.deliverAll();
    expect([cluster.node('n2').role, cluster.node('n1').core.leaderId]).toEqual(['leader', 'n2']);
    expect(decided(cluster.node('n1'))).toEqual([[1, null]]);
  });

  test('R-74 M-49 to one that lags: when it has caught up, and not before', () => {
    const cluster = uneven();
    const n1 = cluster.node('n1');
    transfer(cluster, 'n3');
    cluster.run(3 * H);
    expect([sentTo(n1, 'n3', 'timeoutNow'), n1.role]).toEqual([[], 'leader']);
    expect(n1.raft.status().transferTarget).toBe('n3');
    while (cluster.completePersist('n3'));
    cluster.node('n3').automatic.persist = true;
    cluster.run(H);
    expect([cluster.leader()?.nodeId, decided(n1)]).toEqual(['n3', [[1, null]]]);
    expect(appliedTexts(cluster.node('n3'))).toEqual(['a', 'b']);
    expect(n1.raft.status().transferTarget).toBeNull();
  });

  test('R-74 to the best of the others, if it may choose', () => {
    const cluster = uneven();
    cluster.node('n3').automatic.persist = true;
    while (cluster.completePersist('n3'));
    cluster.node('n2').automatic.persist = false;
    cluster.propose('n1', 'c');
    cluster.run(H);
    transfer(cluster, null);
    cluster.run(H);
    expect([cluster.leader()?.nodeId, decided(cluster.node('n1'))]).toEqual(['n3', [[1, null]]]);
  });

  for (const { to, why } of [
    { to: 'n1', why: 'n1 leads already.' },
    { to: 'n4', why: 'n4 is not a voter: it cannot lead.' },
    { to: 'n9', why: 'n9 is not a member.' },
  ]) {
    test(`R-74 not to ${to}: ${why}`, () => {
      const cluster = uneven();
      const n1 = cluster.node('n1');
      transfer(cluster, to);
      expect(n1.effects.at(-1)).toEqual({
        type: 'transferDecided',
        id: 1,
        refusal: { code: 'INVALID', message: why },
      });
      expect(cluster.propose('n1', 'c').accepted).toBe(1);
    });
  }

  test('R-74 not to one that does not answer, and not to anybody if nobody does', () => {
    const cluster = elected();
    cluster.crash('n3');
    cluster.run(2 * E);
    transfer(cluster, 'n3');
    cluster.isolate('n1');
    cluster.tick(E, ['n1']);
    expect(cluster.node('n1').role).toBe('leader');
    cluster.nowUs += H;
    transfer(cluster, null, 2);
    expect(decided(cluster.node('n1'))).toEqual([
      [1, 'INVALID'],
      [2, 'INVALID'],
    ]);
  });

  test('R-74 a node that does not lead says who does', () => {
    const cluster = elected();
    const effects = cluster.step('n2', { type: 'transfer', id: 5, to: 'n3' });
    expect(effects).toEqual([
      {
        type: 'transferDecided',
        id: 5,
        refusal: { code: 'NOT_LEADER', message: 'n2 does not lead; n1 does.' },
      },
    ]);
  });

  test('R-74 a second request for the same node is answered with the first', () => {
    const cluster = uneven();
    const n1 = cluster.node('n1');
    transfer(cluster, 'n3');
    cluster.run(E / 2);
    transfer(cluster, 'n3', 2);
    transfer(cluster, null, 3);
    expect(decided(n1)).toEqual([]);
    // It does not make the first one last longer.
    cluster.run(E / 2 + H);
    expect(decided(n1)).toEqual([
      [1, 'TIMEOUT'],
      [2, 'TIMEOUT'],
      [3, 'TIMEOUT'],
    ]);
  });

  test('R-74 a second request for another node takes its place', () => {
    const cluster = uneven();
    transfer(cluster, 'n3');
    cluster.run(H);
    transfer(cluster, 'n2', 2);
    expect(decided(cluster.node('n1'))).toEqual([[1, 'REPLACED']]);
    cluster.run(H);
    expect([cluster.leader()?.nodeId, decided(cluster.node('n1'))]).toEqual([
      'n2',
      [
        [1, 'REPLACED'],
        [2, null],
      ],
    ]);
  });

  test('R-74 M-50 nothing is appended meanwhile, and reads are answered', () => {
    const cluster = uneven();
    const n1 = cluster.node('n1');
    transfer(cluster, 'n3');
    for (const internal of [true, false]) {
      const payload = new Uint8Array(1);
      const proposal = { type: 'command', payload, internal, record: null } as const;
      const answer = cluster.proposeAll('n1', [proposal]);
      expect(answer).toMatchObject({ accepted: 0, refusal: 'NOT_LEADER' });
    }
    expect(cluster.change('n1', removalOf('n4')).refusal?.code).toBe('PENDING');
    expect(n1.core.log.lastIndex).toBe(3);
    cluster.step('n1', { type: 'read', id: 9 });
    cluster.run(H);
    expect([n1.role, readyIds(n1)]).toEqual(['leader', [9]]);
  });

  test('R-74 the target dies: after E the leader goes on as if nothing had been', () => {
    const cluster = elected();
    const n1 = cluster.node('n1');
    cluster.crash('n2');
    transfer(cluster, 'n2');
    cluster.run(E - H);
    expect([decided(n1), cluster.propose('n1', 'a').refusal]).toEqual([[], 'NOT_LEADER']);
    // It was asked again with each heartbeat.
    expect(sentTo(n1, 'n2', 'timeoutNow').length).toBe(10);
    cluster.run(2 * H);
    expect([decided(n1), n1.raft.status().transferTarget]).toEqual([[[1, 'TIMEOUT']], null]);
    expect([n1.role, cluster.propose('n1', 'a').accepted]).toEqual(['leader', 1]);
    cluster.run(H);
    expect(appliedTexts(cluster.node('n3'))).toEqual(['a']);
  });

  test('R-74 somebody else enters a higher term first: the transfer is over', () => {
    const cluster = uneven();
    const n1 = cluster.node('n1');
    transfer(cluster, 'n3');
    cluster.inject('n2', 'n1', voteRequest(2, [3, 1], true));
    expect([n1.role, n1.term, decided(n1)]).toEqual(['follower', 2, [[1, 'NOT_LEADER']]]);
  });

  test('R-74 the leader steps down before that: the request is answered', () => {
    const cluster = uneven();
    transfer(cluster, 'n3');
    cluster.step('n1', { type: 'stepDown' });
    expect(decided(cluster.node('n1'))).toEqual([[1, 'NOT_LEADER']]);
  });

  test('R-74 a joint configuration is not left while leadership is handed over', () => {
    const cluster = elected();
    const n1 = cluster.node('n1');
    cluster.change('n1', removalOf('n3'));
    transfer(cluster, 'n2');
    exchange(cluster, 'n1', 'n3');
    expect([n1.core.log.lastIndex, n1.role]).toEqual([2, 'leader']);
    cluster.run(H);
    const leader = cluster.leader();
    expect([leader?.nodeId, leader?.raft.status().config.retired]).toEqual(['n2', ['n3']]);
  });
});

describe('R-75 under load', () => {
  /** Commands keep coming, and some links are slow; true when the target won its first election. */
  function handOver(cluster: CoreCluster, random: () => number): boolean {
    const leader = cluster.leader()?.nodeId ?? '';
    const others = ['n1', 'n2', 'n3'].filter((each) => each !== leader);
    const target = others[random() % 2] ?? '';
    const { term } = cluster.node(leader);
    const at = random() % 20;
    for (let turn = 0; turn < 200; turn++) {
      const now = cluster.leader();
      if (now !== null) cluster.propose(now.nodeId, `${term}/${turn}`);
      if (turn === at) cluster.step(leader, { type: 'transfer', id: term, to: target });
      for (const other of others) if (random() % 2 === 0) exchange(cluster, leader, other);
      cluster.tick(H / 10);
      if (random() % 3 === 0) cluster.deliverAll();
      if (cluster.node(target).core.leader?.isReady === true) break;
    }
    cluster.runUntil(() => cluster.leader()?.core.leader?.isReady === true, 2 * E);
    return cluster.node(target).role === 'leader' && cluster.node(target).term === term + 1;
  }

  test('R-75 M-49 M-50 the target wins its first election, and nothing committed is lost', () => {
    let wins = 0;
    for (let seed = 1; seed <= 50; seed++) {
      const cluster = elected();
      const random = randomOf(seed);
      for (let round = 0; round < 10; round++) if (handOver(cluster, random)) wins++;
      cluster.run(2 * H);
      const [first, ...others] = [...cluster.nodes.values()].map(appliedTexts);
      expect(first?.length).toBeGreaterThan(30);
      for (const other of others) expect(other).toEqual(first);
    }
    expect(wins).toBeGreaterThanOrEqual(475);
  }, 60_000);
});

describe('R-76 R-22 who is asked to lead', () => {
  test('R-76 heeds no heartbeat of the old term any more', () => {
    const cluster = elected({ size: 5 });
    const n2 = cluster.node('n2');
    n2.automatic.slots = false;
    transfer(cluster, 'n2');
    deliverLink(cluster, 'n1', 'n2');
    expect([n2.role, n2.term]).toEqual(['candidate', 2]);
    cluster.inject('n1', 'n2', heartbeat(1, 1, 3));
    expect([n2.role, n2.term]).toEqual(['candidate', 2]);
    n2.automatic.slots = true;
    cluster.completeSlots('n2');
    cluster.deliverAll();
    expect(n2.role).toBe('leader');
  });

  test('R-76 answers to its leader only, and in the current term only', () => {
    const cluster = elected();
    const n2 = cluster.node('n2');
    cluster.inject('n3', 'n2', { type: 'timeoutNow', term: 1 });
    cluster.inject('n1', 'n2', { type: 'timeoutNow', term: 0 });
    expect([n2.role, n2.term]).toEqual(['follower', 1]);
    cluster.inject('n3', 'n2', { type: 'timeoutNow', term: 2 });
    expect([n2.role, n2.term]).toEqual(['follower', 2]);
    expect(sentTo(n2, 'n1', 'voteRequest')).toEqual([]);
  });

  test('R-22 R-74 a learner does not campaign, nor does who was removed', () => {
    const cluster = elected({ config: configOf(['n1', 'n2', 'n3'], { learners: ['n4'] }) });
    for (const nodeId of ['n3', 'n4']) {
      const node = cluster.node(nodeId);
      const from = { nodeId: 'n1', storeId: 's1', bootCount: 1 };
      if (nodeId === 'n3') cluster.step('n3', { type: 'notMember', from, configIndex: 5 });
      cluster.inject('n1', nodeId, { type: 'timeoutNow', term: 1 });
      expect([node.role, node.term]).toEqual(['follower', 1]);
    }
    runWatching(cluster, H, () => expect(cluster.leader()?.term).toBe(1));
  });
});
