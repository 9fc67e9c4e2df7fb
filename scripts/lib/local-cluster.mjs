// A cluster of real node processes for benchmarks and chaos: own ports, own directory, ended by
// process id. Every wait is bounded.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../../dist/src/cli/entry.cjs', import.meta.url));

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until `test` gives something truthy; throws with `what` after `limitMs`. */
export async function until(what, test, limitMs = 30_000) {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await test();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await sleep(20);
  }
}

/** So many ports on the loopback that nobody uses now. */
export async function freePorts(count) {
  const servers = [];
  for (let n = 0; n < count; n++) {
    const server = createServer();
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
  }
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/**
 * Starts and founds a cluster; `dir` null makes a temporary directory that `remove` takes away.
 * `nodeOptions` go into the configuration, `execArgv` to Node.js (`--cpu-prof`); `onMade(cluster)`
 * comes before its first process. No process is left when this rejects.
 */
export async function startCluster({
  size = 3,
  dir = null,
  nodeOptions = {},
  execArgv = [],
  onMade = () => {},
} = {}) {
  const root = dir ?? (await mkdtemp(join(tmpdir(), 'holdfast-')));
  const ports = await freePorts(size);
  const nodes = ports.map((port, n) => ({ id: `n${n + 1}`, address: `127.0.0.1:${port}` }));
  const configFile = join(root, 'cluster.config.json');
  const config = { name: 'local', nodes, dataDir: join(root, 'data'), ...nodeOptions };
  await writeFile(configFile, JSON.stringify(config, null, 2));
  const cluster = new LocalCluster(root, configFile, nodes, {
    isTemporary: dir === null,
    execArgv,
  });
  onMade(cluster);
  try {
    for (const { id } of nodes) cluster.spawn(id);
    await cluster.init();
    await cluster.waitLeader();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

class LocalCluster {
  constructor(root, configFile, nodes, options) {
    Object.assign(this, { root, configFile, nodes, ...options });
    this.dataDir = join(root, 'data');
    this.addresses = nodes.map(({ address }) => address);
    this.processes = new Map();
    /** Configuration files of nodes that came later. */
    this.ownConfigFiles = new Map();
  }

  /** Starts a node with an empty directory that belongs to no cluster yet. */
  async addBlank(id) {
    const [port] = await freePorts(1);
    const node = { id, address: `127.0.0.1:${port}` };
    const config = JSON.parse(await readFile(this.configFile, 'utf8'));
    const file = join(this.root, `${id}.config.json`);
    await writeFile(file, JSON.stringify({ ...config, nodes: [...this.nodes, node] }, null, 2));
    this.ownConfigFiles.set(id, file);
    this.nodes.push(node);
    this.addresses = this.nodes.map(({ address }) => address);
    this.spawn(id);
    await until(`${node.address} answers`, () => fetchStatus(node.address));
    return node;
  }

  /** Ends a node that left the cluster for good. */
  async retire(id) {
    const end = await this.kill(id, 'SIGTERM');
    this.processes.delete(id);
    this.nodes = this.nodes.filter((node) => node.id !== id);
    this.addresses = this.nodes.map(({ address }) => address);
    return end;
  }

  /** Runs a command of the product against the cluster; throws unless it ends with 0. */
  async command(...args) {
    const all = [ENTRY, ...args, '--nodes', this.addresses.join(',')];
    const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (text += chunk));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${text}`);
    return text;
  }

  spawn(id) {
    const configFile = this.ownConfigFiles.get(id) ?? this.configFile;
    const args = [...this.execArgv, ENTRY, 'node', '--id', id, '--config', configFile];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.on('data', (chunk) => {
      log = (log + chunk).slice(-20_000);
    });
    child.lastLog = () => log;
    child.ended = new Promise((resolve) =>
      child.on('exit', (code, signal) => resolve({ code, signal })),
    );
    this.processes.set(id, child);
    return child;
  }

  async init() {
    await Promise.all(
      this.nodes.map(({ address }) => until(`${address} answers`, () => fetchStatus(address))),
    );
    const child = spawn(process.execPath, [ENTRY, 'init', '--config', this.configFile], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (text += chunk));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    if (code !== 0) throw new Error(`init ended with ${code}: ${text}`);
  }

  async statuses() {
    const list = await Promise.all(this.addresses.map(fetchStatus));
    return list.filter((status) => status !== null);
  }

  /** The ready leader of the highest term, once most nodes know it. */
  async waitLeader(limitMs = 30_000) {
    return until(
      'a ready leader',
      async () => {
        const statuses = await this.statuses();
        const leader = statuses
          .filter(({ role, isReady }) => role === 'leader' && isReady)
          .sort((left, right) => right.term - left.term)[0];
        if (leader === undefined) return null;
        const followers = statuses.filter(
          ({ leader: known, term }) => known === leader.id && term === leader.term,
        );
        return followers.length * 2 > this.nodes.length ? leader : null;
      },
      limitMs,
    );
  }

  /** A ready leader that every node follows with all it has committed. */
  async waitAll(limitMs = 30_000) {
    return until(
      'all nodes to follow one leader',
      async () => {
        const leader = await this.waitLeader(limitMs);
        const statuses = await this.statuses();
        const following = statuses.filter(
          ({ leader: known, term, applied }) =>
            known === leader.id && term === leader.term && applied >= leader.commit,
        );
        return following.length === this.nodes.length ? leader : null;
      },
      limitMs,
    );
  }

  kill(id, signal = 'SIGKILL') {
    const child = this.processes.get(id);
    child.kill(signal);
    return child.ended;
  }

  async stop() {
    const ends = [...this.processes.values()].map((child) => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return child.ended;
    });
    const hard = setTimeout(() => {
      for (const child of this.processes.values()) child.kill('SIGKILL');
    }, 10_000);
    await Promise.all(ends);
    clearTimeout(hard);
  }

  async remove() {
    if (this.isTemporary) await rm(this.root, { recursive: true, force: true });
  }
}

/** The node's own status, or null when it does not answer. */
export async function fetchStatus(address) {
  try {
    const response = await fetch(`http://${address}/v1/status`, {
      signal: AbortSignal.timeout(2_000),
    });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
