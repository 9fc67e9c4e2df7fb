// Shrinks a real cluster from five nodes to three and grows it back to five, under load: no request
// may fail, no lease may be lost, and none may take longer than two election time-outs.
//
//   npm run build && node scripts/resize.mjs [--clients 64] [--json]

import { parseArgs } from 'node:util';
import { conclude } from './lib/judge.mjs';
import { startLoad } from './lib/load.mjs';
import { sleep, startCluster } from './lib/local-cluster.mjs';
import { round } from './lib/measuring.mjs';

const ELECTION_MS = 500;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '64' },
    json: { type: 'boolean', default: false },
  },
});

const steps = [];
async function timed(what, work) {
  const startMs = performance.now();
  await work();
  steps.push({ what, tookMs: round(performance.now() - startMs) });
}

/** Takes out the leader first, then a follower. */
async function shrink(cluster) {
  for (const wantsLeader of [true, false]) {
    const leader = await cluster.waitLeader();
    const { id } = cluster.nodes.find((node) => (node.id === leader.id) === wantsLeader);
    await timed(`remove ${id} (${wantsLeader ? 'leader' : 'follower'})`, () =>
      cluster.command('member', 'remove', id),
    );
    await cluster.retire(id);
    await sleep(500);
  }
}

async function grow(cluster) {
  for (const id of ['n6', 'n7']) {
    const { address } = await cluster.addBlank(id);
    await timed(`add ${id}`, () => cluster.command('member', 'add', `${id}=${address}`));
    await sleep(500);
  }
}

const cluster = await startCluster({ size: 5 });
const { load, stop } = await startLoad(cluster.addresses, { clients: Number(values.clients) });
let members = '';
try {
  await sleep(2_000);
  await shrink(cluster);
  await grow(cluster);
  members = await cluster.command('member', 'list');
} finally {
  await stop();
  await cluster.stop();
  await cluster.remove();
}

conclude(load, {
  allowedMs: 2 * ELECTION_MS,
  isJson: values.json,
  steps,
  describe: ({ what, tookMs }) => `${what}: ${tookMs} ms`,
  also: members,
});
