// The log: replication and commitment (RAFT.md §7).

import type { MutantGroup } from './types.ts';

const FOLLOWER = 'src/raft/follower.ts';
const COMMIT = 'src/raft/commit.ts';
const PROGRESS = 'src/raft/progress.ts';

/** M-15 … M-31. */
export const REPLICATION: MutantGroup = {
  planted: [
    {
      id: 'M-15',
      title: 'commits entries of earlier terms by counting replicas',
      file: COMMIT,
      find: `if (index <= core.commitIndex || log.termAt(index) !== core.hard.term) return;`,
      replace: `if (index <= core.commitIndex) return;`,
    },
    {
      id: 'M-16',
      title: 'begins a term without an entry of its own',
      file: 'src/raft/leadership.ts',
      find: `appendOwn(core, NOOP);`,
      replace: ``,
    },
    {
      id: 'M-17',
      title: 'commits up to the end of its own log instead of what was compared',
      file: FOLLOWER,
      find: `learnCommit(core, Math.min(append.commit, lastNew));`,
      replace: `learnCommit(core, append.commit);`,
    },
    {
      id: 'M-18',
      title: 'puts the bare commit index into heartbeats',
      file: 'src/raft/replication.ts',
      find: `const commit = Math.min(progress.matchIndex, core.commitIndex);`,
      replace: `const commit = core.commitIndex;`,
    },
    {
      id: 'M-19',
      title: 'cuts the log after each Append, without comparing',
      file: FOLLOWER,
      find: `let at = append.prevIndex + 1;`,
      replace: `let at = Math.max(append.prevIndex, core.commitIndex) + 1;
        if (append.entries.length > 0) return at;`,
    },
    {
      id: 'M-20',
      title: 'overwrites entries on disk and leaves the longer tail behind them',
      file: 'src/node/storage/log-writer.ts',
      find: `const deletes = cut.removed.map(deleteChunk);`,
      replace: `const deletes: KeyValueOp[] = [];`,
    },
    {
      id: 'M-21',
      title: 'acknowledges its whole log instead of what the Append covered',
      file: FOLLOWER,
      find: `match: Math.max(lastNew, core.commitIndex),`,
      replace: `match: log.lastIndex,`,
    },
    {
      id: 'M-22',
      title: 'acknowledges entries on receipt and syncs them later',
      file: 'src/raft/outbox.ts',
      find: `const ack = barrier.takeAck(core.writes.durableIndex);`,
      replace: `const ack = barrier.takeAck(core.log.lastIndex);`,
    },
    {
      id: 'M-24',
      title: 'lets late rejections move the next index below what is known to match',
      file: PROGRESS,
      find: `if (rejectedPrev <= this.matchIndex) return;`,
      replace: ``,
      also: [
        {
          find: `const next = Math.max(this.matchIndex + 1, Math.min(`,
          replace: `const next = Math.max(1, Math.min(`,
        },
      ],
    },
    {
      id: 'M-25',
      title: 'never asks whether a full window was lost',
      file: 'src/raft/acknowledgements.ts',
      find: `} else if (progress.mayPing && progress.matchIndex < log.lastIndex) {`,
      replace: `} else if (
        !progress.inflights.isFull && progress.mayPing && progress.matchIndex < log.lastIndex
      ) {`,
    },
    {
      id: 'M-26',
      title: 'takes half of the voters for a majority',
      file: 'src/raft/quorum.ts',
      find: `return Math.floor(size / 2) + 1;`,
      replace: `return Math.floor(size / 2);`,
    },
    {
      id: 'M-27',
      title: 'counts its own entries before they are on its disk',
      file: COMMIT,
      find: `quorumValue(core, writes.durableIndex, (progress) => progress.countedMatch);`,
      replace: `quorumValue(core, log.lastIndex, (progress) => progress.countedMatch);`,
    },
    {
      id: 'M-28',
      title: 'leaves out what does not fit, and sends what comes after it',
      file: 'src/raft/log.ts',
      find: `const entries = this.tail.slice(from - this.tailFirst, end - this.tailFirst + 1);`,
      replace: `let left = bytesMax;
        const all = this.tail.slice(from - this.tailFirst, last - this.tailFirst + 1);
        const entries = all.filter((entry, at) => {
          if (at > 0 && entryBytes(entry) > left) return false;
          left -= entryBytes(entry);
          return true;
        });`,
    },
    {
      id: 'M-29',
      title: 'applies entries before they are committed',
      file: 'src/raft/apply.ts',
      find: `last: core.commitIndex,`,
      replace: `last: core.log.lastIndex,`,
    },
    {
      id: 'M-29b',
      title: 'takes entries that were loaded for somebody else',
      file: 'src/raft/loader.ts',
      find: `if (this.arrived[0]?.index === stretch.from) return within(this.arrived, stretch);`,
      replace: `if (this.arrived.length > 0) return within(this.arrived, stretch);`,
    },
    {
      id: 'M-30',
      title: 'gives up the search for the common prefix after so many entries',
      file: PROGRESS,
      find: `const next = Math.max(this.matchIndex + 1, Math.min(candidate + 1, rejectedPrev));`,
      replace: `const found = Math.max(this.matchIndex + 1, Math.min(candidate + 1, rejectedPrev));
        const next = this.next - found > 20 ? this.next : found;`,
    },
    {
      id: 'M-31',
      title: 'accepts uncommitted work without limit',
      file: 'src/raft/budget.ts',
      find: `return used === 0 || used + bytes <= limit;`,
      replace: `return true;`,
    },
    {
      id: 'M-31b',
      title: 'never gives back the room that committed work had taken',
      file: 'src/raft/budget.ts',
      find: `this.clientBytes -= charge.clientBytes;`,
      replace: ``,
    },
  ],
  unplanted: [],
};
