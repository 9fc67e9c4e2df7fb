// A throw-away cluster in this process, for tests of programs that use locks. Its nodes are the
// real ones, on real sockets and synced files; only the processes are missing.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryDoor } from '../adapters/memory-door.ts';
import { clearTimeout, setTimeout } from '../adapters/real-timers.ts';
import { HoldfastError } from '../base/error.ts';
import type { Client } from '../client/client.ts';
import { silentLogger } from '../ports/logger.ts';
import type { Logger } from '../ports/logger.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import { parseConfig, requireNode } from './config.ts';
import type { NodeConfig, NodeConfigInput } from './config.ts';
import type { NodeClientOptions } from './embedded-node.ts';
import { freeAddresses } from './free-addresses.ts';
import { PATIENCE_MS, connectWithin, foundWithin } from './own-process.ts';
import { startNode } from './server.ts';
import type { RunningNode } from './server.ts';

/** Size and settings of a throw-away cluster; everything may be left out. */
export interface LocalClusterOptions {
  /** How many, 1 to 7. Default 3. */
  readonly nodes?: number;
  /** Fields of cluster.config.json beside name, nodes and dataDir. */
  readonly config?: Partial<Omit<NodeConfigInput, 'name' | 'nodes' | 'dataDir'>>;
  /** Nothing is logged if left out. */
  readonly logger?: Logger;
}

/** A founded cluster whose nodes are called n1, n2, … */
export interface LocalCluster extends AsyncDisposable {
  /** For `connect`: those of all nodes, dead or alive. */
  readonly addresses: readonly string[];
  /** Of all nodes, `n1` first. */
  readonly ids: readonly string[];
  /** The node that leads and answers, or null while there is none. */
  leader(): string | null;
  /** What a node says of itself; null while it is dead. */
  status(id: string): NodeStatus | null;
  /** Cuts a node off without a goodbye, as if its process were killed; its data stays. */
  kill(id: string): Promise<void>;
  /** Starts a dead node again on its data. */
  restart(id: string): Promise<void>;
  /** Resolves with the leader's id as soon as one answers. */
  ready(): Promise<string>;
  /**
   * A client that reaches all nodes without sockets: for tests that start and end many. Like those
   * of `connect({ nodes: addresses })` in all else; close it yourself.
   */
  client(options?: NodeClientOptions): Promise<Client>;
  /** Stops all nodes and deletes their data. Idempotent. */
  stop(): Promise<void>;
}

const ATTEMPTS_MAX = 3;
const NAME = 'throw-away';

/** Starts and founds a cluster, and waits until it has a leader. */
export async function localCluster(options: LocalClusterOptions = {}): Promise<LocalCluster> {
  for (let attempt = 1; ; attempt++) {
    const config = await throwAwayConfig(options);
    const cluster = new InProcessCluster(config, options.logger ?? silentLogger);
    try {
      await cluster.start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      const isPortTaken = HoldfastError.is(error) && error.code === 'PORT_IN_USE';
      if (!isPortTaken || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

// The directory last: a wrong option must not leave one behind.
async function throwAwayConfig({ nodes: count = 3, config = {} }: LocalClusterOptions) {
  const addresses = await freeAddresses(count);
  const nodes = addresses.map((address, at) => ({ id: `n${at + 1}`, address }));
  const checked = parseConfig({ ...config, name: NAME, nodes }, 'localCluster');
  return { ...checked, dataDir: await mkdtemp(join(tmpdir(), 'holdfast-')) };
}

class InProcessCluster implements LocalCluster {
  readonly ids: readonly string[];
  readonly addresses: readonly string[];
  private readonly config: NodeConfig;
  private readonly logger: Logger;
  private readonly doors: ReadonlyMap<string, MemoryDoor>;
  private readonly running = new Map<string, RunningNode>();
  private stopping: Promise<void> | null = null;

  constructor(config: NodeConfig, logger: Logger) {
    this.config = config;
    this.logger = logger;
    this.ids = config.nodes.map(({ id }) => id);
    this.addresses = config.nodes.map(({ address }) => address);
    this.doors = new Map(
      this.addresses.map((address) => [address, new MemoryDoor(config.sizeLimits)]),
    );
  }

  async start(): Promise<void> {
    for (const id of this.ids) await this.restart(id);
    await foundWithin(this.config, this.doors);
    await this.ready();
  }

  leader(): string | null {
    const leads = ({ host }: RunningNode): boolean => isLeading(host.status());
    return [...this.running.values()].find(leads)?.id ?? null;
  }

  status(id: string): NodeStatus | null {
    return this.running.get(this.known(id))?.status() ?? null;
  }

  async kill(id: string): Promise<void> {
    const node = this.running.get(this.known(id));
    this.running.delete(id);
    await node?.kill();
  }

  async restart(id: string): Promise<void> {
    if (this.running.has(this.known(id))) return;
    const { config, logger } = this;
    const memoryDoor = this.doors.get(requireNode(config, id).address);
    this.running.set(id, await startNode({ config, id, logger, memoryDoor }));
  }

  ready(): Promise<string> {
    return new Promise((resolve, reject) => {
      const endings: (() => void)[] = [];
      const look = (): void => {
        const leader = this.leader();
        if (leader === null) return;
        finish();
        resolve(leader);
      };
      const finish = (): void => {
        for (const ending of endings.splice(0)) ending();
      };
      const timer = setTimeout(() => {
        finish();
        const running = [...this.running.keys()].join(', ');
        const text = `no node led within ${PATIENCE_MS} ms; running: ${running}`;
        reject(new HoldfastError('UNAVAILABLE', text));
      }, PATIENCE_MS);
      endings.push(() => clearTimeout(timer));
      for (const { host } of this.running.values()) endings.push(host.onLeaderChange(look));
      look();
    });
  }

  async client(options: NodeClientOptions = {}): Promise<Client> {
    return connectWithin(this.doors, { ...options, nodes: this.addresses });
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private async stopAll(): Promise<void> {
    const nodes = [...this.running.values()];
    this.running.clear();
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(this.config.dataDir, { recursive: true, force: true });
  }

  private known(id: string): string {
    if (this.ids.includes(id)) return id;
    const list = this.ids.join(', ');
    throw new HoldfastError('INVALID', `expected the id of a node (${list}); got "${id}"`);
  }
}

function isLeading(status: NodeStatus): boolean {
  return status.role === 'leader' && status.isReady;
}
