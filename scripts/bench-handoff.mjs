// Hand-off: waiters on one lock, each with a session of its own, and each back in the queue as soon
// as it has given the lock up. Timed from the call of release to the next holder's grant, for all
// clients are in this process; beside it a raw append + fdatasync in the same directory.
//
//   node scripts/bench-handoff.mjs [--waiters 16] [--seconds 5] [--rounds 3] [--dir DIR] [--json]

import { mkdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { connect } from '../dist/index.js';
import { startCluster } from './lib/local-cluster.mjs';
import { median, quantile, round } from './lib/measuring.mjs';
import { measureRawDisk } from './raw-disk.mjs';

const { values } = parseArgs({
  options: {
    waiters: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    dir: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const waiters = Number(values.waiters);
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

async function measure(clients, name) {
  const handOffsMs = [];
  let lastToken = 0;
  let releasedAt = null;
  let isOver = false;
  const user = async (client) => {
    const lock = client.lock(name);
    while (!isOver) {
      const grant = await lock.acquire({ waitMs: 30_000 });
      const now = performance.now();
      if (releasedAt !== null) handOffsMs.push(now - releasedAt);
      if (!(grant.token > lastToken)) throw new Error(`token ${grant.token} after ${lastToken}`);
      lastToken = grant.token;
      releasedAt = performance.now();
      await grant.release();
    }
  };
  const start = performance.now();
  const ender = setTimeout(() => (isOver = true), seconds * 1_000);
  await Promise.all(clients.map(user));
  clearTimeout(ender);
  const elapsedS = (performance.now() - start) / 1_000;
  handOffsMs.sort((left, right) => left - right);
  return {
    handOffsPerSecond: Math.round(handOffsMs.length / elapsedS),
    p50Ms: round(quantile(handOffsMs, 0.5)),
    p99Ms: round(quantile(handOffsMs, 0.99)),
  };
}

if (values.dir !== undefined) await mkdir(values.dir, { recursive: true });
const cluster = await startCluster({ dir: values.dir ?? null });
try {
  const raw = measureRawDisk(cluster.root);
  const clients = await Promise.all(
    Array.from({ length: waiters }, (_, n) =>
      connect({ nodes: cluster.addresses, name: `bench-${n}` }),
    ),
  );
  await measure(clients, 'bench/warm');
  const results = [];
  for (let n = 0; n < rounds; n++) results.push(await measure(clients, `bench/${n}`));
  await Promise.all(clients.map((client) => client.close()));
  report(raw, results);
} finally {
  await cluster.stop();
  await cluster.remove();
}

function report(raw, results) {
  if (values.json) return console.log(JSON.stringify({ raw, waiters, results }));
  const pick = (key) => results.map((result) => result[key]);
  const rates = pick('handOffsPerSecond');
  console.log(
    `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}, ${raw.fileSystem}`,
  );
  console.log(`raw append + fdatasync: p50 ${raw.p50Ms} ms, p99 ${raw.p99Ms} ms`);
  console.log(
    `${waiters} waiters on one lock, median of ${rounds} rounds of ${seconds} s after one to ` +
      `warm up: ${median(rates)} hand-offs/s (${Math.min(...rates)}-${Math.max(...rates)}), ` +
      `p50 ${median(pick('p50Ms'))} ms (${round(median(pick('p50Ms')) / raw.p50Ms)} × raw), ` +
      `p99 ${median(pick('p99Ms'))} ms`,
  );
}
