/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A node inside another Node.js program, and throw-away clusters for tests.
 *
 * @module holdfast/node
 */

import { HoldfastError } from './base/error.ts';
import { silentLogger } from './ports/logger.ts';
import type { Logger } from './ports/logger.ts';
import { loadConfig, parseConfig } from './server/config.ts';
import type { NodeConfigInput } from './server/config.ts';
import { exitError } from './server/exit.ts';
import { startNode } from './server/server.ts';
import type { RunningNode } from './server/server.ts';
import type { NodeStatus } from './wire/client-messages.ts';

export { localCluster } from './server/local-cluster.ts';
export type { LocalCluster, LocalClusterOptions } from './server/local-cluster.ts';
export { HoldfastError };
export type { Logger, NodeConfigInput, NodeStatus };

/** Which node to be, and where. */
export interface CreateNodeOptions {
  /** The content of cluster.config.json, or the path of the file. */
  readonly config: NodeConfigInput | string;
  /** Which of the configured nodes to be. */
  readonly id: string;
  /** Root of the data; `<dataDir>/<id>/` is used. The configured one if left out. */
  readonly dataDir?: string;
  /** Nothing is logged if left out. */
  readonly logger?: Logger;
}

/** A node in this process. It shares the event loop: long work here is silence to the cluster. */
export interface HoldfastNode extends AsyncDisposable {
  /**
   * Opens the data directory, listens and joins. Rejects with HoldfastError: PORT_IN_USE,
   * DIRECTORY_IN_USE, CLUSTER_CHANGED, STORAGE or CONFIG.
   */
  start(): Promise<void>;
  /** Steps down with a goodbye and closes everything. Idempotent; does nothing before `start`. */
  stop(): Promise<void>;
  /** Null before `start` is done. */
  status(): NodeStatus | null;
  /** Called once with the reason if the node ends by itself, for example when its disk fails. */
  onEnd: (reason: HoldfastError) => void;
}

/** Makes a node; nothing happens before `start`. Throws HoldfastError CONFIG. */
export function createNode(options: CreateNodeOptions): HoldfastNode {
  return new EmbeddedNode(options);
}

class EmbeddedNode implements HoldfastNode {
  onEnd: (reason: HoldfastError) => void = () => {};
  private readonly options: Parameters<typeof startNode>[0];
  private starting: Promise<RunningNode> | null = null;
  private running: RunningNode | null = null;

  constructor({ config, id, dataDir, logger = silentLogger }: CreateNodeOptions) {
    const parsed = typeof config === 'string' ? loadConfig(config) : parseConfig(config);
    this.options = { config: parsed, id, logger, ...(dataDir === undefined ? {} : { dataDir }) };
  }

  async start(): Promise<void> {
    if (this.starting !== null) {
      throw new HoldfastError('CLOSED', 'the node was started before; create another one');
    }
    this.starting = startNode(this.options);
    const node = await this.starting;
    this.running = node;
    void node.ended.then((exit) => this.onEnd(exitError(exit)));
  }

  async stop(): Promise<void> {
    // A start that failed has left nothing to stop, and told its own caller why.
    const node = await this.starting?.catch(() => null);
    await node?.stop();
  }

  status(): NodeStatus | null {
    return this.running?.status() ?? null;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
