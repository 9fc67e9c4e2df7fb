// holdfast restore: a new cluster that begins with the state of a backup.

import { InvalidArgumentError } from 'commander';
import { DEFAULT_CONFIG_FILE } from './addresses.ts';
import { addExamples, addJsonOption, durationArgument, integerArgument } from './program.ts';
import type { Invocation } from './program.ts';

/** What follows the file. */
export interface RestoreOptions {
  readonly config: string;
  readonly tokenFloor?: number;
  readonly deadSince?: number;
  readonly maxTtl?: number;
  readonly json?: true;
}

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
    .action(async (path: string, options: RestoreOptions) => {
      const { restore } = await import('./restore-run.ts');
      await restore(path, options);
    });
  addExamples(addJsonOption(command), [
    'holdfast restore /backups/holdfast-monday',
    'holdfast restore /backups/holdfast-monday --dead-since 2026-11-30T04:05:00Z',
  ]);
}

// A zone must be said: an hour more or less would break locks.
function timeArgument(text: string): number {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
  const ms = form.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidArgumentError('expected a time with its zone, such as 2026-11-30T04:05:00Z.');
}
