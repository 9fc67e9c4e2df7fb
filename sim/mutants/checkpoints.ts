// Checkpoints of a node's own state, and the log that they let go (RAFT.md §9).

import type { MutantGroup } from './types.ts';

const WRITER = 'src/node/storage/checkpoint-writer.ts';
const CHECKPOINTER = 'src/node/checkpointer.ts';

/** M-39, M-41, M-81, N-34, N-35, N-37, N-40 … N-42, N-44. */
export const CHECKPOINTS: MutantGroup = {
  planted: [
    {
      id: 'M-39',
      title: 'a checkpoint knows voters only, neither learners nor who was removed',
      file: WRITER,
      find: `yield* forceOps({ generation, checkpoint }, { ...log, storeId });`,
      replace: `const config = { ...checkpoint.point.config, learners: [], retired: [] };
  const point = { ...checkpoint.point, config };
  yield* forceOps({ generation, checkpoint: { ...checkpoint, point } }, { ...log, storeId });`,
    },
    {
      id: 'M-41',
      title: 'cuts the log before the checkpoint is durable',
      file: WRITER,
      find: `keyValue.batch(checkpointOps(store, delta, log), (result) => {`,
      replace: `const firsts = covered?.firsts ?? [];
  keyValue.batch(firsts.map((first) => ({ type: 'delete', key: chunkKey(first) })), () => {});
  keyValue.batch(checkpointOps(store, delta, log), (result) => {`,
    },
    {
      id: 'M-81',
      title: 'takes a second checkpoint before the first is durable',
      file: CHECKPOINTER,
      find: `if (this.isOver || this.isHeld || this.delta !== null) return;`,
      replace: `if (this.isOver || this.isHeld || this.delta?.stage === 'encoding') return;`,
    },
    {
      id: 'N-34',
      title: 'lets a checkpoint pass a cut of the log',
      file: 'src/node/storage/storage.ts',
      find: `this.calls.inTurn({ isUrgent: cut !== null, run }, settle);`,
      replace: `this.calls.inTurn({ run }, settle);`,
    },
    {
      id: 'N-35',
      title: 'a batch of the log does not say how far the checkpoint was',
      file: 'src/node/storage/log-writer.ts',
      find: `const applied = current.checkpoint.point.last.index;`,
      replace: `const applied = 0;`,
    },
    {
      id: 'N-37',
      title: 'forgets entries that wait until a checkpoint is durable',
      file: 'src/node/applier.ts',
      find: `this.waiting = entries.slice(count);`,
      replace: `this.waiting = [];`,
    },
    {
      id: 'N-40',
      title: 'a checkpoint of the old state lands in the rows of an installed one',
      file: CHECKPOINTER,
      find: `    this.isHeld = true;
    if (this.delta?.stage === 'writing') {
      this.onIdle = then;
      return;
    }
    this.delta = null;
    then();`,
      replace: `    then();`,
    },
    {
      id: 'N-41',
      title: 'a checkpoint does not wait until the log is durable up to it',
      file: WRITER,
      find: `return index.termAt(last.index) === last.term;`,
      replace: `return last.index >= 0;`,
    },
    {
      id: 'N-44',
      title: 'a checkpoint waits until the log on disk is as long, whatever it holds',
      file: WRITER,
      find: `return index.termAt(last.index) === last.term;`,
      replace: `return index.lastEntry.index >= last.index;`,
    },
    {
      id: 'N-42',
      title: 'a checkpoint leaves out the rows that are gone',
      file: WRITER,
      find: `for (const row of rows) if (row.value === null) yield stateOp(generation, row);
  `,
      replace: ``,
    },
    {
      id: 'M-84',
      title: 'a changed limit takes effect when appended, not when applied',
      file: 'src/node/replica.ts',
      find: `propose: (list) => this.engine.propose(list),`,
      replace: `propose: (list) => {
      const admission = this.engine.propose(list);
      const { machine, appliedIndex } = this.state;
      for (const { payload } of list.slice(0, admission.accepted)) {
        const command = decodePayload(payload);
        if (command.op === 'setLimits') machine.apply(appliedIndex, admission.term, command);
      }
      return admission;
    },`,
      also: [
        {
          find: `import { clusterSeed } from '../wire/record.ts';`,
          replace: `import { clusterSeed } from '../wire/record.ts';
import { decodePayload } from '../wire/command.ts';`,
        },
      ],
    },
  ],
  unplanted: [],
};
