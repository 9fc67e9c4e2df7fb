// Servers for races and tests: found, or installed from Debian's packages; on sockets in a
// directory of their own, ended by process id.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
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
export function findProgram(names, debianPackage) {
  const there = onPath(names);
  if (there !== null) return there;
  const mayInstall = process.getuid?.() === 0 && !existsSync('/run/systemd/system');
  if (mayInstall && onPath(['apt-get']) !== null) {
    const patience = ['-o', 'DPkg::Lock::Timeout=240'];
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...patience, debianPackage];
    // At this run level a package starts no service.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
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

/**
 * Starts a server and resolves with its process once `isReady` resolves with true: unless given,
 * once its socket takes connections. `user` is { uid, gid }, by default that of this process.
 */
export async function startServer(program, words, options) {
  const { socketPath, isReady = () => answers(socketPath), user = {} } = options;
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], ...user });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (said = (said + chunk).slice(-2_000)));
  }
  const end = Date.now() + START_MS;
  while (!(await isReady())) {
    const isOver = child.exitCode !== null || Date.now() > end;
    if (!isOver) continue;
    child.kill('SIGKILL');
    throw new Error(`${program} did not start: ${said}`);
  }
  return child;
}

/** Ends a server; resolves when its process is gone. */
export async function endServer(child, signal = 'SIGTERM') {
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
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...ALSO, ...postgresFolders()];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** Debian has each version of PostgreSQL in a folder of its own; the newest first. */
function postgresFolders() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).map(Number).filter(Number.isFinite) : [];
  return versions.toSorted((left, right) => right - left).map((each) => join(root, `${each}/bin`));
}
