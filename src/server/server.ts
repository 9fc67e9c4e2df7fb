// The composition root of a node: the one place where host, adapters and HTTP meet. Used by the
// command line, by embedding programs and by tests alike.

import type { Server } from 'node:http';
import { createGuestDoor, createOwnDoor } from '../adapters/http-door.ts';
import { createLevelStore } from '../adapters/level-store.ts';
import { createSlotFile } from '../adapters/slot-file.ts';
import { withMemoryDoor } from '../adapters/memory-door.ts';
import type { MemoryDoor } from '../adapters/memory-door.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { createSystemRandom } from '../adapters/system-random.ts';
import { createWsTransport } from '../adapters/ws-transport.ts';
import type { WsTransport } from '../adapters/ws-transport.ts';
import { HoldfastError } from '../base/error.ts';
import { createHost } from '../node/host.ts';
import type { Host, HostExit, HostPorts, HostSettings } from '../node/host-types.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import { requireNode } from './config.ts';
import type { NodeConfig } from './config.ts';
import { logDirectory, makeDirectory, nodeDirectory, slotPaths } from './data-directory.ts';
import { watchFileMembers } from './file-members.ts';
import { createHttpListener } from './http.ts';
import { createHttpServer, isNodePath } from './http-server.ts';
import { createConfiguredLogger } from './logger.ts';
import { NodeMetrics } from './metrics/metrics.ts';
import type { MetricsRegistry } from './metrics/metrics.ts';
import { timedStore } from './metrics/timed-store.ts';
import { occupiedError, showOccupant } from './occupant.ts';
import { packageVersion } from './version.ts';

/** Which node to be, and where. */
export interface NodeOptions {
  readonly config: NodeConfig;
  /** Which of the configured nodes to be. */
  readonly id: string;
  /** Root of the data; the node uses `<dataDir>/<id>/`. The configured one if left out. */
  readonly dataDir?: string;
  /** Lines as JSON on standard error if left out. */
  readonly logger?: Logger;
  /** This machine's if left out. */
  readonly clock?: Clock;
  /** Of the program around the node, see createGuestDoor; one of its own if left out. */
  readonly server?: Server;
  /** Where clients of this process come in; none do if left out. */
  readonly memoryDoor?: MemoryDoor | undefined;
  /** Shows the node's metrics, beside `/metrics`. */
  readonly registry?: MetricsRegistry | undefined;
  /** Whether `/metrics` tells of the process too. */
  readonly hasProcess?: boolean;
}

/** A node that takes part in its cluster, or waits to be founded. */
export interface RunningNode {
  readonly id: string;
  readonly address: string;
  readonly host: Host;
  /** Resolves when the node ends by itself, for example because its disk failed. */
  readonly ended: Promise<HostExit>;
  status(): NodeStatus;
  /**
   * Lets another node lead, unless `transfer` is false; then steps down with a goodbye and closes
   * everything. Idempotent.
   */
  stop(options?: { readonly transfer?: boolean }): Promise<void>;
  /** Drops every connection first, like a process that is killed; then closes. */
  kill(): Promise<void>;
}

/** Starts a node. Rejects with HoldfastError; nothing is left running or open then. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { config, id, dataDir = config.dataDir } = options;
  const { address } = requireNode(config, id);
  const directory = nodeDirectory(dataDir, id);
  makeDirectory(directory);
  const { door, transport } = wayIn(options, address);
  const { clock = createSystemClock(), registry, hasProcess } = options;
  const metrics = new NodeMetrics({ clock, registry, hasProcess });
  const ports: HostPorts = {
    clock,
    random: createSystemRandom(),
    transport,
    keyValue: timedStore(createLevelStore(logDirectory(directory)), clock, metrics.onBatch),
    slots: slotFiles(directory),
    logger: options.logger ?? createConfiguredLogger(config, id),
    watch: metrics.tally,
  };
  const host = createHost(hostSettings(config, id), ports);
  metrics.show({ status: () => host.status(), links: () => transport.counts() });
  door.answerWith(httpListener({ config, host, ports, metrics }));
  const ended = new Promise<HostExit>((resolve) => (host.onExit = resolve));
  const exit = await new Promise<HostExit | null>((done) => host.start(done));
  if (exit !== null) {
    metrics.stop();
    throw await occupiedError(exit, { directory, address });
  }
  showOccupant(directory);
  watchFileMembers({ host, nodes: config.nodes, logger: ports.logger });
  return new NodeHandle({ id, address, host, transport, ended, metrics });
}

/** How requests and links come in. */
function wayIn({ config, server, memoryDoor }: NodeOptions, address: string) {
  const { allowedOrigins, sizeLimits: limits } = config;
  if (server !== undefined && 'setSecureContext' in server) {
    const text =
      'server: nodes and clients dial without TLS; put a proxy before a plain http.Server';
    throw new HoldfastError('CONFIG', text);
  }
  const door =
    server === undefined
      ? createOwnDoor(createHttpServer(limits), address)
      : createGuestDoor(server, isNodePath);
  const transport = createWsTransport({ listen: { door, allowedOrigins }, limits });
  const isAlone = memoryDoor === undefined;
  return { door, transport: isAlone ? transport : withMemoryDoor(transport, memoryDoor) };
}

interface NodeParts {
  readonly id: string;
  readonly address: string;
  readonly host: Host;
  readonly transport: WsTransport;
  readonly ended: Promise<HostExit>;
  readonly metrics: NodeMetrics;
}

class NodeHandle implements RunningNode {
  readonly id: string;
  readonly address: string;
  readonly host: Host;
  readonly ended: Promise<HostExit>;
  private readonly transport: WsTransport;
  private readonly metrics: NodeMetrics;
  private stopping: Promise<void> | null = null;

  constructor(parts: NodeParts) {
    this.id = parts.id;
    this.address = parts.address;
    this.host = parts.host;
    this.ended = parts.ended;
    this.metrics = parts.metrics;
    this.transport = parts.transport;
  }

  status(): NodeStatus {
    return this.host.status();
  }

  stop(options: { readonly transfer?: boolean } = {}): Promise<void> {
    this.stopping ??= new Promise<void>((done) => this.host.stop(done, options)).then(() => {
      this.metrics.stop();
    });
    return this.stopping;
  }

  async kill(): Promise<void> {
    await new Promise<void>((done) => this.transport.destroy(done));
    await this.stop();
  }
}

function hostSettings(config: NodeConfig, id: string): HostSettings {
  const { sizeLimits, checkpoints } = config;
  return {
    nodeId: id,
    clusterName: config.name,
    nodes: config.nodes,
    heartbeatMs: config.heartbeatMs,
    electionMs: config.electionMs,
    limits: config.sessionLimits,
    reserveBytes: sizeLimits.reserveBytes,
    linkCommandsMax: sizeLimits.linkCommandsMax,
    linkBytesMax: sizeLimits.linkBytesMax,
    checkpoints,
    scrub: { bytes: checkpoints.scrubBytes, periodMs: checkpoints.scrubPeriodMs },
    pid: process.pid,
    version: packageVersion(),
  };
}

interface Answering {
  readonly config: NodeConfig;
  readonly host: Host;
  readonly ports: HostPorts;
  readonly metrics: NodeMetrics;
}

function httpListener({ config, host, ports, metrics }: Answering) {
  const { redirect, allowedOrigins, sizeLimits, nodes } = config;
  return createHttpListener({
    host,
    clock: ports.clock,
    random: ports.random,
    logger: ports.logger,
    redirect,
    allowedOrigins,
    bodyBytesMax: sizeLimits.httpBodyBytesMax,
    answerMs: sizeLimits.httpAnswerMs,
    watches: { openMax: sizeLimits.httpWatchesMax, unreadBytesMax: sizeLimits.httpWatchBytesMax },
    metrics,
    advertised: (nodeId) => nodes.find(({ id }) => id === nodeId)?.advertise ?? null,
  });
}

function slotFiles(directory: string): HostPorts['slots'] {
  const [first, second] = slotPaths(directory);
  return [createSlotFile(first), createSlotFile(second)];
}
