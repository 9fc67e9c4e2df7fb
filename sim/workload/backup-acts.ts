// A backup as the command line takes it: pages of rows, which must make the state that they claim.

import { createMachineLoader } from '../../src/locks/loader.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { OpenBackup } from '../../src/client/admin.ts';
import { HoldfastError } from '../../src/base/error.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import { RowError } from '../../src/locks/row-reader.ts';
import { decodeRowValue } from '../../src/wire/rows.ts';
import { administer } from './member-acts.ts';
import { track } from './scene.ts';
import type { Scene } from './scene.ts';

const LIMIT_MS = 6_000;
// The node that holds it still is gone, or has forgotten it.
const CODES: readonly ErrorCode[] = ['NOT_LEADER', 'INVALID', 'OUTCOME_UNKNOWN'];
/** Pieces of the work of loading that are done at a time. */
const STEPS = 1_000;

/** Takes a backup, and looks whether it contains what it should. */
export function backup(scene: Scene): Promise<void> {
  return administer(scene, async (admin) => {
    const { oracle } = scene.stage.cluster;
    const least = oracle.log.entries.at(-1)?.index ?? 0;
    const limits = { codes: CODES, limitMs: LIMIT_MS };
    await track(scene, 'take a backup', limits, async () => {
      const open = await admin.beginBackup();
      const machine = await loadAsShipped(scene, open);
      await open.end();
      oracle.checkBackup(open.meta, machine, least);
    });
  });
}

// Rows that are gone from a rotten disk, or lie under another key, show in their sum only. The
// command refuses such a file; where no disk rots, the oracle judges.
async function loadAsShipped(scene: Scene, open: OpenBackup): Promise<LockMachine> {
  const isRotten = scene.stage.cluster.all().some(({ disk }) => disk.isRotten);
  const damaged = new HoldfastError('INVALID', 'the rows do not make the state that they claim');
  try {
    const machine = await load(open);
    if (!isRotten || machine.stateHash() === open.meta.checkpoint.rowSum) return machine;
  } catch (error) {
    if (!isRotten || !(error instanceof RowError)) throw error;
  }
  throw damaged;
}

async function load({ meta, pages }: OpenBackup): Promise<LockMachine> {
  const loader = createMachineLoader(meta.founding.limits);
  for await (const rows of pages()) {
    loader.add(rows.map(({ key, value }) => ({ key, value: decodeRowValue(value) })));
  }
  for (let isWhole = false; !isWhole;) isWhole = loader.finish(STEPS);
  return loader.machine();
}
