// A million locks held at a time: memory of each node, what checkpoints take, the longest time for
// which an event loop stood still, how long a node takes to start again, and how long an empty one
// takes to come up as a new member. Ends within six minutes: when these are not enough to take
// all the locks, it goes on with those that are held by then, and says how many.
//
//   npm run build && node scripts/bench-million.mjs [--locks 1000000] [--links 16] [--json]
//
// Of each phase it tells, for each node, [longest stop, most processor time in one go], both in
// milliseconds. With fewer free processors than processes the first one is mostly time in which
// the node waited for a processor; the second one is what the node itself did.

import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { connect } from '../dist/src/index.js';
import { fetchStatus, sleep, startCluster, until } from './lib/local-cluster.mjs';
import { cpuSeconds, median, quantile, residentMib, round } from './lib/measuring.mjs';

const { values } = parseArgs({
  options: {
    locks: { type: 'string', default: '1000000' },
    links: { type: 'string', default: '16' },
    json: { type: 'boolean', default: false },
  },
});
const wantedCount = Number(values.locks);
const linkCount = Number(values.links);
/** A session may hold 10,000 names. */
const PER_SESSION = 10_000;
const UNDECIDED = 512;
const TTL_MS = 120_000;
/** What the phases may take at most. */
const FILL_MS = 200_000;
const RESTART_MS = 60_000;
const JOIN_MS = 70_000;
const PROBES = 200;

/** Reads the log of a node line by line: what its loop and its checkpoints took. */
class NodeWatch {
  stopMs = 0;
  busyMs = 0;
  checkpoints = [];

  constructor(child) {
    let rest = '';
    child.stderr.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) this.note(line);
    });
  }

  note(line) {
    if (!line.startsWith('{')) return;
    const { loopStopMs = 0, loopBusyMs = 0, msg, ...fields } = JSON.parse(line);
    this.stopMs = Math.max(this.stopMs, loopStopMs);
    this.busyMs = Math.max(this.busyMs, loopBusyMs);
    if (msg === 'Checkpoint') this.checkpoints.push(fields);
  }

  /** [longest stop, most processor time in one go] since the last call. */
  take() {
    const longest = [this.stopMs, this.busyMs];
    [this.stopMs, this.busyMs] = [0, 0];
    return longest;
  }
}

/** The watches of all nodes that run, by their id. */
const watches = new Map();
const takeAll = () => Object.fromEntries([...watches].map(([id, watch]) => [id, watch.take()]));

function takeCheckpoints() {
  const taken = [...watches.values()].flatMap(({ checkpoints }) => checkpoints.splice(0));
  const tookMs = taken.map((checkpoint) => checkpoint.tookMs).sort((a, b) => a - b);
  return {
    count: taken.length,
    rowsMedian: median(taken.map(({ rows }) => rows)),
    medianMs: quantile(tookMs, 0.5),
    maxMs: tookMs.at(-1),
  };
}

/** Takes locks of one session until it has `count`, or until `endMs`; answers with their number. */
async function hold(client, number, count, endMs) {
  let next = 0;
  const worker = async () => {
    while (next < count && performance.now() < endMs) {
      await client.lock(`million/${number}/${next++}`).acquire({ waitMs: FILL_MS });
    }
  };
  await Promise.all(Array.from({ length: UNDECIDED }, worker));
  return Math.min(next, count);
}

async function holdAll(addresses) {
  const endMs = performance.now() + FILL_MS;
  const sessions = Math.ceil(wantedCount / PER_SESSION);
  let number = 0;
  let held = 0;
  const worker = async () => {
    while (number < sessions && performance.now() < endMs) {
      const mine = number++;
      const count = Math.min(PER_SESSION, wantedCount - mine * PER_SESSION);
      const client = await connect({ nodes: addresses, name: `holder-${mine}`, ttlMs: TTL_MS });
      const own = await hold(client, mine, count, endMs);
      held += own;
    }
  };
  await Promise.all(Array.from({ length: Math.min(linkCount, sessions) }, worker));
  return held;
}

/** Seconds until the node has all of them, from the start of `begin`. */
async function secondsUntilThere(address, held, limitMs, begin) {
  const startMs = performance.now();
  await begin();
  await until(
    `${address} to have ${held} locks`,
    async () => {
      const status = await fetchStatus(address);
      return status !== null && status.isReady && status.locks === held;
    },
    limitMs,
  );
  return round((performance.now() - startMs) / 1_000);
}

const facts = { cpus: `${cpus().length} × ${cpus()[0].model}`, loadBefore: round(loadavg()[0]) };
const loopWatch = new URL('./lib/loop-watch.mjs', import.meta.url).href;
const cluster = await startCluster({
  execArgv: ['--import', loopWatch],
  nodeOptions: { logLevel: 'debug' },
});
const watch = (id) => watches.set(id, new NodeWatch(cluster.processes.get(id)));
for (const { id } of cluster.nodes) watch(id);
try {
  const startMs = performance.now();
  const held = await holdAll(cluster.addresses);
  const leader = await cluster.waitAll();
  facts.leader = leader.id;
  facts.held = held;
  facts.fillSeconds = round((performance.now() - startMs) / 1_000);
  facts.fillStopBusyMs = takeAll();
  facts.fillCheckpoints = takeCheckpoints();

  // With everything held: one more lock at a time, and what the checkpoints of that cost.
  const probe = await connect({ nodes: cluster.addresses, name: 'probe' });
  for (let n = 0; n < PROBES; n++) {
    await probe.lock(`probe/${n}`).do(async () => {});
    await sleep(20);
  }
  await probe.close();
  facts.heldStopBusyMs = takeAll();
  facts.heldCheckpoints = takeCheckpoints();
  facts.residentMib = {};
  for (const [id, { pid }] of cluster.processes) facts.residentMib[id] = await residentMib(pid);

  const follower = cluster.nodes.find(({ id }) => id !== leader.id);
  await cluster.kill(follower.id, 'SIGTERM');
  facts.restartSeconds = await secondsUntilThere(follower.address, held, RESTART_MS, () => {
    cluster.spawn(follower.id);
    watch(follower.id);
  });
  const { pid } = cluster.processes.get(follower.id);
  facts.restartCpuSeconds = await cpuSeconds(pid);
  facts.restartedMib = await residentMib(pid);
  await sleep(1_100);
  facts.restartStopBusyMs = takeAll();

  const joiner = await cluster.addBlank('n4');
  watch('n4');
  facts.joinSeconds = await secondsUntilThere(joiner.address, held, JOIN_MS, () =>
    cluster.command('member', 'add', `n4=${joiner.address}`, '--learner'),
  );
  facts.joinCpuSeconds = await cpuSeconds(cluster.processes.get('n4').pid);
  await sleep(1_100);
  facts.joinStopBusyMs = takeAll();
} catch (error) {
  facts.failed = error.message;
  process.exitCode = 1;
} finally {
  await cluster.stop();
  await cluster.remove();
}
facts.loadAfter = round(loadavg()[0]);
if (values.json) console.log(JSON.stringify(facts));
else for (const [fact, value] of Object.entries(facts)) console.log(fact, JSON.stringify(value));
// The sessions went down with the cluster: their clients would try to reach it.
process.exit();
