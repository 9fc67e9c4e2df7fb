// holdfast up: a cluster on this machine, one process per node.

import { clearDataRoot, prepareDataRoot } from './data-root.ts';
import { deathSignalPrefix } from './death-signal.ts';
import { EXIT, Failure } from './exit-code.ts';
import { LocalCluster } from './local-cluster.ts';
import { keepConfig, localConfig } from './local-config.ts';
import type { LocalOptions } from './local-config.ts';
import { logFile } from './local-node.ts';
import { note, noteLine, printJson, printLine } from './output.ts';
import { addExamples, integerArgument } from './program.ts';
import type { Invocation } from './program.ts';
import { SignalInbox } from './signals.ts';

interface UpOptions extends LocalOptions {
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

Exit code: 0 after a stop that was asked for, 64 usage, 69 no cluster came about, 73 port in use,
78 configuration, 80 directory of another cluster or node, 81 directory in use, 87 some of the
nodes' directories are missing; a node's own code if one ends while starting.`;

/** Adds `up` to the program. */
export function addUpCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('up')
    .description('start a cluster on this machine, one process per node')
    .option('--size <n>', 'number of nodes (default: 3)', integerArgument(1, SIZE_MAX))
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
      invocation.exitCode = await up(options);
    });
  addExamples(command, EXAMPLES);
}

/** Resolves with the exit code. */
async function up(options: UpOptions): Promise<number> {
  const local = localConfig(options);
  const { config, root } = local;
  const dataRoot = { path: root, nodeIds: config.nodes.map((node) => node.id) };
  if (options.fresh === true) await clearDataRoot(dataRoot);
  prepareDataRoot(dataRoot);
  keepConfig(local);
  const prefix = await deathSignalPrefix();
  const inbox = new SignalInbox();
  const cluster = new LocalCluster(local, prefix);
  const onExit = (): void => {
    cluster.kill();
  };
  process.once('exit', onExit);
  try {
    const interrupted = interruption(inbox);
    const leader = await Promise.race([cluster.ready(), interrupted]);
    if (leader !== null) {
      announce(leader, cluster.addresses, options);
      watch(cluster);
      note(`logs are in ${logFile(root, '*')}; Ctrl-C stops the cluster`);
      await Promise.race([cluster.ended(), interrupted]);
      if (inbox.interruption === null) {
        throw new Failure(EXIT.unavailable, 'UNAVAILABLE: every node has ended');
      }
    }
    note('stopping the nodes; this takes at most 10s, a second Ctrl-C kills them');
    return 0;
  } finally {
    await cluster.stop();
    process.off('exit', onExit);
    inbox.close();
  }
}

function announce(leader: string, addresses: readonly string[], options: UpOptions): void {
  const nodes = addresses.join(',');
  if (options.json === true) printJson({ ready: true, leader, nodes: addresses });
  else printLine(`ready leader=${leader} nodes=${nodes}`);
  noteLine(`export HOLDFAST_NODES=${nodes}`);
}

function watch(cluster: LocalCluster): void {
  cluster.onLoss(({ id, how, error }, command) => {
    note(`${id} ended with ${how}${error === null ? '' : `: ${error}`}; start it again with`);
    noteLine(`  ${command}`);
  });
}

function interruption(inbox: SignalInbox): Promise<null> {
  return new Promise((resolve) => {
    inbox.interrupted.addEventListener('abort', () => {
      resolve(null);
    });
  });
}
