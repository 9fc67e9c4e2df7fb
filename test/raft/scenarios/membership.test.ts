import { describe, expect, test } from 'vitest';
import type { CoreNode } from './scenario.ts';
import {
  E,
  H,
  additionOf,
  appliedTexts,
  awake,
  codeOf,
  configOf,
  deliverLink,
} from './scenario.ts';
import { elected, exchange, makeCandidate, promotionOf, readyIds, removalOf } from './scenario.ts';
import { replacementOf, votersOf, withLearner } from './scenario.ts';

function isJoint(node: CoreNode): boolean {
  return node.raft.status().config.votersOutgoing.length > 0;
}

describe('R-64 a voter is replaced', () => {
  test('R-64 in one step, while commands go on', () => {
    const cluster = elected();
    cluster.join('n4');
    expect(cluster.change('n1', additionOf('n4'), 0)).toMatchObject({ index: 2, refusal: null });
    cluster.run(2 * H);
    expect(cluster.change('n1', replacementOf('n3', 'n4'), 2).refusal).toBeNull();
    cluster.propose('n1', 'a', 'b');
    expect(isJoint(cluster.node('n1'))).toBe(true);
    cluster.run(2 * H);
    for (const nodeId of ['n1', 'n2', 'n4']) {
      const { config, configIndex, previousConfig } = cluster.node(nodeId).raft.status();
      expect(config.voters.map((each) => each.nodeId)).toEqual(['n1', 'n2', 'n4']);
      expect(config).toMatchObject({ votersOutgoing: [], learners: [], retired: ['n3'] });
      expect([configIndex, previousConfig]).toEqual([6, null]);
      expect(appliedTexts(cluster.node(nodeId))).toEqual(['a', 'b']);
    }
  });

  test('R-64 the host hears of each configuration, and again when it is committed', () => {
    const cluster = withLearner();
    const n1 = cluster.node('n1');
    cluster.change('n1', replacementOf('n3', 'n4'));
    cluster.run(2 * H);
    const heard = n1.effects.flatMap((effect) => (effect.type === 'configChanged' ? [effect] : []));
    const forms = heard.map(({ index, isCommitted, config, previous }) => [
      index,
      isCommitted,
      config.votersOutgoing.length,
      previous?.voters.map(({ nodeId }) => nodeId).join() ?? null,
    ]);
    expect(forms).toEqual([
      [2, false, 3, 'n1,n2,n3'],
      // The joint one is left in the step that commits it.
      [3, false, 0, 'n1,n2,n4'],
      [3, true, 0, null],
    ]);
  });

  for (const phase of ['appended', 'sent', 'committed'] as const) {
    test(`R-64 R-70 M-47 it ends, whatever happens to a leader that has ${phase} it`, () => {
      const cluster = withLearner();
      cluster.propose('n1', 'a');
      cluster.deliverAll();
      cluster.change('n1', replacementOf('n3', 'n4'));
      if (phase === 'appended') cluster.dropAll();
      if (phase === 'sent') deliverLink(cluster, 'n1', 'n2');
      if (phase === 'committed') exchange(cluster, 'n1', 'n2');
      if (phase === 'committed') exchange(cluster, 'n1', 'n4');
      cluster.crash('n1');
      cluster.runUntil(() => cluster.leader()?.core.leader?.isReady === true);
      cluster.restart('n1');
      cluster.run(2 * E);
      const leader = cluster.leader();
      expect(leader).not.toBeNull();
      if (leader === null) return;
      if (!votersOf(leader).includes('n4')) {
        // Nobody has it: the operator may ask again.
        expect(phase).not.toBe('committed');
        expect(cluster.change(leader.nodeId, replacementOf('n3', 'n4')).refusal).toBeNull();
      }
      cluster.runUntil(() => cluster.leader()?.raft.status().previousConfig === null);
      cluster.run(2 * H);
      const last = cluster.leader();
      if (last === null) return;
      expect([votersOf(last), isJoint(last)]).toEqual([['n1', 'n2', 'n4'], false]);
      expect(appliedTexts(last)).toEqual(['a']);
    });
  }

  test('R-64 M-47 nobody is elected by the new half alone', () => {
    const cluster = withLearner();
    cluster.change('n1', replacementOf('n3', 'n4'));
    for (const other of ['n2', 'n4']) deliverLink(cluster, 'n1', other);
    cluster.crash('n1');
    cluster.crash('n3');
    // n2 and n4 are two of the three new voters; of the old ones n2 is one of three.
    cluster.run(20 * E);
    expect(cluster.leader()).toBeNull();
    cluster.restart('n3');
    cluster.runUntil(() => cluster.leader() !== null);
  });
});

describe('R-66 one change at a time', () => {
  test('R-66 M-45 a second one waits until the first is committed, and the joint one is left', () => {
    const cluster = withLearner();
    for (const node of cluster.nodes.values()) node.automatic.persist = false;
    expect(codeOf(cluster.change('n1', replacementOf('n3', 'n4')))).toBeNull();
    expect(codeOf(cluster.change('n1', removalOf('n2')))).toBe('PENDING');
    cluster.completePersist('n1');
    expect(codeOf(cluster.change('n1', additionOf('n5')))).toBe('PENDING');
    expect(cluster.node('n1').core.log.lastIndex).toBe(2);
    for (const node of cluster.nodes.values()) node.automatic.persist = true;
    for (const nodeId of ['n2', 'n3', 'n4']) cluster.completePersist(nodeId);
    cluster.completePersist('n1');
    cluster.run(H);
    expect(votersOf(cluster.node('n1'))).toEqual(['n1', 'n2', 'n4']);
    expect(codeOf(cluster.change('n1', removalOf('n2')))).toBeNull();
  });

  test('R-66 M-45 not even behind the addition of a learner that is not committed', () => {
    const cluster = elected();
    cluster.isolate('n1');
    expect(codeOf(cluster.change('n1', additionOf('n4')))).toBeNull();
    expect(codeOf(cluster.change('n1', additionOf('n5')))).toBe('PENDING');
    expect(codeOf(cluster.change('n1', removalOf('n3')))).toBe('PENDING');
    expect(cluster.node('n1').core.log.lastIndex).toBe(2);
  });

  test('R-66 M-45 a new leader waits for an entry of its own term', () => {
    const cluster = elected({ config: configOf(['n1', 'n2', 'n3'], { learners: ['n4'] }) });
    const n2 = cluster.node('n2');
    cluster.crash('n1');
    n2.core.election.stickyUntilUs = 0;
    cluster.node('n3').core.election.stickyUntilUs = 0;
    makeCandidate(cluster, 'n2', ['n3']);
    exchange(cluster, 'n2', 'n3');
    expect([n2.role, n2.core.commitIndex]).toEqual(['leader', 1]);
    expect(codeOf(cluster.change('n2', removalOf('n1')))).toBe('PENDING');
    expect(n2.terms()).toEqual([1, 2]);
    exchange(cluster, 'n2', 'n3');
    expect(codeOf(cluster.change('n2', removalOf('n1')))).toBeNull();
  });

  test('R-66 a change for another configuration, or not to the leader, changes nothing', () => {
    const cluster = elected();
    expect(codeOf(cluster.change('n1', additionOf('n4'), 7))).toBe('CONFLICT');
    const { refusal } = cluster.change('n2', additionOf('n4'));
    expect([refusal?.code, refusal?.message]).toEqual([
      'NOT_LEADER',
      'n2 does not lead; n1 does. In force is configuration 0: voters n1, n2, n3.',
    ]);
    expect(cluster.node('n1').core.log.lastIndex).toBe(1);
  });
});

describe('R-67 a configuration counts from its entry on, and no longer than that', () => {
  test('R-67 M-43 it is in force when it is appended, at the leader and at a follower', () => {
    const cluster = withLearner();
    cluster.change('n1', replacementOf('n3', 'n4'));
    deliverLink(cluster, 'n1', 'n2');
    for (const nodeId of ['n1', 'n2']) {
      const node = cluster.node(nodeId);
      expect([node.core.commitIndex, votersOf(node)]).toEqual([1, ['n1', 'n2', 'n4']]);
    }
  });

  test('R-67 M-44 it is gone at once when its entry is cut, and so is its quorum', () => {
    const cluster = withLearner();
    const [n1, n2, n4] = ['n1', 'n2', 'n4'].map((nodeId) => cluster.node(nodeId));
    // n1 reaches nobody but the learner with its change.
    for (const other of ['n2', 'n3']) cluster.cut('n1', other);
    cluster.change('n1', replacementOf('n3', 'n4'));
    deliverLink(cluster, 'n1', 'n4');
    expect([n1, n4].map((node) => node !== undefined && isJoint(node))).toEqual([true, true]);
    cluster.runUntil(() => n2?.role === 'leader' || cluster.node('n3').role === 'leader');
    const leader = cluster.leader()?.nodeId ?? '';
    expect(cluster.propose(leader, 'a').accepted).toBe(1);
    cluster.heal();
    cluster.run(2 * H);
    for (const node of [n1, n4]) {
      if (node === undefined) continue;
      const { config, configIndex, previousConfig } = node.raft.status();
      expect([config.votersOutgoing.length, configIndex, previousConfig]).toEqual([0, 0, null]);
      expect(node.effects.at(-1)).not.toMatchObject({ type: 'removed' });
    }
    // n4 is a learner again: its word alone decides nothing.
    for (const other of ['n1', 'n2', 'n3'].filter((each) => each !== leader)) {
      cluster.cut(leader, other);
    }
    const before = cluster.node(leader).core.commitIndex;
    cluster.propose(leader, 'b');
    cluster.deliverAll();
    expect(cluster.node(leader).core.commitIndex).toBe(before);
  });
});

describe('R-68 two leaders change the same configuration', () => {
  // n1 appends a change that nobody gets; n2 is elected without it and wants one of its own. With
  // a rule of one server at a time, n1 could come back and win with a quorum of its configuration.
  const shapes = [
    { what: 'add and remove', first: promotionOf('n5'), second: removalOf('n1') },
    { what: 'add and add', first: promotionOf('n5'), second: promotionOf('n6') },
    { what: 'remove and remove', first: removalOf('n4'), second: removalOf('n1') },
  ];
  for (const { what, first, second } of shapes) {
    test(`R-68 M-45 ${what}: what is committed is never lost`, () => {
      const config = configOf(['n1', 'n2', 'n3', 'n4'], { learners: ['n5', 'n6'] });
      const cluster = elected({ config });
      cluster.run(H);
      cluster.isolate('n1');
      expect(codeOf(cluster.change('n1', first))).toBeNull();
      cluster.runUntil(() => (cluster.leader()?.term ?? 1) > 1);
      const leader = cluster.leader();
      expect(leader).not.toBeNull();
      if (leader === null) return;
      cluster.runUntil(() => leader.core.commitIndex >= (leader.core.leader?.noopIndex ?? 0));
      cluster.run(H);
      expect(codeOf(cluster.change(leader.nodeId, second))).toBeNull();
      cluster.run(2 * H);
      const { commitIndex } = leader.core;
      const decided = leader.raft.status().config;
      expect([leader.raft.status().previousConfig, decided.votersOutgoing]).toEqual([null, []]);
      // n1 comes back, and the others of its own configuration with it.
      cluster.heal();
      for (const nodeId of ['n2', 'n3']) cluster.isolate(nodeId);
      cluster.run(10 * E);
      cluster.heal();
      cluster.run(10 * E);
      const last = cluster.leader();
      expect(last?.core.log.termAt(commitIndex)).toBe(leader.core.log.termAt(commitIndex));
      expect(last?.raft.status().config).toEqual(decided);
    });
  }

  test('R-68 M-45 the second leader must commit an entry of its term before it may', () => {
    const cluster = elected({ size: 4 });
    cluster.isolate('n1');
    cluster.change('n1', removalOf('n4'));
    for (const nodeId of ['n2', 'n3', 'n4']) cluster.node(nodeId).core.election.stickyUntilUs = 0;
    makeCandidate(cluster, 'n2', ['n3', 'n4']);
    for (const other of ['n3', 'n4']) exchange(cluster, 'n2', other);
    const n2 = cluster.node('n2');
    expect([n2.role, n2.core.commitIndex]).toEqual(['leader', 1]);
    expect(codeOf(cluster.change('n2', removalOf('n1')))).toBe('PENDING');
  });
});

describe('R-70 a new leader', () => {
  test('R-70 ends the change that it finds committed, without an operator', () => {
    const cluster = withLearner();
    cluster.change('n1', replacementOf('n3', 'n4'));
    exchange(cluster, 'n1', 'n2');
    expect([cluster.node('n1').core.commitIndex, isJoint(cluster.node('n1'))]).toEqual([2, false]);
    cluster.dropAll();
    cluster.crash('n1');
    expect(isJoint(cluster.node('n2'))).toBe(true);
    cluster.runUntil(() => cluster.leader()?.raft.status().previousConfig === null);
    cluster.run(E);
    const leader = cluster.leader();
    expect(leader && [isJoint(leader), votersOf(leader)]).toEqual([false, ['n1', 'n2', 'n4']]);
    expect(leader?.raft.status().config.retired).toEqual(['n3']);
  });

  test('R-70 does so only when an entry of its own term is committed', () => {
    const config = configOf(['n1', 'n2', 'n4'], { outgoing: ['n1', 'n2', 'n3'] });
    const cluster = awake({ config });
    const n1 = cluster.node('n1');
    makeCandidate(cluster, 'n1', ['n2', 'n3', 'n4']);
    exchange(cluster, 'n1', 'n2');
    expect([n1.role, isJoint(n1), n1.terms()]).toEqual(['leader', true, [1]]);
    exchange(cluster, 'n1', 'n2');
    expect([isJoint(n1), n1.terms()]).toEqual([false, [1, 1]]);
  });
});

describe('R-50 a quorum shrinks', () => {
  test('R-50 a read that waits for a removed voter is answered', () => {
    const cluster = elected({ size: 2 });
    const n1 = cluster.node('n1');
    cluster.step('n1', { type: 'read', id: 1 });
    cluster.dropAll();
    expect(codeOf(cluster.change('n1', removalOf('n2')))).toBeNull();
    // Its acknowledgement of the joint entry names a round before the one that the read needs.
    deliverLink(cluster, 'n1', 'n2');
    const [ack] = cluster.link('n2', 'n1');
    cluster.dropAll();
    expect(ack?.type).toBe('appendResponse');
    if (ack?.type !== 'appendResponse') return;
    cluster.inject('n2', 'n1', { ...ack, round: 1 });
    expect([votersOf(n1), readyIds(n1)]).toEqual([['n1'], [1]]);
  });
});
