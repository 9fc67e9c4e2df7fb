// Lies about checkpoints, transfers and membership, each told to an oracle that saw none before.

import { describe, expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import type { Index, NodeId } from '../../src/base/units.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { ClusterConfig, Member } from '../../src/raft/config.ts';
import type { SnapshotPoint } from '../../src/raft/events.ts';
import { stepProblem } from '../../sim/oracle/raft-configs.ts';
import type { OracleName } from '../../sim/oracle/verdict.ts';
import { createRig, doing, nextEntry, sending, storing } from './oracle-rig.ts';
import type { Rig, Witness } from './oracle-rig.ts';

interface Lie {
  readonly oracle: OracleName;
  readonly what: string;
  readonly tell: (rig: Rig) => void;
}

/** A checkpoint of all that the node has. */
function pointOf({ core }: Witness): SnapshotPoint {
  const { lastIndex, lastTerm } = core.log;
  const { config, index: configIndex } = core.configurations.latest;
  return { last: { index: lastIndex, term: lastTerm }, config, configIndex };
}

/** It starts again from a checkpoint of all that it has, unless told otherwise. */
function restart({ oracle }: Rig, witness: Witness, given: Partial<Witness['start']>): void {
  const { core, start, machine } = witness;
  const { last } = pointOf(witness);
  const { term, vote } = core.hard;
  const log = { anchor: last, termRuns: [], tail: [], lastIndex: last.index, applied: last.index };
  oracle.watch().started(core, { ...start, term, vote, ...log, ...given }, machine);
}

/** A further entry with this configuration, in the log of the node. */
function appendConfig(witness: Witness, config: ClusterConfig): void {
  const entry = { ...nextEntry(witness, ''), type: 'config', config } as const;
  witness.core.log.append(entry);
  witness.core.configurations.append(entry.index, config);
  doing(witness);
}

/** The end of a checkpoint up to there. */
function sendingAll(witness: Witness, to: NodeId, lastIndex: Index): void {
  const { log, hard } = witness.core;
  const lastTerm = present(log.termAt(lastIndex), 'the term of an entry');
  const content = new Uint8Array(1);
  const part = { transfer: 1, sequence: 2, lastIndex, lastTerm, isLast: true, content };
  sending(witness, to, { type: 'snapshotPart', term: hard.term, part, round: 1 });
}

function tellingCommit(witness: Witness, to: NodeId, commit: Index): void {
  const { term } = witness.core.hard;
  sending(witness, to, { type: 'heartbeat', term, commit, round: 1 });
}

const LIES: readonly Lie[] = [
  {
    oracle: 'INV-5',
    what: 'a start from a checkpoint that nobody committed',
    tell: (rig) => {
      const [first] = rig.followers;
      const { last } = pointOf(first);
      restart(rig, first, { anchor: { index: last.index, term: last.term + 1 } });
    },
  },
  {
    oracle: 'INV-5',
    what: 'a state that the rows of a checkpoint do not make (M-38)',
    tell: (rig) => {
      const [first] = rig.followers;
      rig.oracle.lookAtAll();
      restart(rig, { ...first, machine: createLockMachine(DEFAULT_LIMITS) }, {});
    },
  },
  {
    oracle: 'INV-9',
    what: 'an install behind what is applied (M-42)',
    tell: ({ followers: [first] }) => {
      const { last } = pointOf(first);
      first.watch.installed(first.machine, last.index - 1);
    },
  },
  {
    oracle: 'INV-11',
    what: 'a start by another configuration than that of the checkpoint (M-39)',
    tell: (rig) => {
      const [first] = rig.followers;
      const { config } = first.core.configurations.latest;
      first.core.configurations.append(pointOf(first).last.index, { ...config, retired: ['n7'] });
      restart(rig, first, {});
    },
  },
  {
    oracle: 'INV-11',
    what: 'a second configuration before the first is committed (M-45)',
    tell: ({ leader }) => {
      const { config } = leader.core.configurations.latest;
      appendConfig(leader, { ...config, retired: ['n7'] });
      appendConfig(leader, { ...config, retired: ['n7', 'n8'] });
    },
  },
  {
    oracle: 'INV-8',
    what: 'an install that drops a log that agrees with it',
    tell: ({ followers: [first] }) => {
      const point = pointOf(first);
      doing(first, { type: 'installSnapshot', point, keepsSuffix: false });
    },
  },
  {
    oracle: 'INV-8',
    what: 'an install that drops what comes behind it',
    tell: ({ followers: [first] }) => {
      const point = pointOf(first);
      const entry = nextEntry(first, 'acknowledged, perhaps');
      storing(first, entry);
      first.core.log.truncateFrom(entry.index);
      first.watch.stepped({ type: 'snapshotInstalled', point }, []);
    },
  },
  {
    oracle: 'INV-10',
    what: 'an install that keeps a log that does not agree with it (M-40)',
    tell: ({ followers: [first] }) => {
      const { last, ...rest } = pointOf(first);
      const other = { index: last.index + 1, term: last.term + 1 };
      storing(first, nextEntry(first, 'of another leader'));
      storing(first, nextEntry(first, 'and its next'));
      first.watch.stepped({ type: 'snapshotInstalled', point: { last: other, ...rest } }, []);
    },
  },
  {
    oracle: 'INV-8',
    what: 'an installed checkpoint that is not on the disk',
    tell: ({ followers: [first], ids }) => {
      first.core.log.append(nextEntry(first, 'not on disk'));
      const { lastIndex: matchIndex } = first.core.log;
      const answer = {
        transfer: 1,
        status: 'installed',
        sequence: 3,
        matchIndex,
        round: 1,
      } as const;
      const { term } = first.core.hard;
      sending(first, ids[0], { type: 'snapshotResponse', term, ...answer });
    },
  },
  {
    oracle: 'INV-4',
    what: 'a checkpoint of what is not committed',
    tell: ({ leader, ids }) => {
      storing(leader, nextEntry(leader, 'not committed'));
      const { term } = leader.core.hard;
      const { lastIndex, lastTerm } = leader.core.log;
      const content = new Uint8Array(1);
      const part = { transfer: 1, sequence: 0, lastIndex, lastTerm, isLast: false, content };
      sending(leader, ids[1], { type: 'snapshotPart', term, part, round: 1 });
    },
  },
  {
    oracle: 'INV-9',
    what: 'a commit index beyond all that was sent to a node that never began',
    tell: ({ leader }) => {
      const { index } = pointOf(leader).last;
      sendingAll(leader, 'n9', index - 1);
      tellingCommit(leader, 'n9', index);
    },
  },
  {
    oracle: 'INV-20',
    what: 'a start without the checkpoint that was durable (M-41)',
    tell: (rig) => {
      const [first] = rig.followers;
      const { anchor } = first.start;
      first.watch.stepped({ type: 'compacted', anchor: pointOf(first).last }, []);
      restart(rig, first, { anchor });
    },
  },
  {
    oracle: 'LIV-1',
    what: 'a hand-over to somebody who lacks entries (M-49)',
    tell: ({ leader, ids: [, target] }) => {
      const handover = { target, ids: [], deadlineUs: 1e12, askUs: 0, isAsked: true };
      present(leader.core.leader, 'the state of a leader').handover = handover;
      storing(leader, nextEntry(leader, 'not there'));
      sending(leader, target, { type: 'timeoutNow', term: leader.core.hard.term });
    },
  },
];

describe('a lie about checkpoints and members is found', () => {
  test.each(LIES)('$oracle $what', async ({ oracle, tell }) => {
    const rig = await createRig(1);
    expect(rig.verdict.violation).toBe(null);
    tell(rig);
    expect(rig.verdict.violation?.oracle).toBe(oracle);
  });

  test('INV-20 INV-5 INV-11 a restart from an honest checkpoint is none', async () => {
    const rig = await createRig(2);
    const [first] = rig.followers;
    rig.oracle.lookAtAll();
    first.watch.stepped({ type: 'compacted', anchor: pointOf(first).last }, []);
    restart(rig, first, {});
    rig.oracle.lookAtAll();
    expect(rig.verdict.violation).toBe(null);
  });

  test('INV-9 a commit index that a newcomer reached before it was sent less is none', async () => {
    const { leader, verdict } = await createRig(3);
    const { index } = pointOf(leader).last;
    sendingAll(leader, 'n9', index);
    sendingAll(leader, 'n9', index - 1);
    tellingCommit(leader, 'n9', index);
    expect(verdict.violation).toBe(null);
  });
});

describe('INV-11 the steps from one configuration to the next', () => {
  const member = (nodeId: string): Member => ({ nodeId, storeId: `${nodeId}s`, address: nodeId });
  const three = [member('n1'), member('n2'), member('n3')];
  const other = [member('n1'), member('n2'), member('n4')];
  const simple: ClusterConfig = {
    voters: three,
    votersOutgoing: [],
    learners: [],
    learnersNext: [],
    retired: [],
  };
  const learning = { ...simple, learners: [member('n4')] };
  const joint = { ...simple, voters: other, votersOutgoing: three };
  const left = { ...simple, voters: other, retired: ['n3'] };

  test('a learner comes, and takes the place of a voter through a joint configuration', () => {
    for (const [before, after] of [
      [simple, learning],
      [learning, joint],
      [joint, left],
      [learning, { ...simple, retired: ['n4'] }],
    ] as const) {
      expect(stepProblem(before, after)).toBe(null);
    }
  });

  test.each([
    ['at once', learning, left, 'quorums'],
    ['out of a joint one to the old', joint, { ...left, voters: three }, 'quorums'],
    ['from joint to joint', joint, joint, 'joint'],
    ['to nobody', simple, { ...simple, voters: [] }, 'no voters'],
    ['without a memory of who left', joint, { ...left, retired: [] }, 'n3 left'],
    ['back to a name', left, { ...left, learners: [member('n3')] }, 'n3 back'],
    ['with a name on another disk', learning, withOtherDisk(), 'n4 again'],
    ['without the names before', left, { ...left, retired: [] }, 'n3 left'],
  ])('not %s', (_how, before, after, problem) => {
    expect(stepProblem(before, after)).toContain(problem);
  });

  function withOtherDisk(): ClusterConfig {
    return { ...simple, learners: [{ ...member('n4'), storeId: 'other' }] };
  }
});
