// Disks (RAFT.md §15).

import type { MutantGroup } from './types.ts';

/** M-64 … M-67, M-78 … M-80. */
export const STORAGE: MutantGroup = {
  planted: [
    {
      id: 'M-64',
      title: 'writes term and vote without waiting for either slot',
      file: 'src/node/storage/hard-state.ts',
      find: `this.slots[0].write(bytes, (first) => {`,
      replace: `const isFounded = this.onDisk.clusterId !== null;
        if (isFounded) {
          this.slots[0].write(bytes, () => {});
          this.slots[1].write(bytes, () => {});
          const done = { ok: true, value: undefined };
          this.slots[0].read(() => this.finish(waiting, record, done));
        } else this.slots[0].write(bytes, (first) => {`,
    },
    {
      id: 'M-66',
      title: 'goes on after a write that failed',
      file: 'src/node/engine.ts',
      find: `else this.fail({ exitCode: result.exit.exitCode, message: result.exit.message });`,
      replace: `else then(result.value);`,
    },
    {
      id: 'M-78',
      title: 'writes the two slots in turns, one for each version',
      file: 'src/node/storage/hard-state.ts',
      find: `this.slots[0].write(bytes, (first) => {`,
      replace: `return this.slots[record.version % 2].write(bytes, (only) => {
          this.finish(waiting, record, only);
        });
        this.slots[0].write(bytes, (first) => {`,
    },
    {
      id: 'M-79',
      title: 'does not compare the log with what its last batch said of its end',
      file: 'src/node/storage/verify.ts',
      find: `if (end.index !== tail.lastIndex || end.term !== tail.lastTerm) {`,
      replace: `if (end.index > tail.lastIndex) {`,
    },
    {
      id: 'M-80',
      title: 'keeps the whole batch that a cut falls into',
      file: 'src/node/storage/log-writer.ts',
      find: `if (cut.trimmed === null) return this.submit(deletes, batch, done);`,
      replace: `return this.submit(deletes, batch, done);`,
    },
  ],
  unplanted: [
    {
      id: 'M-65',
      title: 'does not sync batches of the log, or clears instead of cutting',
      because: 'elsewhere',
      why:
        'the adapter is below the simulated ports: test/storage/level-files.test.ts M-65 sees ' +
        'every call to LevelDB; test/storage/crash.test.ts M-65 shows that the simulated disk ' +
        'would tell',
    },
    {
      id: 'M-67',
      title: 'accepts messages of another cluster',
      because: 'elsewhere',
      why:
        'a script has one cluster: test/node/handshake.test.ts M-67 and ' +
        'test/node/client-link.test.ts M-67 bring two together',
    },
  ],
};
