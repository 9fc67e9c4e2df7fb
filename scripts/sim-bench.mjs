// How fast the simulator is, on one core of this machine: simulated clusters of three nodes with
// four clients that acquire and release locks. Rates are per second of CPU time, of all threads of
// this process, so that neighbours on the machine do not count.
//
//   node scripts/sim-bench.mjs [--rounds 3] [--runs 20] [--seconds 30] [--json]
//
// quick    whole runs of 5 virtual seconds with 60 acquires, one cluster after the other
// steady   one cluster over `--seconds` virtual seconds with 50 operations per second

import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { transpileTree } from './lib/transpile.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    runs: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const runs = Number(values.runs);
const seconds = Number(values.seconds);

const CLIENTS = 4;
const KEYS = 8;
const QUICK = { ops: 60, seconds: 5 };

const outDir = resolve(import.meta.dirname, '../.cache/sim-bench');
await transpileTree(outDir);
const { createSimCluster } = await import(join(outDir, 'sim/cluster.js'));

/** A client's share of the acquires, each at its own time: hold the lock a little, release it. */
async function work(own, { count, everyMs, keyOf }, tally) {
  for (let op = 0; op < count; op++) {
    const grant = await own.client.lock(keyOf(op)).acquire({ waitMs: 5_000 });
    await own.sleep(5);
    await grant.release();
    tally.done += 1;
    await own.sleep(everyMs - 5);
  }
}

/** One cluster from its founding on. Returns its events and how many acquires were done. */
async function simulate(seed, { ops, seconds: virtualSeconds }) {
  const cluster = await createSimCluster({ seed });
  const tally = { done: 0 };
  for (let number = 0; number < CLIENTS; number++) {
    const count = Math.ceil(ops / CLIENTS);
    const everyMs = (virtualSeconds * 1_000 * 0.8) / count;
    const keyOf = (op) => `k${(op * 3 + number) % KEYS}`;
    const client = cluster.client(`c${number + 1}`);
    client.run((own) => work(own, { count, everyMs, keyOf }, tally));
  }
  await cluster.world.run(virtualSeconds * 1_000_000);
  if (tally.done < ops * 0.9) throw new Error(`seed ${seed}: only ${tally.done} of ${ops} done`);
  return cluster.world.trace.length;
}

async function measure(count, load) {
  let events = 0;
  const before = process.cpuUsage();
  for (let seed = 1; seed <= count; seed++) events += await simulate(seed, load);
  const { user, system } = process.cpuUsage(before);
  const elapsedS = (user + system) / 1e6;
  return {
    eventsPerS: events / elapsedS,
    runsPerS: count / elapsedS,
    simulatedToReal: (count * load.seconds) / elapsedS,
    eventsPerVirtualS: events / (count * load.seconds),
  };
}

/** Median, smallest and largest of each figure. */
function summary(results) {
  return Object.fromEntries(
    Object.keys(results[0]).map((figure) => {
      const sorted = results.map((result) => result[figure]).sort((left, right) => left - right);
      return [
        figure,
        { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted[sorted.length - 1] },
      ];
    }),
  );
}

const loads = {
  quick: [runs, QUICK],
  steady: [1, { ops: Math.round(seconds * 25 * 0.8), seconds }],
};
const report = {};
for (const [name, [count, load]] of Object.entries(loads)) {
  await measure(Math.min(count, 3), QUICK);
  const results = [];
  for (let round = 0; round < rounds; round++) results.push(await measure(count, load));
  report[name] = summary(results);
}

if (values.json) {
  console.log(JSON.stringify(report, null, 2));
} else {
  for (const [name, figures] of Object.entries(report)) {
    console.log(name);
    for (const [figure, { median, min, max }] of Object.entries(figures)) {
      const [mid, low, high] = [median, min, max].map((value) =>
        value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 }),
      );
      console.log(`  ${figure.padEnd(18)} ${mid.padStart(9)}   (${low} to ${high})`);
    }
  }
}
