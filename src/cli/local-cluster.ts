// The nodes of `holdfast up`: started, founded, watched, stopped.

import { setTimeout as delay } from 'node:timers/promises';
import { foundCluster } from '../client/founding.ts';
import type { SingleRequestPorts } from '../client/single-request.ts';
import { connect } from '../index.ts';
import { silentLogger } from '../ports/logger.ts';
import { EXIT, Failure } from './exit-code.ts';
import { foundingPlan } from './init.ts';
import { startLocalNode } from './local-node.ts';
import type { LocalNode, NodeEnd } from './local-node.ts';
import type { LocalConfig } from './local-config.ts';
import { withPorts } from './node-ports.ts';
import { askStatuses, leaderOf } from './node-status.ts';

/** How long a cluster may take to be there: recovery of a large log included. */
const START_MS = 60_000;
/** How long a node may take to stop in good order, then it is killed. */
const STOP_MS = 10_000;
const STATUS_MS = 2_000;
const LOOK_AGAIN_MS = 50;

/** The processes of a local cluster; making one starts them. */
export class LocalCluster {
  private readonly local: LocalConfig;
  private readonly nodes: readonly LocalNode[];
  private isStopping = false;

  constructor(local: LocalConfig, prefix: readonly string[]) {
    this.local = local;
    this.nodes = local.config.nodes.map(({ id }) =>
      startLocalNode({ id, configFile: local.file, root: local.root, prefix }),
    );
  }

  get addresses(): string[] {
    return this.local.config.nodes.map((node) => node.address);
  }

  /**
   * Founds the cluster unless it is one already, and resolves with the leader's id once the
   * leader answers a linearizable read: the next lock can be taken. Rejects with a Failure of the
   * node's exit code when a node ends before.
   */
  async ready(): Promise<string> {
    return Promise.race([this.start(), this.firstFailure()]);
  }

  /** Calls back for every node that ends without being told to. */
  onLoss(listener: (end: NodeEnd, command: string) => void): void {
    for (const node of this.nodes) {
      void node.ended.then((end) => {
        if (!this.isStopping) listener(end, node.command);
      });
    }
  }

  /** Resolves when every node has ended, by whatever cause. */
  async ended(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.ended));
  }

  /** SIGTERM to every node, SIGKILL to those that take too long. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const node of this.nodes) node.signal('SIGTERM');
    const controller = new AbortController();
    const patience = delay(STOP_MS, null, { signal: controller.signal }).catch(() => null);
    await Promise.race([this.ended(), patience]);
    controller.abort();
    this.kill();
    await this.ended();
  }

  /** SIGKILL to every node that is left. */
  kill(): void {
    this.isStopping = true;
    for (const node of this.nodes) node.signal('SIGKILL');
  }

  private async start(): Promise<string> {
    const { config } = this.local;
    return withPorts(async (ports) => {
      await this.allThere(ports);
      await foundCluster(ports, foundingPlan(config, START_MS));
      const client = await connect({
        nodes: this.addresses,
        name: 'holdfast up',
        connectMs: START_MS,
        requestMs: START_MS,
        logger: silentLogger,
      });
      try {
        await client.inspect('holdfast');
      } finally {
        await client.close();
      }
      const leader = leaderOf(await askStatuses(ports, this.addresses, STATUS_MS));
      return leader?.status?.nodeId ?? '?';
    });
  }

  /**
   * Resolves when our own nodes answer at all addresses. Another process that answers there would
   * be founded, or be called ready, in the place of a node of ours that is about to fail.
   */
  private async allThere(ports: SingleRequestPorts): Promise<void> {
    const giveUpMs = performance.now() + START_MS;
    while (!this.isStopping) {
      const reports = await askStatuses(ports, this.addresses, STATUS_MS);
      const other = reports.find(({ status }, at) => status?.pid !== this.nodes[at]?.pid);
      if (other === undefined) return;
      if (performance.now() >= giveUpMs) {
        const { address, status, problem } = other;
        const found = problem ?? `process ${status.pid} answers there`;
        throw new Failure(EXIT.unavailable, `UNAVAILABLE: no node of ours at ${address}: ${found}`);
      }
      await delay(LOOK_AGAIN_MS);
    }
    throw new Failure(EXIT.unavailable, 'UNAVAILABLE: the nodes were stopped while starting');
  }

  private async firstFailure(): Promise<never> {
    const { id, exitCode, how, error } = await Promise.race(this.nodes.map((node) => node.ended));
    throw new Failure(
      exitCode === 0 ? EXIT.unavailable : exitCode,
      error === null ? `UNAVAILABLE: ${id} ended with ${how} while starting` : `${error} (${id})`,
    );
  }
}
