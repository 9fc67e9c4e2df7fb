// What holdfast restore does. Apart from its declaration: the lock machine and the configuration
// cost a program that needs neither a third of its start.

import { HoldfastError } from '../base/error.ts';
import { restoreCluster } from '../client/restore.ts';
import type { Restored } from '../client/restore.ts';
import { embargoMsOf } from '../locks/embargo.ts';
import { loadConfig } from '../server/config.ts';
import { backupJson, backupText } from './backup.ts';
import { readBackup } from './backup-file.ts';
import { showMs } from './duration.ts';
import { noteAwaited, withPorts } from './node-ports.ts';
import { note, printJson, printLine } from './output.ts';
import type { RestoreOptions } from './restore.ts';

/** Loading a large state takes a node a while. */
const PATIENCE_MS = 60_000;

/** Restores a cluster or completes a restore, and tells how it went. */
export async function restore(path: string, options: RestoreOptions): Promise<void> {
  const config = loadConfig(options.config);
  const backup = await readBackup(path);
  const { clusterName } = backup.header;
  if (clusterName !== config.name) {
    throw new HoldfastError(
      'CONFIG',
      `the backup is of the cluster "${clusterName}", and ${options.config} is of "${config.name}"`,
    );
  }
  const description = backupJson(backup);
  note(backupText(backup));
  const deadMs = deadMsOf(options.deadSince ?? null, Date.now());
  const embargoMs = embargoMsOf(backup.machine, deadMs, options.maxTtl);
  const done = await withPorts((ports) =>
    restoreCluster(ports, {
      clusterName,
      nodes: config.nodes,
      patienceMs: PATIENCE_MS,
      backup: backup.meta,
      machine: backup.machine,
      tokenFloor: options.tokenFloor ?? null,
      embargoMs,
      onNode: (nodeId) => note(`${nodeId} has the state`),
      onWaiting: noteAwaited,
    }),
  );
  if (options.json === true) printJson({ ...done, backup: description });
  else if (done.restored.length === 0) printLine(`already restored: ${done.clusterId}`);
  else printLine(`restored ${done.clusterId} on ${done.restored.join(', ')}`);
  const ignored = ignoredText(done, options);
  if (ignored !== null) note(ignored);
  if (done.embargoMs > 0) {
    note(`nothing is granted for ${showMs(done.embargoMs)} from when a leader is elected`);
  }
}

// The options of the run that made the record count for all nodes: half of them have begun so.
function ignoredText({ isContinued, embargoMs }: Restored, options: RestoreOptions): string | null {
  const { tokenFloor, deadSince, maxTtl } = options;
  const given = Object.entries({
    '--token-floor': tokenFloor,
    '--dead-since': deadSince,
    '--max-ttl': maxTtl,
  }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (!isContinued || given.length === 0) return null;
  const embargo =
    embargoMs === 0 ? 'without an embargo' : `with an embargo of ${showMs(embargoMs)}`;
  return (
    `${given.join(', ')} changed nothing: an earlier run has restored this cluster, ${embargo}; ` +
    'to restore it in another way, begin with empty data directories'
  );
}

/** For how long the old cluster has been dead. Throws INVALID for a death in the future. */
export function deadMsOf(deadSinceMs: number | null, nowMs: number): number {
  const deadMs = deadSinceMs === null ? 0 : nowMs - deadSinceMs;
  if (deadMs >= 0) return deadMs;
  const now = new Date(nowMs).toISOString();
  throw new HoldfastError('INVALID', `--dead-since lies in the future: here it is ${now}`);
}
