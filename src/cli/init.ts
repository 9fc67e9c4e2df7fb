// holdfast init: makes one cluster of the configured nodes, once.

import { foundCluster } from '../client/founding.ts';
import type { FoundingPlan } from '../client/founding.ts';
import type { NodeConfig } from '../server/config.ts';
import { DEFAULT_CONFIG_FILE } from './addresses.ts';
import { noteAwaited, withPorts } from './node-ports.ts';
import { printJson, printLine } from './output.ts';
import { addExamples, addJsonOption } from './program.ts';
import type { Invocation } from './program.ts';

interface InitOptions {
  readonly config: string;
  readonly json?: true;
}

const PATIENCE_MS = 10_000;

const EXIT_CODES = `
Exit code: 0 founded, by this call or before; 64 usage, 69 a node was not reached,
78 configuration, 80 nodes of another cluster.`;

/** Adds `init` to the program. */
export function addInitCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('init')
    .description('found a new cluster of the configured nodes, once; all of them must run')
    .option('--config <file>', 'configuration file that names the nodes', DEFAULT_CONFIG_FILE)
    .addHelpText('after', EXIT_CODES)
    .action(async (options: InitOptions) => {
      const { loadConfig } = await import('../server/config.ts');
      const config = loadConfig(options.config);
      const done = await withPorts((ports) =>
        foundCluster(ports, {
          ...foundingPlan(config, PATIENCE_MS),
          onWaiting: noteAwaited,
        }),
      );
      if (options.json === true) printJson(done);
      else if (done.founded.length === 0) printLine(`already founded: ${done.clusterId}`);
      else printLine(`founded ${done.clusterId} on ${done.founded.join(', ')}`);
    });
  addExamples(addJsonOption(command), [
    'holdfast init',
    'holdfast init --config /etc/holdfast/cluster.config.json',
  ]);
}

/** What a configuration says of the cluster that is to be founded. */
export function foundingPlan(config: NodeConfig, patienceMs: number): FoundingPlan {
  const { name: clusterName, nodes, sessionLimits: limits } = config;
  return { clusterName, nodes, limits, origin: null, patienceMs };
}
