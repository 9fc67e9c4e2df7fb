// Linearizable reads (RAFT.md §8).

import type { MutantGroup } from './types.ts';

const READS = 'src/raft/reads.ts';

/** M-32 … M-35. */
export const READING: MutantGroup = {
  planted: [
    {
      id: 'M-32',
      title: 'answers reads without asking a quorum whether it still leads',
      file: READS,
      find: `leader.rounds.gathering.push(id);`,
      replace: `const { commitIndex } = core;
        leader.rounds.confirmed.push({ round: 0, readIndex: commitIndex, ids: [id] });`,
    },
    {
      id: 'M-33',
      title: 'answers reads before an entry of its own term is committed',
      file: READS,
      find: `const mayGather = leader.isReady && leader.rounds.flight === null;`,
      replace: `const mayGather = leader.rounds.flight === null;`,
    },
    {
      id: 'M-34',
      title: 'lets a read join the round that is already out',
      file: READS,
      find: `leader.rounds.gathering.push(id);`,
      replace: `(leader.rounds.flight?.ids ?? leader.rounds.gathering).push(id);`,
    },
  ],
  unplanted: [
    {
      id: 'M-35',
      title: 'a follower answers with what it has applied',
      because: 'waits',
      why: 'for reads from followers: only a leader answers, and a follower says NOT_LEADER',
    },
  ],
};
