import { awaitUnused, clearDataRoot, prepareDataRoot } from './data-root.ts';
import { deathSignalPrefix } from './death-signal.ts';
import { EXIT, Failure } from './exit-code.ts';
import { LocalCluster } from './local-cluster.ts';
import { keepConfig, localConfig } from './local-config.ts';
import { logFile } from './local-node.ts';
import { note, noteLine, printJson, printLine } from './output.ts';
import { SignalInbox } from './signals.ts';
import type { UpOptions } from './up.ts';

/**
 * Starts a local cluster and watches it until a signal stops it. Rejects with a Failure when it
 * does not come about, or when every node has ended.
 */
export async function up(options: UpOptions): Promise<void> {
  const local = localConfig(options);
  const { config, root } = local;
  if (config.nodes.length % 2 === 0) note(evenText(config.nodes.length));
  const dataRoot = { path: root, nodeIds: config.nodes.map((node) => node.id) };
  // Before anything is written: the files of a cluster that runs are not ours to touch.
  await awaitUnused(dataRoot);
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
  } finally {
    await cluster.stop();
    process.off('exit', onExit);
    inbox.close();
  }
}

// A majority of four is three: whatever stops a cluster of three stops it too.
function evenText(size: number): string {
  const lossMax = size / 2 - 1;
  return `${size} nodes survive the loss of ${lossMax}, as many as ${size - 1} do`;
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
