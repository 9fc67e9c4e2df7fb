// holdfast restore: a new cluster that begins with the state of a backup.

import { InvalidArgumentError } from 'commander';
import { HoldfastError } from '../base/error.ts';
import { restoreCluster } from '../client/restore.ts';
import type { Restored } from '../client/restore.ts';
import { embargoMsOf } from '../locks/embargo.ts';
import { loadConfig } from '../server/config.ts';
import { DEFAULT_CONFIG_FILE } from './addresses.ts';
import { backupJson, backupText } from './backup.ts';
import { readBackup } from './backup-file.ts';
import { showMs } from './duration.ts';
import { noteAwaited, withPorts } from './node-ports.ts';
import { note, printJson, printLine } from './output.ts';
import { addExamples, addJsonOption, durationArgument, integerArgument } from './program.ts';
import type { Invocation } from './program.ts';

interface RestoreOptions {
  readonly config: string;
  readonly tokenFloor?: number;
  readonly deadSince?: number;
  readonly maxTtl?: number;
  readonly json?: true;
}

/** Loading a large state takes a node a while. */
const PATIENCE_MS = 60_000;

const NOTES = `
All nodes of the configuration file must run, and none may have data. STOP EVERY NODE OF THE OLD
CLUSTER FIRST: one that still runs renews the leases of its clients, and two clusters would grant
the same locks.

What becomes of the state: sessions with a TTL are gone with all that they held; grants of sessions
without TTL are kept, and must be broken one by one if their holders are gone. The new cluster has
an id of its own: clients that still run end with CLUSTER_CHANGED and begin anew. Every token is
larger than all that the old cluster issued: the log begins above the backup and above what the
clock of the first node implies.

The embargo: clients of the old cluster may believe in their locks until their TTL is over, so for
the highest TTL that the backup knows nothing is granted; who asks waits in the queue.
  --dead-since TIME  shortens it: since when no node of the old cluster has answered anybody, such
                     as 2026-11-30T04:05:00Z. Only what you know: too early a time breaks locks.
  --max-ttl D        lengthens it: if a longer TTL was allowed after the backup was made. The file
                     does not learn of it: say it again whenever it is restored.
  --token-floor T    tokens begin above T: for a machine whose clock was or is wrong.

If it is interrupted, or a node was not reached, run it again with the same file: it completes what
it began, with the embargo and the token floor of the first run, whatever this one is given.

Exit code: 0 restored, by this call or before; 64 usage, 65 the file is no whole backup, 69 a node
was not reached, 78 configuration, 80 a node has data of another cluster. Nothing is changed by 64,
65, 78 and 80.`;

/** Adds `restore` to the program. */
export function addRestoreCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('restore')
    .description('make a new cluster of blank nodes with the state of a backup')
    .argument('<file>', 'the backup; see holdfast backup')
    .option('--config <file>', 'configuration file that names the nodes', DEFAULT_CONFIG_FILE)
    .option(
      '--token-floor <token>',
      'tokens begin above it',
      integerArgument(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--dead-since <time>', 'since when the old cluster answers nobody', timeArgument)
    .option('--max-ttl <duration>', 'longest TTL in the old cluster', durationArgument)
    .addHelpText('after', NOTES)
    .action(restore);
  addExamples(addJsonOption(command), [
    'holdfast restore /backups/holdfast-monday',
    'holdfast restore /backups/holdfast-monday --dead-since 2026-11-30T04:05:00Z',
  ]);
}

async function restore(path: string, options: RestoreOptions): Promise<void> {
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

// A zone must be said: an hour more or less would break locks.
function timeArgument(text: string): number {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
  const ms = form.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError('expected a time with its zone, such as 2026-11-30T04:05:00Z.');
}
