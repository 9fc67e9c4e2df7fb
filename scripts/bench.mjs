// Quick benchmark: acquire + release cycles against three synced nodes on this machine, beside a
// raw append + fdatasync in the same directory. A user is a loop with a lock of its own; U users
// share min(U, 64) sessions, each on links of its own.
//
//   node scripts/bench.mjs [--seconds 5] [--rounds 3] [--dir DIR] [--json]

import { mkdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { connect } from '../dist/index.js';
import { startCluster } from './lib/local-cluster.mjs';
import { cpuSeconds, median, quantile, round } from './lib/measuring.mjs';
import { measureRawDisk } from './raw-disk.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    dir: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

async function serverCpu(cluster) {
  const pids = [...cluster.processes.values()].map(({ pid }) => pid);
  return (await Promise.all(pids.map(cpuSeconds))).reduce((sum, one) => sum + one, 0);
}

/** One user: acquires and releases its own lock until `end`; tokens must grow. */
async function user(client, name, end, latenciesMs) {
  let cycles = 0;
  let lastToken = 0;
  const lock = client.lock(name);
  while (performance.now() < end) {
    const start = performance.now();
    const grant = await lock.acquire({ waitMs: 10_000 });
    latenciesMs.push(performance.now() - start);
    if (!(grant.token > lastToken)) throw new Error(`token ${grant.token} after ${lastToken}`);
    lastToken = grant.token;
    await grant.release();
    cycles += 1;
  }
  return cycles;
}

async function measure(cluster, users, sessions, label) {
  const clients = await Promise.all(
    Array.from({ length: sessions }, (_, n) =>
      connect({ nodes: cluster.addresses, name: `bench-${n}` }),
    ),
  );
  await Promise.all(
    clients.map((client, n) => client.lock(`warm/${label}/${n}`).do(async () => {})),
  );
  const before = (await cluster.waitLeader()).applied;
  const cpuBefore = await serverCpu(cluster);
  const latenciesMs = [];
  const start = performance.now();
  const end = start + seconds * 1_000;
  const counts = await Promise.all(
    Array.from({ length: users }, (_, n) =>
      user(clients[n % sessions], `bench/${label}/${n}`, end, latenciesMs),
    ),
  );
  const elapsedS = (performance.now() - start) / 1_000;
  const cpuS = (await serverCpu(cluster)) - cpuBefore;
  const cycles = counts.reduce((sum, one) => sum + one, 0);
  const grown = (await cluster.waitLeader()).applied - before;
  if (grown !== 2 * cycles) throw new Error(`${cycles} cycles, but the log grew by ${grown}`);
  await Promise.all(clients.map((client) => client.close()));
  latenciesMs.sort((left, right) => left - right);
  return {
    users,
    sessions,
    cyclesPerSecond: Math.round(cycles / elapsedS),
    acquireP50Ms: round(quantile(latenciesMs, 0.5)),
    acquireP99Ms: round(quantile(latenciesMs, 0.99)),
    serverCpuUsPerCycle: round((cpuS * 1e6) / cycles),
  };
}

function summarise(results) {
  const pick = (key) => results.map((result) => result[key]);
  const rates = pick('cyclesPerSecond');
  return {
    ...results[0],
    cyclesPerSecond: median(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    acquireP50Ms: median(pick('acquireP50Ms')),
    acquireP99Ms: median(pick('acquireP99Ms')),
    serverCpuUsPerCycle: median(pick('serverCpuUsPerCycle')),
  };
}

const dir = values.dir ?? null;
if (dir !== null) await mkdir(dir, { recursive: true });
const cluster = await startCluster({ dir });
try {
  const raw = measureRawDisk(cluster.root);
  const rows = [];
  for (const [users, sessions] of [
    [1, 1],
    [64, 64],
    [1000, 64],
    [1000, 4],
  ]) {
    const results = [];
    for (let n = 0; n < rounds; n++) {
      results.push(await measure(cluster, users, sessions, `${users}-${sessions}-${n}`));
    }
    rows.push(summarise(results));
  }
  if (rows[0].acquireP50Ms < raw.p50Ms) {
    throw new Error(`an acquire (p50 ${rows[0].acquireP50Ms} ms) is faster than a synced append`);
  }
  report(raw, rows);
} finally {
  await cluster.stop();
  await cluster.remove();
}

function report(raw, rows) {
  if (values.json) {
    console.log(JSON.stringify({ raw, rows }));
    return;
  }
  console.log(
    `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}, ${raw.fileSystem}`,
  );
  console.log(`raw append + fdatasync: p50 ${raw.p50Ms} ms, p99 ${raw.p99Ms} ms`);
  console.log(`median of ${rounds} rounds of ${seconds} s; all processes share the machine`);
  for (const row of rows) {
    console.log(
      `${String(row.users).padStart(5)} users on ${String(row.sessions).padStart(2)} sessions: ` +
        `${row.cyclesPerSecond} cycles/s (${row.spread.join('-')}), ` +
        `acquire p50 ${row.acquireP50Ms} ms (${round(row.acquireP50Ms / raw.p50Ms)} × raw), ` +
        `p99 ${row.acquireP99Ms} ms, ` +
        `servers ${row.serverCpuUsPerCycle} µs CPU/cycle`,
    );
  }
}
