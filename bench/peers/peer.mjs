// Another lock service as an experiment sees it: processes that were started for it on the
// loopback, ended by process id, and a directory that goes with them.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../scripts/lib/local-cluster.mjs';
import { withWill } from '../lib/last-will.mjs';
import { largestMib, sumOfCpuSeconds } from '../lib/processes.mjs';

/** Whether a program can be started. */
export function isInstalled(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Runs `body` with a peer that `start` makes of a directory, and ends it whatever happens. */
export async function withPeer(directory, start, body) {
  const own = await mkdtemp(join(directory, 'peer-'));
  const children = [];
  const launch = (program, args) => {
    const child = spawn(program, args, { cwd: own, stdio: 'ignore' });
    child.ended = new Promise((resolve) => child.once('close', resolve));
    children.push(child);
  };
  const killAll = () => children.forEach((child) => child.kill('SIGKILL'));
  try {
    return await withWill(killAll, async () => {
      const { port, position } = await start(own, launch);
      await until('the peer to answer', () => position().catch(() => null));
      return body(new Peer(children, { port, position }));
    });
  } finally {
    killAll();
    await Promise.all(children.map(({ ended }) => ended));
    await rm(own, { recursive: true, force: true });
  }
}

/** Has what lib/rounds.mjs needs of servers. */
class Peer {
  constructor(children, { port, position }) {
    this.pids = children.map(({ pid }) => pid);
    this.port = port;
    this.position = position;
  }

  /** Who leads in which term, and how many writes there were. */
  waitAll() {
    return this.position();
  }

  cpuSeconds() {
    return sumOfCpuSeconds(this.pids);
  }

  /** Which of its processes leads is not known. */
  async cpuSecondsOf() {
    return NaN;
  }

  residentMib() {
    return largestMib(this.pids);
  }

  /** It has no event loop of ours. */
  async takeStopMs() {
    return NaN;
  }
}
