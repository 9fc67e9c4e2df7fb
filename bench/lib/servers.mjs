// A cluster of an experiment: three synced nodes in a directory of their own, with what they use of
// processor and memory, and how long their event loops stood still.

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, startCluster } from '../../scripts/lib/local-cluster.mjs';
import { cpuSeconds } from '../../scripts/lib/measuring.mjs';
import { withWill } from './last-will.mjs';
import { largestMib, sumOfCpuSeconds } from './processes.mjs';

const LOOP_DELAY = new URL('./loop-delay.mjs', import.meta.url).href;
/** Longer than a node takes to tell of its loop again. */
const TOLD_MS = 600;

/**
 * Runs `body` with a cluster that is started for it, and ends the cluster whatever happens.
 * `nodeOptions` go into its configuration.
 */
export async function withServers(directory, body, { size = 3, nodeOptions = {} } = {}) {
  const own = await mkdtemp(join(directory, 'cluster-'));
  const execArgv = ['--import', LOOP_DELAY];
  const cluster = await startCluster({
    dir: own,
    size,
    execArgv,
    nodeOptions: { logLevel: 'warn', ...nodeOptions },
  });
  const killAll = () => cluster.processes.forEach((child) => child.kill('SIGKILL'));
  try {
    return await withWill(killAll, () => body(new Servers(cluster)));
  } finally {
    await cluster.stop();
    await rm(own, { recursive: true, force: true });
  }
}

class Servers {
  constructor(cluster) {
    this.cluster = cluster;
    this.addresses = cluster.addresses;
    this.stopMs = 0;
    for (const { id } of cluster.nodes) this.listen(id);
  }

  /** Hears what a process tells of its event loop; again after a node was started again. */
  listen(id) {
    let rest = '';
    this.cluster.processes.get(id).stderr.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('{"loopStopMs"')) continue;
        this.stopMs = Math.max(this.stopMs, JSON.parse(line).loopStopMs);
      }
    });
  }

  /** Waits for the end of a process that was killed, and starts it again. */
  async restart(id) {
    await this.cluster.processes.get(id).ended;
    this.cluster.spawn(id);
    this.listen(id);
  }

  pidOf(id) {
    return this.cluster.processes.get(id).pid;
  }

  get pids() {
    return [...this.cluster.processes.values()].map(({ pid }) => pid);
  }

  /** Processor time of all nodes together, seconds. */
  cpuSeconds() {
    return sumOfCpuSeconds(this.pids);
  }

  /** Processor time of one node, seconds. */
  cpuSecondsOf(id) {
    return cpuSeconds(this.pidOf(id));
  }

  /** Memory of the node that has most of it. */
  residentMib() {
    return largestMib(this.pids);
  }

  /** The longest stop of an event loop since the last call, after all nodes have told of it. */
  async takeStopMs() {
    await sleep(TOLD_MS);
    const { stopMs } = this;
    this.stopMs = 0;
    return stopMs;
  }

  /** The leader's status, when all nodes have what it has. */
  waitAll() {
    return this.cluster.waitAll();
  }
}
