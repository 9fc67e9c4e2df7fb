// holdfast up: a cluster on this machine, one process per node.

import type { LocalOptions } from './local-config.ts';
import { addExamples, integerArgument } from './program.ts';
import type { Invocation } from './program.ts';

/** What `up` was asked for. */
export interface UpOptions extends LocalOptions {
  readonly json?: true;
}

const SIZE_MAX = 7;
const PORT_MAX = 65_535;

const EXAMPLES = [
  'holdfast up                                  # three nodes, data in ./data',
  'holdfast up --fresh                          # the same, with nothing of before',
  'holdfast up --size 5 --base-port 7201 --data /tmp/five',
];

const EXIT_CODES = `
Prints one line on stdout once a lock can be taken: ready leader=n2 nodes=127.0.0.1:7101,…
A node that ends is not restarted; the command that does is printed. Ctrl-C stops the cluster in
good order, a second one at once.

Exit code: 0 after a stop that was asked for, 64 usage, 69 no cluster came about, or every node of
it has ended, 73 port in use, 78 configuration, 80 directory of another cluster or node, 81
directory in use, 87 some of the nodes' directories are missing; a node's own code if one ends while
starting.`;

/** Adds `up` to the program. */
export function addUpCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('up')
    .description('start a cluster on this machine, one process per node')
    .option(
      '--size <n>',
      'number of nodes, best an odd one (default: 3)',
      integerArgument(1, SIZE_MAX),
    )
    .option(
      '--base-port <port>',
      'port of the first node; the others follow (default: 7101)',
      integerArgument(1, PORT_MAX - SIZE_MAX),
    )
    .option('--data <dir>', 'holds one directory per node (default: ./data)')
    .option('--fresh', "delete the nodes' directories first, and found a new cluster")
    .option('--config <file>', 'configuration file instead of --size and --base-port')
    .option('--json', 'print the line as JSON')
    .addHelpText('after', EXIT_CODES)
    .action(async (options: UpOptions) => {
      const { up } = await import('./up-run.ts');
      await up(options);
    });
  addExamples(command, EXAMPLES);
}
