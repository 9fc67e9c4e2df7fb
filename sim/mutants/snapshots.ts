// Checkpoints on their way to another node, and what becomes of its state (RAFT.md §9).

import type { MutantGroup } from './types.ts';

const LOADING = 'src/locks/loading.ts';
const RECEIVING = 'src/raft/snapshot-receiving.ts';
const INSTALLING = 'src/node/storage/installing.ts';
const KEEPER = 'src/node/state-keeper.ts';

/** M-23, M-36 … M-38, M-40, M-42, N-33, N-36 … N-39, N-46. */
export const SNAPSHOTS: MutantGroup = {
  planted: [
    {
      id: 'M-23',
      title: 'takes an Append from below the compacted part for a conflict',
      file: 'src/raft/follower.ts',
      find: `if (at > log.anchorIndex && log.termAt(at) !== entry.term) break;`,
      replace: `if (log.termAt(at) !== entry.term) break;`,
    },
    {
      id: 'M-36',
      title: 'leaves the stored answers out of a state that it loads',
      file: LOADING,
      find: `session.records.add(record);`,
      replace: ``,
    },
    {
      id: 'M-37',
      title: 'leaves the waiters out of the queues of a state that it loads',
      file: LOADING,
      find: `if (!enqueue(claim)) {`,
      replace: `if (request.claims.length === 0) {`,
    },
    {
      id: 'M-37b',
      title: 'takes the order of the sessions for that of the waiters when it loads a state',
      file: LOADING,
      find: `const request = new Request(session, index, { ...parts, waitMs });`,
      replace: `const place = kind === 'w' ? session.index + seq : index;
  const request = new Request(session, place, { ...parts, waitMs });`,
    },
    {
      id: 'M-38',
      title: 'merges a snapshot into the rows that are there',
      file: 'src/node/storage/storage.ts',
      find: `meta: { generation: generations.fresh(), checkpoint },`,
      replace: `meta: {
        generation: this.store?.current.generation ?? generations.fresh(),
        checkpoint,
      },`,
    },
    {
      id: 'M-38b',
      title: 'keeps the state that is there when a snapshot replaces it',
      file: 'src/node/lock-state.ts',
      find: `(INV-9)');
    this.held = machine;`,
      replace: `(INV-9)');`,
    },
    {
      id: 'M-40',
      title: 'keeps conflicting entries on disk above an installed snapshot',
      file: INSTALLING,
      find: `const deleted = keepsSuffix ? covered : index.chunks();`,
      replace: `const deleted = covered;`,
    },
    {
      id: 'M-40b',
      title: 'keeps what follows an installed snapshot, whether it agrees or not',
      file: RECEIVING,
      find: `install.keepsSuffix = log.termAt(last.index) === last.term;`,
      replace: `install.keepsSuffix = log.lastIndex > last.index;`,
    },
    {
      id: 'M-42',
      title: 'sets the applied index otherwise than the installed snapshot has it',
      file: 'src/node/snapshot-traffic.ts',
      find: `state.replace(machine, point.last.index);`,
      replace: `state.replace(machine, state.appliedIndex + 1);`,
    },
    {
      id: 'M-42b',
      title: 'installs a snapshot while entries are being applied',
      file: RECEIVING,
      find: `const isBusy = core.applyingIndex !== 0 || core.writes.isBusy;`,
      replace: `const isBusy = core.writes.isBusy;`,
    },
    {
      id: 'N-33',
      title: 'lowers the durable floor to a snapshot that is not installed yet',
      file: INSTALLING,
      find: `return current.checkpoint.point.last;`,
      replace: `return meta.checkpoint.point.last;`,
    },
    {
      id: 'N-36',
      title: 'sends nothing again of a snapshot that got lost',
      file: 'src/node/snapshot-sender.ts',
      find: `this.wentBackUs = this.options.clock.monoUs();
    this.next = this.answered + 1;`,
      replace: `this.wentBackUs = this.options.clock.monoUs();`,
    },
    {
      id: 'N-38',
      title: 'counts no leases of sessions that came with a snapshot',
      file: KEEPER,
      find: `    office.adopt(machine);
`,
      replace: ``,
    },
    {
      id: 'N-39',
      title: 'tells watchers nothing of what a snapshot went past',
      file: KEEPER,
      find: `    watches.restart(appliedIndex);
`,
      replace: ``,
    },
    {
      id: 'N-46',
      title: 'sends rows of a checkpoint without a look at whether all of them are there',
      file: 'src/node/snapshot-pieces.ts',
      find: `const exit = this.sum.add(taken) ?? (isEnd ? this.sum.problem(rowSum) : null);`,
      replace: `const exit = rowSum === '' ? this.sum.problem(rowSum) : null;`,
    },
  ],
  unplanted: [],
};
