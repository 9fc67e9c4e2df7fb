// Backups as the command line takes them, and clusters that are made of them. Beside each goes the
// oracles' model in the state of the backup, so that the restored cluster is judged by it, entry by
// entry, like any other.

import type { Admin } from '../../src/client/admin.ts';
import { restoreCluster } from '../../src/client/restore.ts';
import { embargoMsOf } from '../../src/locks/embargo.ts';
import { createMachineLoader } from '../../src/locks/loader.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { SnapshotMeta, StoredRow } from '../../src/wire/checkpoint.ts';
import { decodeRowValue } from '../../src/wire/rows.ts';
import type { SimCluster } from '../cluster.ts';
import { LockModel } from '../oracle/model.ts';
import type { KeptLocks } from './keeper.ts';
import type { Operator } from './operator.ts';
import { MINUTE_MS } from './settings.ts';

/** Pieces of the work of loading that are done at a time. */
const STEPS = 1_000;

/** What a file of a backup contains, and what must be known of it to judge who is made of it. */
export interface Backup {
  readonly meta: SnapshotMeta;
  readonly rows: readonly StoredRow[];
  readonly kept: KeptLocks;
  /** The model in this state, once for each cluster that descends from this backup. */
  readonly models: LockModel[];
}

/** What an operator's program reads from the leader. */
export type BackupContent = Pick<Backup, 'meta' | 'rows'>;

/** Reads a whole backup. */
export async function takeBackup(admin: Admin): Promise<BackupContent> {
  const open = await admin.beginBackup();
  const rows: StoredRow[] = [];
  for await (const page of open.pages()) rows.push(...page);
  await open.end();
  return { meta: open.meta, rows };
}

/** The state that it holds. */
export function machineOf({ meta, rows }: BackupContent): LockMachine {
  const loader = createMachineLoader(meta.founding.limits);
  loader.add(rows.map(({ key, value }) => ({ key, value: decodeRowValue(value) })));
  for (let isWhole = false; !isWhole;) isWhole = loader.finish(STEPS);
  return loader.machine();
}

/** Brings models that are where the cluster began to the state of its backup. */
export function follow(
  models: readonly LockModel[],
  cluster: SimCluster,
  meta: SnapshotMeta,
): void {
  const { index: end } = meta.checkpoint.point.last;
  for (const { index, term, command } of cluster.oracle.log.entries) {
    if (index > end) return;
    if (command !== null) for (const model of models) model.apply(index, term, command);
  }
}

/** As many as needed, empty. */
export function emptyModels(count: number, { settings }: SimCluster): LockModel[] {
  return Array.from({ length: count }, () => new LockModel(settings.limits));
}

/** Makes the blank nodes a cluster with this state. */
export async function restoreInto(
  cluster: SimCluster,
  operator: Operator,
  backup: Backup,
): Promise<void> {
  const machine = machineOf(backup);
  const embargoMs = embargoMsOf(machine, 0);
  const { clusterName } = cluster.settings;
  await operator.run('a restore', async ({ clock, transport }) => {
    const nodes = cluster.all().map(({ id, address }) => ({ id, address }));
    const none = { tokenFloor: null, onNode: () => {} };
    const plan = { clusterName, nodes, patienceMs: MINUTE_MS, backup: backup.meta, machine };
    await restoreCluster({ clock, transport }, { ...plan, ...none, embargoMs });
  });
}
