// What the machine can do at best, measured beside every experiment: a bare append + fdatasync in
// the directory where the data will lie, and round trips to another process on the loopback. Every
// figure is read against one of these.

import { fork } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { measureRawDisk } from '../../scripts/raw-disk.mjs';
import { Latencies } from './latencies.mjs';

const MESSAGE = new Uint8Array(128).fill(7);
const WARM_SHARE = 0.2;

/**
 * Milliseconds (p50): `diskMs` one append of 4 KiB with fdatasync, `tcpMs` and `wsMs` one round
 * trip of 128 bytes. `commitMs` is the least that one command can take through one leader and its
 * followers: the way to the leader and back, the way to a follower and back, and one sync, for all
 * nodes sync at the same time.
 */
export async function measureLimits(directory, echo, count) {
  const disk = measureRawDisk(directory, { count });
  const tcp = await measureTrips(count * 4, echo.tcpTrip);
  const ws = await measureTrips(count * 4, echo.wsTrip);
  const [diskMs, tcpMs, wsMs] = [disk.p50Ms, tcp.percentile(50), ws.percentile(50)];
  const commitMs = diskMs + 2 * wsMs;
  const { fileSystem } = disk;
  return { diskMs, diskP99Ms: disk.p99Ms, tcpMs, wsMs, commitMs, fileSystem };
}

/** The mean of what was measured before and after an experiment. */
export function meanLimits(before, after) {
  const mean = Object.entries(before).map(([name, value]) => [
    name,
    typeof value === 'number' ? (value + after[name]) / 2 : value,
  ]);
  return Object.fromEntries(mean);
}

async function measureTrips(count, trip) {
  const latencies = new Latencies();
  const warmCount = Math.ceil(count * WARM_SHARE);
  for (let n = 0; n < count + warmCount; n++) {
    const startMs = performance.now();
    await trip();
    if (n >= warmCount) latencies.note(performance.now() - startMs);
  }
  return latencies;
}

/** Starts the process that answers, and connects to it. `stop` ends it. */
export async function startEcho() {
  const child = fork(fileURLToPath(new URL('./echo.mjs', import.meta.url)));
  const { tcpPort, wsPort } = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the echo process ended with ${code}`)));
  });
  const socket = connect({ port: tcpPort, host: '127.0.0.1', noDelay: true });
  const link = new WebSocket(`ws://127.0.0.1:${wsPort}`, { perMessageDeflate: false });
  await new Promise((resolve, reject) => {
    link.once('error', reject);
    link.once('open', resolve);
  });
  return {
    tcpTrip: () => tripOf(socket, 'data', () => socket.write(MESSAGE)),
    wsTrip: () => tripOf(link, 'message', () => link.send(MESSAGE)),
    async stop() {
      socket.destroy();
      link.terminate();
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function tripOf(emitter, event, send) {
  return new Promise((resolve) => {
    emitter.once(event, resolve);
    send();
  });
}
