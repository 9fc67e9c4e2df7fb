// holdfast node: one node, for production. Its log goes to stderr as JSON lines.

import { DEFAULT_CONFIG_FILE } from './addresses.ts';
import { addExamples } from './program.ts';
import type { Invocation } from './program.ts';

/** What `node` was asked for. */
export interface NodeOptions {
  readonly id: string;
  readonly config: string;
  readonly data?: string;
  readonly insecure?: boolean;
}

const EXIT_CODES = `
SIGTERM or Ctrl-C stops it in good order: a leader hands over first. A second one stops it at once.

Exit code: 0 after a stop that was asked for, 64 usage, 73 port in use, 78 configuration,
80 directory of another cluster or node, 81 directory in use, 82 hard state damaged, 83 log damaged,
84 log shorter than what was known to be on disk, 85 a write or sync failed, 86 format too new,
88 its state differs from that of the other nodes. docs/operations.md has a remedy for each.`;

/** Adds `node` to the program. */
export function addNodeCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('node')
    .description('run one node of a cluster')
    .requiredOption('--id <id>', 'which of the configured nodes to be')
    .option('--config <file>', 'configuration file', DEFAULT_CONFIG_FILE)
    .option('--data <dir>', 'data root instead of the configured one; the node uses DIR/<id>')
    .option('--insecure', 'allow addresses beyond this machine, without encryption')
    .addHelpText('after', EXIT_CODES)
    .action(async (options: NodeOptions) => {
      // Loaded only here: a lock is taken faster without all that a node needs.
      const { runNode } = await import('./node-run.ts');
      await runNode(options);
    });
  addExamples(command, ['holdfast node --id n1', 'holdfast node --id n2 --data /var/lib/holdfast']);
}
