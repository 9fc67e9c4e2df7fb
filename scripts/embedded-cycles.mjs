// A program that starts and stops a cluster of three nodes in itself, again and again, with locks
// taken each time: what stays behind? Memory must not grow, and nothing may stay open.
//
//   npm run build
//   node --expose-gc scripts/embedded-cycles.mjs [--cycles 200] [--locks 1] [--json FILE]

import { readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { localCluster } from '../dist/src/node.js';

/** The first quarter is left out: code is compiled, and memory pools find their size. */
const WARM_SHARE = 0.25;
const BYTES_PER_CYCLE_MAX = 10 * 1_024;
/** Of one life before all others: what it compiles is not compiled while memory is watched. */
const LOCKS_BEFORE = 20_000;
const CYCLES_MAX = 10_000;

const byText = (left, right) => (left < right ? -1 : 1);

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '200' },
    locks: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const cycles = Number(values.cycles);
if (!Number.isInteger(cycles) || cycles < 8 || cycles > CYCLES_MAX) {
  fail(64, `--cycles expects a whole number from 8 to ${CYCLES_MAX}; got ${values.cycles}`);
}
const locks = Number(values.locks);
if (!Number.isInteger(locks) || locks < 1 || locks > LOCKS_BEFORE) {
  fail(64, `--locks expects a whole number from 1 to ${LOCKS_BEFORE}; got ${values.locks}`);
}
if (globalThis.gc === undefined) fail(64, 'start it with node --expose-gc');

await live('before', LOCKS_BEFORE);
const samples = [];
for (let cycle = 1; cycle <= cycles; cycle++) {
  await live(`cycle/${cycle}`, locks);
  samples.push(await measure());
  if (cycle % 20 === 0) process.stdout.write(`${cycle}: ${text(samples.at(-1))}\n`);
}
const warm = samples.slice(Math.floor(cycles * WARM_SHARE));
const growth = slope(warm.map(({ rss }) => rss));
const open = new Set(warm.map(({ resources, descriptors }) => `${resources}; ${descriptors} fds`));
process.stdout.write(
  `resident memory ${(growth / 1_024).toFixed(1)} KiB a cycle over the last ${warm.length} ` +
    `(at most ${BYTES_PER_CYCLE_MAX / 1_024}); open: ${[...open].join(' | ')}\n`,
);
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify({ cycles, bytesPerCycle: growth, samples })}\n`);
}
process.exitCode = growth <= BYTES_PER_CYCLE_MAX && open.size === 1 ? 0 : 1;

/** How much the values grow from one to the next, by least squares. */
function slope(values) {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [covariance, variance] = [0, 0];
  for (const [at, value] of values.entries()) {
    covariance += (at - middle) * (value - mean);
    variance += (at - middle) ** 2;
  }
  return covariance / variance;
}

/** One life of a cluster. */
async function live(name, turns) {
  const cluster = await localCluster({ nodes: 3 });
  const client = await cluster.client();
  for (let turn = 0; turn < turns; turn++) {
    const grant = await client.lock(name).acquire();
    if (!grant.held()) fail(70, `${name} was granted, and is not held`);
    await grant.release();
  }
  await client.close();
  await cluster.stop();
}

/** What is left once everything that can be collected is. */
async function measure() {
  // Finalizers run after a collection, and let go of what the next one finds.
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await new Promise((done) => setImmediate(done));
  }
  return {
    rss: process.memoryUsage.rss(),
    heap: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().toSorted(byText).join(' '),
    descriptors: readdirSync('/proc/self/fd').length,
  };
}

function text({ rss, heap, resources, descriptors }) {
  const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `resident ${mib(rss)}, heap ${mib(heap)}, ${descriptors} fds, open: ${resources}`;
}

function fail(code, message) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
