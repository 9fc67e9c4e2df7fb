// A node as a program has it that carries it: started, stopped and started again, as often as it
// likes, with clients that need no socket.

import type { Server } from 'node:http';
import { MemoryDoor } from '../adapters/memory-door.ts';
import type { ConnectOptions } from '../adapters/system-client.ts';
import { HoldfastError } from '../base/error.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../ports/clock.ts';
import { silentLogger } from '../ports/logger.ts';
import type { Logger } from '../ports/logger.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import { loadConfig, parseConfig, requireNode } from './config.ts';
import type { NodeConfig, NodeConfigInput } from './config.ts';
import { exitError } from './exit.ts';
import { connectWithin, foundWithin } from './own-process.ts';
import type { Doors } from './own-process.ts';
import type { MetricsRegistry } from './metrics/metrics.ts';
import { startNode } from './server.ts';
import type { NodeOptions, RunningNode } from './server.ts';

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
  /**
   * Where the node reads time and sets alarms; this machine's clocks if left out. Its time must
   * pass as real time does, or leases last longer or shorter than everybody believes.
   */
  readonly clock?: Clock;
  /**
   * A server of your program that listens, now or later, where the configuration says that this
   * node is. The node answers its own paths there (`/v1/…`, `/livez`, `/readyz`, `/leaderz`,
   * `/metrics`); all else goes to your listeners. The node never closes it. Without: a server of
   * the node's own. No https.Server: nodes and clients dial without TLS.
   */
  readonly server?: Server;
  /**
   * Where the node's metrics are shown beside its own `/metrics`, while it runs: a Registry of
   * prom-client, for example. One for each node: the names of two would be the same. Without: only
   * at `/metrics`.
   */
  readonly registry?: MetricsRegistry;
}

/** A client's options, without the addresses, which the node knows. */
export type NodeClientOptions = Omit<ConnectOptions, 'nodes'>;

/** How a node ends. */
export interface StopOptions {
  /**
   * Whether a leader first lets another node lead, which takes one round trip if one can, and at
   * most electionMs if none can. Default true; false: the others elect somebody, which takes a
   * moment longer for their clients.
   */
  readonly transfer?: boolean;
}

/** How long to wait for the other nodes. */
export interface FoundOptions {
  /** How long each node may take to be there and to answer, in milliseconds. Default 30,000. */
  readonly patienceMs?: number;
}

/** A node in this process. It shares the event loop: long work here is silence to the cluster. */
export interface HoldfastNode extends AsyncDisposable {
  /**
   * Opens the data directory, listens and joins; after a stop, once again. Rejects with
   * HoldfastError: PORT_IN_USE and DIRECTORY_IN_USE, which name who is there (`details`: address
   * or directory, pid), CLUSTER_CHANGED, STORAGE, CONFIG, and INVALID while the node runs or
   * its registry shows another node.
   */
  start(): Promise<void>;
  /** Steps down with a goodbye and closes everything. Idempotent; does nothing before `start`. */
  stop(options?: StopOptions): Promise<void>;
  /** Null before `start` is done. After a stop, what the node said last. */
  status(): NodeStatus | null;
  /**
   * Founds the cluster of the configuration once all its nodes run, like `holdfast init`. Does
   * nothing where it is founded already. Rejects with UNAVAILABLE when a node was not reached,
   * CLUSTER_CHANGED when one belongs to another cluster.
   */
  found(options?: FoundOptions): Promise<void>;
  /**
   * A client that reaches this node without a socket, and the others over the network. Resolves
   * once a leader is found, and rejects like `connect`. It outlives a stop of the node, during
   * which it works with the others: close it yourself.
   */
  client(options?: NodeClientOptions): Promise<Client>;
  /** Called with the reason if the node ends by itself, for example when its disk fails. */
  onEnd: (reason: HoldfastError) => void;
}

/** See HoldfastNode. Throws HoldfastError CONFIG. */
export class EmbeddedNode implements HoldfastNode {
  onEnd: (reason: HoldfastError) => void = () => {};
  private readonly config: NodeConfig;
  private readonly options: NodeOptions;
  private readonly doors: Doors;
  /** The last start or stop that was asked for: each begins when the one before is over. */
  private last: Promise<void> = Promise.resolve();
  private running: RunningNode | null = null;
  private latest: RunningNode | null = null;

  constructor(given: CreateNodeOptions) {
    const { config, logger = silentLogger, ...others } = given;
    this.config = typeof config === 'string' ? loadConfig(config) : parseConfig(config);
    const memoryDoor = new MemoryDoor(this.config.sizeLimits);
    this.options = { ...others, config: this.config, logger, memoryDoor };
    this.doors = new Map([[requireNode(this.config, given.id).address, memoryDoor]]);
  }

  start(): Promise<void> {
    return this.inTurn(() => this.begin());
  }

  stop(options: StopOptions = {}): Promise<void> {
    return this.inTurn(() => this.end(options));
  }

  status(): NodeStatus | null {
    return this.latest?.status() ?? null;
  }

  found({ patienceMs }: FoundOptions = {}): Promise<void> {
    return foundWithin(this.config, this.doors, patienceMs);
  }

  async client(options: NodeClientOptions = {}): Promise<Client> {
    const nodes = this.config.nodes.map(({ address }) => address);
    return connectWithin(this.doors, { ...options, nodes });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    const turn = this.last.then(step);
    // Whoever asked for it is told how it went; the next one begins in any case.
    this.last = turn.catch(() => {});
    return turn;
  }

  private async begin(): Promise<void> {
    if (this.running !== null) {
      throw new HoldfastError('INVALID', `${this.options.id} is started already; stop it first`);
    }
    const node = await startNode(this.options);
    this.running = this.latest = node;
    void node.ended.then((exit) => {
      void this.inTurn(() => this.leave(node, {}));
      this.onEnd(exitError(exit));
    });
  }

  private async end(options: StopOptions): Promise<void> {
    if (this.running !== null) await this.leave(this.running, options);
  }

  private async leave(node: RunningNode, options: StopOptions): Promise<void> {
    await node.stop(options);
    if (this.running === node) this.running = null;
  }
}
