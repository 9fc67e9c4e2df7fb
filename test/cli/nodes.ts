// Nodes of a configuration file that run in this process: a command line cannot tell, and they are
// there at once.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foundCluster } from '../../src/client/founding.ts';
import { withPorts } from '../../src/cli/node-ports.ts';
import { connect } from '../../src/index.ts';
import type { Client } from '../../src/index.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { loadConfig } from '../../src/server/config.ts';
import { startNode } from '../../src/server/server.ts';
import type { RunningNode } from '../../src/server/server.ts';
import { Cli, cli, freePorts } from './cli.ts';
import type { CliResult } from './cli.ts';

const PATIENCE_MS = 30_000;

/** Which nodes to start. */
export interface NodesOptions {
  readonly directory: string;
  readonly ids: readonly string[];
  /** Of the cluster. Default `test`. */
  readonly name?: string;
}

/** The nodes of one configuration file. */
export class Nodes {
  readonly configFile: string;
  readonly addresses: readonly string[];
  /** What the nodes warned of. */
  readonly warnings: readonly string[];
  private readonly running: readonly RunningNode[];

  private constructor(
    configFile: string,
    running: readonly RunningNode[],
    warnings: readonly string[],
  ) {
    this.warnings = warnings;
    this.configFile = configFile;
    this.running = running;
    this.addresses = running.map(({ address }) => address);
  }

  /** Starts them on new directories: each is blank. */
  static async start({ directory, ids, name = 'test' }: NodesOptions): Promise<Nodes> {
    const ports = await freePorts(ids.length);
    const configFile = join(directory, `${name}-${ids.join('-')}.json`);
    const nodes = ids.map((id, at) => ({ id, address: `127.0.0.1:${ports[at] ?? 0}` }));
    const dataDir = `./data-${ports.join('-')}`;
    writeFileSync(configFile, JSON.stringify({ name, nodes, dataDir }));
    const config = loadConfig(configFile);
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const starting = ids.map((id) => startNode({ config, id, logger }));
    return new Nodes(configFile, await Promise.all(starting), warnings);
  }

  /** Makes a cluster of them. */
  async found(): Promise<void> {
    const { name: clusterName, nodes, sessionLimits: limits } = loadConfig(this.configFile);
    const plan = { clusterName, nodes, limits, origin: null, patienceMs: PATIENCE_MS };
    await withPorts((ports) => foundCluster(ports, plan));
  }

  /** Runs a command against them. */
  cli(...args: string[]): Promise<CliResult> {
    return cli([...args, '--config', this.configFile]);
  }

  /** Starts a command that takes its time. */
  start(...args: string[]): Cli {
    return new Cli([...args, '--config', this.configFile]);
  }

  connect(ttlMs: number | null = 10_000): Promise<Client> {
    const { addresses: nodes } = this;
    return connect({ nodes, ttlMs, connectMs: PATIENCE_MS, logger: silentLogger });
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((node) => node.stop()));
  }
}
