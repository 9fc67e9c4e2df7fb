import { describe, expect, test } from 'vitest';
import type { OracleName } from '../../sim/oracle/verdict.ts';
import type { AppendResponse } from '../../src/raft/messages.ts';
import {
  committing,
  createRig,
  doing,
  nextEntry,
  sending,
  storing,
  writing,
} from './oracle-rig.ts';
import type { Rig } from './oracle-rig.ts';

interface Lie {
  readonly oracle: OracleName;
  readonly what: string;
  readonly tell: (rig: Rig) => void;
}

const ACK: Omit<AppendResponse, 'term' | 'matchIndex'> = {
  type: 'appendResponse',
  ok: true,
  rejectedPrev: 0,
  hintIndex: 0,
  hintTerm: 0,
  round: 0,
};

const LIES: readonly Lie[] = [
  {
    oracle: 'INV-1',
    what: 'a second leader in a term',
    tell: ({ followers: [first] }) => {
      first.core.role = 'leader';
      doing(first);
    },
  },
  {
    oracle: 'INV-1',
    what: 'a leader by its own vote alone (M-11, M-14, M-26)',
    tell: ({ followers: [first], ids }) => {
      const term = first.core.hard.term + 1;
      first.core.hard.enterTerm(term, null);
      writing(first, term, ids[1]);
      first.core.role = 'leader';
      doing(first);
    },
  },
  {
    oracle: 'INV-1',
    what: 'a follower that speaks as a leader',
    tell: ({ followers: [first], ids }) => {
      const { term } = first.core.hard;
      sending(first, ids[2], { type: 'heartbeat', term, commit: 0, round: 1 });
    },
  },
  {
    oracle: 'INV-2',
    what: 'a leader that cuts its log',
    tell: ({ leader }) => {
      leader.core.log.truncateFrom(leader.core.log.lastIndex);
      doing(leader);
    },
  },
  {
    oracle: 'INV-3',
    what: 'one index and term with two contents',
    tell: ({ followers: [first, second] }) => {
      first.core.log.append(nextEntry(first, 'this'));
      doing(first);
      second.core.log.append(nextEntry(second, 'that'));
      doing(second);
    },
  },
  {
    oracle: 'INV-4',
    what: 'a follower that cuts what is committed (M-19)',
    tell: ({ followers: [first] }) => {
      first.core.log.truncateFrom(first.core.log.lastIndex);
      doing(first);
    },
  },
  {
    oracle: 'INV-4',
    what: 'a disk that cuts what is committed',
    tell: ({ followers: [first] }) => {
      const { lastIndex, lastTerm } = first.core.log;
      const entries = [{ ...nextEntry(first, ''), index: lastIndex }];
      const batch = { sequence: 1_000, truncateFrom: lastIndex, entries, lastIndex, lastTerm };
      doing(first, { type: 'persist', ...batch });
    },
  },
  {
    oracle: 'INV-4',
    what: 'a leader without what was committed before (M-03, M-15)',
    tell: (rig) => {
      committing(rig);
      const [first, second] = rig.followers;
      const [, , id] = rig.ids;
      const term = second.core.hard.term + 1;
      second.core.hard.enterTerm(term, null);
      writing(first, term, id);
      sending(first, id, { type: 'voteResponse', term, granted: true });
      writing(second, term, id);
      second.core.role = 'leader';
      doing(second);
    },
  },
  {
    oracle: 'INV-5',
    what: 'two entries committed at one index (M-17)',
    tell: (rig) => {
      const { index } = committing(rig);
      const [, { core }] = rig.followers;
      core.hard.enterTerm(core.hard.term + 1, null);
      core.log.append(nextEntry(rig.followers[1], 'other'));
      core.commitIndex = index;
      doing(rig.followers[1]);
    },
  },
  {
    oracle: 'INV-5',
    what: 'a machine that took another way',
    tell: ({ oracle, followers: [first] }) => {
      const { core, machine } = first;
      const nonce = 'another_session_';
      const common = { ttlMs: null, lockDelayMs: 0, name: '', meta: '', stampMs: 0 };
      machine.apply(99, core.hard.term, { op: 'openSession', nonce, ...common });
      oracle.lookAtAll();
    },
  },
  {
    oracle: 'INV-6',
    what: 'a commitment of what is in memory only (M-22, M-27)',
    tell: ({ leader }) => {
      leader.core.log.append(nextEntry(leader, 'not on disk'));
      leader.core.commitIndex = leader.core.log.lastIndex;
      doing(leader);
    },
  },
  {
    oracle: 'INV-7',
    what: 'a term that is not on disk',
    tell: ({ followers: [first], ids }) => {
      const term = first.core.hard.term + 1;
      sending(first, ids[0], { type: 'voteResponse', term, granted: false });
    },
  },
  {
    oracle: 'INV-7',
    what: 'a grant that is not on disk (M-01)',
    tell: ({ followers: [first], ids }) => {
      const { term } = first.core.hard;
      sending(first, ids[2], { type: 'voteResponse', term, granted: true });
    },
  },
  {
    oracle: 'INV-7',
    what: 'grants to two candidates (M-02)',
    tell: ({ followers: [first], ids }) => {
      const { term } = first.core.hard;
      writing(first, term, ids[2]);
      sending(first, ids[2], { type: 'voteResponse', term, granted: true });
    },
  },
  {
    oracle: 'INV-7',
    what: 'a campaign before the own vote is on disk (M-68)',
    tell: ({ followers: [first], ids }) => {
      const { term } = first.core.hard;
      const log = { lastIndex: first.core.log.lastIndex, lastTerm: first.core.log.lastTerm };
      sending(first, ids[2], { type: 'voteRequest', term, transfer: false, ...log });
    },
  },
  {
    oracle: 'INV-7',
    what: 'a life that starts in an earlier term (M-78)',
    tell: ({ oracle, followers: [first] }) => {
      oracle.watch().started(first.core, first.start, first.machine);
    },
  },
  {
    oracle: 'INV-8',
    what: 'an acknowledgement of what is not on disk (M-22)',
    tell: ({ followers: [first], ids }) => {
      first.core.log.append(nextEntry(first, 'not on disk'));
      const matchIndex = first.core.log.lastIndex;
      sending(first, ids[0], { ...ACK, term: first.core.hard.term, matchIndex });
    },
  },
  {
    oracle: 'INV-8',
    what: 'an acknowledgement of what the leader does not have (M-21)',
    tell: ({ followers: [first], ids }) => {
      const entry = nextEntry(first, 'of another leader');
      const { index: matchIndex, term } = entry;
      storing(first, entry);
      sending(first, ids[0], { ...ACK, term, matchIndex });
    },
  },
  {
    oracle: 'INV-9',
    what: 'an entry applied twice (M-29)',
    tell: ({ followers: [first] }) => {
      const { core, watch } = first;
      const entry = core.log.peek(core.log.lastIndex);
      if (entry !== null) watch.applied(entry, null, null);
    },
  },
  {
    oracle: 'INV-9',
    what: 'a commit index beyond what the follower has (M-18)',
    tell: ({ leader, ids }) => {
      leader.core.log.append(nextEntry(leader, 'not there'));
      const { term } = leader.core.hard;
      const commit = leader.core.log.lastIndex;
      sending(leader, ids[1], { type: 'heartbeat', term, commit, round: 1 });
    },
  },
  {
    oracle: 'INV-10',
    what: 'entries that do not follow one another (M-28)',
    tell: ({ leader, ids }) => {
      const { term } = leader.core.hard;
      const { lastIndex, lastTerm } = leader.core.log;
      const entry = { ...nextEntry(leader, ''), index: lastIndex + 2 };
      const at = { prevIndex: lastIndex, prevTerm: lastTerm, commit: 0, round: 1 };
      sending(leader, ids[1], { type: 'append', term, entries: [entry], ...at });
    },
  },
  {
    oracle: 'INV-10',
    what: 'a batch that leaves the longer tail on disk (M-20)',
    tell: ({ followers: [first] }) => {
      const { lastIndex, lastTerm } = first.core.log;
      const entries = [{ ...nextEntry(first, ''), index: lastIndex }];
      const batch = { sequence: 1_000, truncateFrom: null, entries, lastIndex, lastTerm };
      doing(first, { type: 'persist', ...batch });
    },
  },
  {
    oracle: 'INV-11',
    what: 'a configuration in force that is not in the log (M-44)',
    tell: ({ followers: [first] }) => {
      const { core } = first;
      core.configurations.append(core.log.lastIndex, core.configurations.latest.config);
      core.log.append(nextEntry(first, 'any'));
      doing(first);
    },
  },
  {
    oracle: 'INV-12',
    what: 'a read of a state older than what was committed (M-32, M-33)',
    tell: ({ leader }) => {
      leader.watch.stepped({ type: 'read', id: 7 }, []);
      leader.core.appliedIndex -= 1;
      doing(leader, { type: 'readReady', ids: [7] });
    },
  },
  {
    oracle: 'INV-20',
    what: 'a life that starts without what was on its disk (M-79)',
    tell: ({ oracle, followers: [first] }) => {
      const { term, vote } = first.core.hard;
      oracle.watch().started(first.core, { ...first.start, term, vote }, first.machine);
    },
  },
  {
    oracle: 'INV-20',
    what: 'a node that speaks after its disk answered an error (M-66)',
    tell: ({ oracle, leader, ids }) => {
      oracle.writeFailed(ids[0]);
      doing(leader);
      const { term } = leader.core.hard;
      sending(leader, ids[1], { type: 'heartbeat', term, commit: 0, round: 1 });
    },
  },
  {
    oracle: 'INV-20',
    what: 'a life that starts with what was never written',
    tell: ({ oracle, followers: [first] }) => {
      const { core, start, machine } = first;
      const { term, vote } = core.hard;
      const entry = nextEntry(first, 'from nowhere');
      const { index: lastIndex } = entry;
      const log = { tail: [entry], lastIndex, termRuns: [{ firstIndex: 1, term }] };
      oracle.watch().started(core, { ...start, term, vote, ...log }, machine);
    },
  },
];

describe('the oracle of consensus', () => {
  test.each(LIES)('$oracle is broken by $what', async ({ oracle, tell }) => {
    const rig = await createRig(1);
    expect(rig.verdict.violation).toBeNull();
    tell(rig);
    expect(rig.verdict.violation?.oracle, rig.verdict.violation?.message).toBe(oracle);
  });
});
