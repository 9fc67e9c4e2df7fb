// Real servers for races and tests: from Debian's packages, on sockets in a directory of their own,
// ended by process id.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';

const INSTALL_MS = 300_000;
const START_MS = 30_000;
/** Where servers are, though it may not be on the path of a user. */
const ALSO = ['/usr/sbin', '/usr/local/sbin'];

/**
 * Where the first of the programs is. Where none is, and the package may be installed (as root,
 * with apt, where nothing would start it as a service), it is. Null: there is none, which is said,
 * and what needs it is to be skipped.
 */
function findProgram(names, debianPackage) {
  const there = onPath(names);
  if (there !== null) return there;
  const mayInstall = process.getuid?.() === 0 && !existsSync('/run/systemd/system');
  if (mayInstall && onPath(['apt-get']) !== null) {
    const patience = ['-o', 'DPkg::Lock::Timeout=240'];
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...patience, debianPackage];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const words of [['update', '-qq'], install]) {
      spawnSync('apt-get', words, { stdio: 'ignore', timeout: INSTALL_MS, env });
    }
  }
  const installed = onPath(names);
  if (installed === null) {
    console.warn(`No ${names[0]} here (apt-get install ${debianPackage}): its tests are skipped.`);
  }
  return installed;
}

/** Where redis-server is, or null. */
export function findRedis() {
  return findProgram(['redis-server'], 'redis-server');
}

/**
 * A Redis of its own in `dir`, on the socket `path`. With `isDurable` it syncs an append-only file
 * before it answers. `restart` kills it and starts it on the same data.
 */
export async function startRedis(program, dir, isDurable = false) {
  const path = join(dir, 'redis.sock');
  const durable = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
  const words = ['--port', '0', '--unixsocket', path, '--dir', dir, '--save', '', ...durable];
  const start = () => startServer(program, words, path);
  let child = await start();
  return {
    path,
    stop: () => endServer(child),
    restart: async () => {
      await endServer(child, 'SIGKILL');
      child = await start();
    },
  };
}

/** Starts a server and resolves with its process once its socket takes connections. */
async function startServer(program, words, socketPath) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (said = (said + chunk).slice(-2_000)));
  }
  const end = Date.now() + START_MS;
  while (!(await answers(socketPath))) {
    const isOver = child.exitCode !== null || Date.now() > end;
    if (!isOver) continue;
    child.kill('SIGKILL');
    throw new Error(`${program} did not start: ${said}`);
  }
  return child;
}

/** Ends a server; resolves when its process is gone. */
async function endServer(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const killing = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(killing);
}

function answers(socketPath) {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const over = (isThere) => {
      socket.destroy();
      setTimeout(resolve, isThere ? 0 : 20, isThere);
    };
    socket.once('connect', () => over(true));
    socket.once('error', () => over(false));
  });
}

function onPath(names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...ALSO];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}
