// Restarts every node of a real cluster, one after the other, under load: no request may fail, no
// lease may be lost, no request may take longer than two election time-outs, and each node has
// caught up before the next one stops. Ends with 1 if any of this is not so.
//
//   npm run build && node scripts/rolling-restart.mjs [--size 3] [--clients 64] [--rounds 1]

import { parseArgs } from 'node:util';
import { fetchStatus, sleep, startCluster, until } from './lib/local-cluster.mjs';
import { conclude } from './lib/judge.mjs';
import { startLoad } from './lib/load.mjs';
import { round } from './lib/measuring.mjs';

const ELECTION_MS = 500;

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '3' },
    clients: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

/** The node follows the present leader and has applied what that had committed by now. */
async function caughtUp(cluster, id) {
  const leader = await cluster.waitLeader();
  const { address } = cluster.nodes.find((node) => node.id === id);
  return until(`${id} to catch up`, async () => {
    const status = await fetchStatus(address);
    return status !== null && status.leader !== null && status.applied >= leader.commit;
  });
}

async function restart(cluster, id) {
  const startMs = performance.now();
  const wasLeader = (await cluster.waitLeader()).id === id;
  const { code } = await cluster.kill(id, 'SIGTERM');
  const stoppedMs = performance.now();
  if (code !== 0)
    throw new Error(`${id} ended with ${code}: ${cluster.processes.get(id).lastLog()}`);
  cluster.spawn(id);
  await caughtUp(cluster, id);
  const endMs = performance.now();
  return { id, wasLeader, stopMs: round(stoppedMs - startMs), backMs: round(endMs - stoppedMs) };
}

const cluster = await startCluster({ size: Number(values.size) });
const restarts = [];
const { load, stop } = await startLoad(cluster.addresses, { clients: Number(values.clients) });
try {
  await sleep(2_000);
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    for (const { id } of cluster.nodes) {
      restarts.push(await restart(cluster, id));
      await sleep(1_000);
    }
  }
  await sleep(1_000);
} finally {
  await stop();
  await cluster.stop();
  await cluster.remove();
}

conclude(load, {
  allowedMs: 2 * ELECTION_MS,
  isJson: values.json,
  steps: restarts,
  describe: ({ id, wasLeader, stopMs, backMs }) =>
    `${id} (${wasLeader ? 'leader' : 'follower'}): stopped in ${stopMs} ms, ` +
    `back and caught up in ${backMs} ms`,
});
