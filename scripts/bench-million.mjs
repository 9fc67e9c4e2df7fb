// A million locks held at a time: memory of each node, what checkpoints take, the longest time for
// which an event loop stood still, how long a node takes to start again, and how long an empty one
// takes to come up as a new member.
//
//   npm run build && node scripts/bench-million.mjs [--locks 1000000] [--links 16] [--json]

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { connect } from '../dist/index.js';
import { fetchStatus, sleep, startCluster, until } from './lib/local-cluster.mjs';
import { median, quantile, residentMib, round } from './lib/measuring.mjs';

const { values } = parseArgs({
  options: {
    locks: { type: 'string', default: '1000000' },
    links: { type: 'string', default: '16' },
    json: { type: 'boolean', default: false },
  },
});
const lockCount = Number(values.locks);
const linkCount = Number(values.links);
/** A session may hold 10,000 names. */
const PER_SESSION = 10_000;
const UNDECIDED = 512;
const LONG_MS = 600_000;

/** Reads the log of a node line by line: what its loop and its checkpoints took. */
class NodeWatch {
  stopsMs = [];
  checkpoints = [];
  loads = [];
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
    const fields = JSON.parse(line);
    if (fields.loopStopMs !== undefined) this.stopsMs.push(fields.loopStopMs);
    if (fields.msg === 'Checkpoint') this.checkpoints.push(fields);
  }

  get longestStopMs() {
    return Math.max(0, ...this.stopsMs);
  }

  forget() {
    this.stopsMs = [];
    this.checkpoints = [];
  }
}

async function hold(addresses, number, count) {
  const client = await connect({ nodes: addresses, name: `holder-${number}`, ttlMs: 120_000 });
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const name = `million/${number}/${next++}`;
      await client.lock(name).acquire({ waitMs: LONG_MS });
    }
  };
  await Promise.all(Array.from({ length: UNDECIDED }, worker));
  return client;
}

async function holdAll(addresses) {
  const sessions = Math.ceil(lockCount / PER_SESSION);
  const clients = [];
  let number = 0;
  const worker = async () => {
    while (number < sessions) {
      const mine = number++;
      const count = Math.min(PER_SESSION, lockCount - mine * PER_SESSION);
      clients.push(await hold(addresses, mine, count));
    }
  };
  await Promise.all(Array.from({ length: Math.min(linkCount, sessions) }, worker));
  return clients;
}

const loopWatch = new URL('./lib/loop-watch.mjs', import.meta.url).href;
const cluster = await startCluster({
  execArgv: ['--import', loopWatch],
  nodeOptions: { logLevel: 'debug' },
});
const watches = new Map([...cluster.processes].map(([id, child]) => [id, new NodeWatch(child)]));
const facts = { locks: lockCount, cpus: `${cpus().length} × ${cpus()[0].model}` };
let clients = [];
try {
  const startMs = performance.now();
  clients = await holdAll(cluster.addresses);
  facts.fillSeconds = round((performance.now() - startMs) / 1_000);
  const leader = await cluster.waitAll();
  const statuses = await cluster.statuses();
  facts.held = Math.min(...statuses.map(({ locks }) => locks));
  facts.residentMib = await Promise.all(
    [...cluster.processes.values()].map(({ pid }) => residentMib(pid)),
  );
  const all = [...watches.values()];
  facts.fillLongestStopMs = Math.max(...all.map((watch) => watch.longestStopMs));
  const taken = all.flatMap(({ checkpoints }) => checkpoints);
  const took = taken.map(({ tookMs }) => tookMs).sort((left, right) => left - right);
  facts.fillCheckpoints = {
    count: taken.length,
    rowsMedian: median(taken.map(({ rows }) => rows)),
    tookP50Ms: quantile(took, 0.5),
    tookMaxMs: took.at(-1),
  };

  // With everything held: one more lock at a time, and what the checkpoints of that cost.
  for (const watch of all) watch.forget();
  const probe = await connect({ nodes: cluster.addresses, name: 'probe' });
  for (let n = 0; n < 200; n++) {
    await probe.lock(`probe/${n}`).do(async () => {});
    await sleep(20);
  }
  await probe.close();
  const quiet = all.flatMap(({ checkpoints }) => checkpoints);
  facts.quietCheckpoints = {
    count: quiet.length,
    rowsMedian: median(quiet.map(({ rows }) => rows)),
    tookP50Ms: median(quiet.map(({ tookMs }) => tookMs)),
  };
  facts.quietLongestStopMs = Math.max(...all.map((watch) => watch.longestStopMs));

  // A follower stops and starts again.
  const follower = cluster.nodes.find(({ id }) => id !== leader.id);
  await cluster.kill(follower.id, 'SIGTERM');
  const restartMs = performance.now();
  const child = cluster.spawn(follower.id);
  const restarted = new NodeWatch(child);
  await until(
    'the node to be back',
    async () => {
      const status = await fetchStatus(follower.address);
      return status !== null && status.ready && status.locks === lockCount;
    },
    LONG_MS,
  );
  facts.restartSeconds = round((performance.now() - restartMs) / 1_000);
  facts.restartLongestStopMs = restarted.longestStopMs;

  // An empty node joins.
  for (const watch of all) watch.forget();
  const joiner = await cluster.addBlank('n4');
  const joinMs = performance.now();
  const joined = new NodeWatch(cluster.processes.get('n4'));
  await cluster.command('member', 'add', `n4=${joiner.address}`, '--learner');
  facts.joinSeconds = round((performance.now() - joinMs) / 1_000);
  facts.joinLongestStopMs = { joiner: joined.longestStopMs };
  facts.joinLongestStopMs.others = Math.max(...all.map((watch) => watch.longestStopMs));
  const status = await fetchStatus(joiner.address);
  facts.joinedLocks = status.locks;
} finally {
  await Promise.all(clients.map((client) => client.close({ drainMs: 0 }).catch(() => {})));
  await cluster.stop();
  await cluster.remove();
}
console.log(values.json ? JSON.stringify(facts) : JSON.stringify(facts, null, 2));
