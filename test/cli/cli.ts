// Starts the program as a user does, from dist, and waits for what it says.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';

/** The program, as it was built. */
export const ENTRY = fileURLToPath(new URL('../../dist/src/cli/entry.cjs', import.meta.url));
const CONFIG_FILE = 'cluster.config.json';
const WAIT = { timeout: 30_000, interval: 10 } as const;

export interface CliOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
}

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<Cli>();

/** Kills what a failed test left running. For use in afterAll. */
export async function endAll(): Promise<void> {
  const left = [...running];
  for (const cli of left) cli.signal('SIGTERM');
  await Promise.all(left.map((cli) => cli.ended));
}

/** A command that runs. */
export class Cli {
  stdout = '';
  stderr = '';
  readonly pid: number;
  readonly ended: Promise<CliResult>;
  private readonly child: ChildProcess;

  constructor(args: readonly string[], options: CliOptions = {}) {
    if (!existsSync(ENTRY)) throw new Error('dist is missing: run npm run build first');
    const environment = { ...process.env, ...options.environment };
    this.child = spawn(process.execPath, [ENTRY, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
      cwd: options.directory,
    });
    this.pid = this.child.pid ?? 0;
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    running.add(this);
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        running.delete(this);
        const { stdout, stderr } = this;
        resolve({ code: code ?? (signal === null ? -1 : -2), stdout, stderr });
      });
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** The first line of stdout or stderr that matches. */
  async line(pattern: RegExp): Promise<string> {
    return vi.waitUntil(() => this.find(pattern), WAIT);
  }

  private find(pattern: RegExp): string | undefined {
    const whole = [this.stdout, this.stderr].map((text) =>
      text.slice(0, text.lastIndexOf('\n') + 1),
    );
    return whole.flatMap((text) => text.split('\n')).find((line) => pattern.test(line));
  }
}

/** Runs a command to its end. */
export function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return new Cli(args, options).ended;
}

/** A cluster of `holdfast up` on free ports. */
export interface UpCluster {
  readonly up: Cli;
  readonly nodes: string;
  readonly root: string;
  readonly configFile: string;
  /** Runs a command against this cluster. */
  cli(...args: string[]): Promise<CliResult>;
  start(...args: string[]): Cli;
  stop(): Promise<CliResult>;
}

/** Starts a cluster in `directory` and waits until a lock can be taken. */
export async function startUp(
  directory: string,
  size = 3,
  options: readonly string[] = [],
): Promise<UpCluster> {
  const kept = join(directory, CONFIG_FILE);
  const configFile = existsSync(kept) ? kept : await writeConfig(directory, await freePorts(size));
  const root = join(directory, 'data');
  const up = new Cli(['up', '--config', configFile, '--data', root, ...options]);
  const ready = await Promise.race([up.line(/^ready /), up.ended]);
  if (typeof ready !== 'string') throw new Error(`no cluster: ${ready.stderr}`);
  const nodes = /nodes=(\S+)$/.exec(ready)?.[1] ?? '';
  const environment = { HOLDFAST_NODES: nodes };
  return {
    up,
    nodes,
    root,
    configFile,
    cli: (...args) => cli(args, { environment }),
    start: (...args) => new Cli(args, { environment }),
    stop: () => {
      up.signal('SIGTERM');
      return up.ended;
    },
  };
}

/** Writes a configuration of one node per port; returns its path. */
export async function writeConfig(directory: string, ports: readonly number[]): Promise<string> {
  const file = join(directory, CONFIG_FILE);
  const nodes = ports.map((port, at) => ({ id: `n${at + 1}`, address: `127.0.0.1:${port}` }));
  writeFileSync(file, JSON.stringify({ name: 'test', nodes, dataDir: './data' }));
  return file;
}

/** Ports that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map(listenAnywhere));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listenAnywhere(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
