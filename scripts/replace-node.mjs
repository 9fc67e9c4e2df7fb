// Replaces every founding node of a real cluster by an empty one under a new id, one after the
// other, under load: no request may fail, no lease may be lost. One of them is killed before it is
// replaced, as a machine that burnt down; the others leave while they run, the leader too.
//
//   npm run build && node scripts/replace-node.mjs [--clients 64] [--json]

import { parseArgs } from 'node:util';
import { conclude } from './lib/judge.mjs';
import { startLoad } from './lib/load.mjs';
import { fetchStatus, sleep, startCluster, until } from './lib/local-cluster.mjs';
import { round } from './lib/measuring.mjs';

const ELECTION_MS = 500;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '64' },
    json: { type: 'boolean', default: false },
  },
});

async function replace(cluster, id, { isDead }) {
  const wasLeader = (await cluster.waitLeader()).id === id;
  const joiner = await cluster.addBlank(`n${Number(id.slice(1)) + 3}`);
  if (isDead) await cluster.kill(id, 'SIGKILL');
  const startMs = performance.now();
  await cluster.command('member', 'replace', id, `${joiner.id}=${joiner.address}`);
  const tookMs = round(performance.now() - startMs);
  if (!isDead) {
    const { address } = cluster.nodes.find((node) => node.id === id);
    await until(`${id} to know that it left`, async () => {
      const status = await fetchStatus(address);
      return status?.membership === 'removed' || status?.membership === 'none';
    });
  }
  await cluster.retire(id);
  return { id, by: joiner.id, wasLeader, isDead, tookMs };
}

const cluster = await startCluster();
const replacements = [];
const { load, stop } = await startLoad(cluster.addresses, { clients: Number(values.clients) });
let members = '';
try {
  await sleep(2_000);
  for (const [n, id] of ['n1', 'n2', 'n3'].entries()) {
    replacements.push(await replace(cluster, id, { isDead: n === 0 }));
    await sleep(1_000);
  }
  members = await cluster.command('member', 'list');
} finally {
  await stop();
  await cluster.stop();
  await cluster.remove();
}

conclude(load, {
  // A leader that is killed is missed for an election time-out and more: that is no fault here.
  allowedMs: 4 * ELECTION_MS,
  isJson: values.json,
  steps: replacements,
  describe: ({ id, by, wasLeader, isDead, tookMs }) =>
    `${id} (${wasLeader ? 'leader' : 'follower'}${isDead ? ', killed' : ''}) ` +
    `replaced by ${by} in ${tookMs} ms`,
  also: members,
});
