// How fast the simulator is, on one core of this machine. Rates are per second of CPU time, of all
// threads of this process, so that neighbours on the machine do not count.
//
//   node scripts/sim-bench.mjs [--rounds 3] [--runs 40] [--seconds 60] [--json]
//
// quick    scripts without faults: 3 nodes, 4 clients, 60 acquires and releases, 5 virtual seconds
// drawn    random scripts with faults, as a campaign runs them
// steady   one quiet cluster for `--seconds` virtual seconds, 50 operations per second
//
// All of them are judged by the oracles. Each load runs once unmeasured, for the optimiser.

import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { transpileTree } from './lib/transpile.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    runs: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const runs = Number(values.runs);
const seconds = Number(values.seconds);

const CLIENTS = 4;
const KEYS = 6;

const outDir = resolve(import.meta.dirname, '../.cache/sim-bench');
await transpileTree(outDir);
const { createSimCluster } = await import(join(outDir, 'sim/cluster.js'));
const { createRunner } = await import(join(outDir, 'sim/run/run.js'));
const { drawScript } = await import(join(outDir, 'sim/script/draw.js'));
const { KNOBS, NET, NO_PAST } = await import(join(outDir, 'sim/script/ranges.js'));

const defaultsOf = (choices) =>
  Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first]));

/** 60 acquires of four clients, one after the other, each released after 5 ms. */
function quickScript(noise) {
  const ops = Array.from({ length: 60 }, (_, at) => ({
    id: at + 1,
    client: at % CLIENTS,
    kind: 'acquire',
    key: (at * 7) % KEYS,
    atMs: 600 + at * 70,
    holdMs: 5,
    arg: 0,
  }));
  return {
    horizonMs: 5_000,
    faults: [],
    ops,
    shape: { nodes: 3, clients: CLIENTS, keys: KEYS },
    past: NO_PAST,
    knobs: defaultsOf(KNOBS),
    net: { ...defaultsOf(NET), shuffleTies: false },
    clocks: { bound: 'within', driftPpm: [], latenessUs: 1_000, earlyUs: 0 },
    hasHoles: false,
    noise,
  };
}

async function runScripts(scriptOf) {
  const run = createRunner();
  let events = 0;
  let virtualUs = 0;
  for (let number = 1; number <= runs; number++) {
    const result = await run(scriptOf(number));
    if (result.violation !== null) throw new Error(JSON.stringify(result.violation));
    events += result.events;
    virtualUs += result.virtualUs;
  }
  return { runs, events, virtualUs };
}

/** A client's share: acquire, hold for 5 ms, release, and again after 160 ms. */
async function work(own, { number, endMs }) {
  for (let at = 0; at * 160 < endMs; at++) {
    const grant = await own.client.lock(`k${(at * 3 + number) % 8}`).acquire({ waitMs: 5_000 });
    await own.sleep(5);
    await grant.release();
    await own.sleep(155);
  }
}

async function runSteady() {
  const cluster = await createSimCluster({ seed: 1 });
  for (let number = 1; number <= CLIENTS; number++) {
    cluster.client(`c${number}`).run((own) => work(own, { number, endMs: seconds * 1_000 }));
  }
  await cluster.world.run(seconds * 1_000_000);
  return { runs: 1, events: cluster.world.trace.length, virtualUs: seconds * 1_000_000 };
}

async function measure(load) {
  const before = process.cpuUsage();
  const done = await load();
  const { user, system } = process.cpuUsage(before);
  const cpuUs = user + system;
  return {
    'events/s': (done.events / cpuUs) * 1e6,
    'runs/s': (done.runs / cpuUs) * 1e6,
    'simulated:real': done.virtualUs / cpuUs,
    'events per run': done.events / done.runs,
  };
}

/** Median, smallest and largest of each figure. */
function summary(results) {
  return Object.fromEntries(
    Object.keys(results[0]).map((figure) => {
      const sorted = results.map((result) => result[figure]).sort((left, right) => left - right);
      const median = sorted[sorted.length >> 1];
      return [figure, { median, min: sorted[0], max: sorted[sorted.length - 1] }];
    }),
  );
}

const loads = {
  quick: () => runScripts(quickScript),
  drawn: () => runScripts(drawScript),
  steady: runSteady,
};
const report = {};
for (const [name, load] of Object.entries(loads)) {
  await load();
  const results = [];
  for (let round = 0; round < rounds; round++) results.push(await measure(load));
  report[name] = summary(results);
}

if (values.json) {
  console.log(JSON.stringify(report, null, 2));
} else {
  const shown = (value) =>
    value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 }).padStart(9);
  for (const [name, figures] of Object.entries(report)) {
    console.log(name);
    for (const [figure, { median, min, max }] of Object.entries(figures)) {
      console.log(`  ${figure.padEnd(16)}${shown(median)}   (${shown(min)} to ${shown(max)})`);
    }
  }
}
