// Real databases for races and tests, each a process of its own in a directory of its own.

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endServer, findProgram, startServer } from './servers.mjs';

const SETUP_MS = 120_000;
const LOOK_AGAIN_MS = 20;

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
  const start = () => startServer(program, words, { socketPath: path });
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

/** Where PostgreSQL's server is, or null. */
export function findPostgres() {
  return findProgram(['postgres'], 'postgresql');
}

/**
 * A PostgreSQL of its own in `dir`. `connection` is what pg wants to know, for its superuser.
 * `restart` ends it without a checkpoint and starts it on the same data, so that it recovers.
 */
export async function startPostgres(program, dir) {
  // Its other programs lie beside it, wherever a link to it is.
  const bin = dirname(realpathSync(program));
  const data = join(dir, 'postgres');
  const user = ownerOf(data, 'postgres');
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  setUp(join(bin, 'initdb'), init, user);
  const words = ['-D', data, '-k', data, '-c', 'listen_addresses=', '-c', 'fsync=off'];
  const asked = ['-h', data, '-q'];
  const isReady = () => succeeds(join(bin, 'pg_isready'), asked);
  const start = () => startServer(program, words, { isReady, user });
  let child = await start();
  return {
    connection: { host: data, user: 'postgres', database: 'postgres' },
    stop: () => endServer(child, 'SIGINT'),
    restart: async () => {
      await endServer(child, 'SIGQUIT');
      child = await start();
    },
  };
}

/** Where MariaDB's server is, or null. */
export function findMariadb() {
  // What makes its directory asks a program of the clients' package.
  const asked = findProgram(['my_print_defaults'], 'mariadb-client-core');
  return asked === null ? null : findProgram(['mariadbd'], 'mariadb-server-core');
}

/**
 * A MariaDB of its own in `dir`. `connection` is what mysql2 wants to know,
 * for its superuser. `restart` kills it and starts it on the same data, so that it recovers.
 */
export async function startMariadb(program, dir) {
  const data = join(dir, 'mariadb');
  const socketPath = join(dir, 'mariadb.sock');
  const user = ownerOf(data);
  const common = ['--no-defaults', `--datadir=${data}`];
  const self = process.getuid?.() === 0 ? ['--user=root'] : [];
  const init = ['--auth-root-authentication-method=normal', '--skip-test-db', ...self];
  const installer = join(dirname(program), '../bin/mariadb-install-db');
  setUp(installer, [...common, ...init], user);
  const words = [...common, ...self, `--socket=${socketPath}`, '--skip-networking'];
  const less = ['--innodb-flush-log-at-trx-commit=2', '--innodb-buffer-pool-size=32M'];
  const start = () => startServer(program, [...words, ...less], { socketPath, user });
  let child = await start();
  return {
    connection: { socketPath, user: 'root' },
    stop: () => endServer(child),
    restart: async () => {
      await endServer(child, 'SIGKILL');
      child = await start();
    },
  };
}

/** Makes a folder; whoever this process runs as, the account may be another, which then owns it. */
function ownerOf(folder, account) {
  mkdirSync(folder, { recursive: true });
  if (account === undefined || process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((what) => Number(output('id', [what, account])));
  chmodSync(dirname(folder), 0o711);
  chownSync(folder, uid, gid);
  return { uid, gid };
}

function setUp(program, words, user) {
  const { status, stdout, stderr } = spawnSync(program, words, { timeout: SETUP_MS, ...user });
  if (status === 0) return;
  throw new Error(`${program} failed: ${`${stdout}${stderr}`.slice(-2_000)}`);
}

function output(program, words) {
  return String(spawnSync(program, words, { timeout: SETUP_MS }).stdout).trim();
}

async function succeeds(program, words) {
  const isThere = spawnSync(program, words, { timeout: SETUP_MS, stdio: 'ignore' }).status === 0;
  if (!isThere) await delay(LOOK_AGAIN_MS);
  return isThere;
}
