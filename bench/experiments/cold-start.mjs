// Cold start: from the start of the three processes to the first grant, of an empty cluster and of
// one that was stopped with data in its log. Nodes are polled every 20 ms: the figures are coarse.

import { connect } from '../../dist/src/index.js';
import { Crew } from '../lib/crew.mjs';
import { figure } from '../lib/figures.mjs';
import { withServers } from '../lib/servers.mjs';

const USERS = 64;

/** The token of the first grant that a new client gets. */
async function firstToken(servers) {
  const client = await connect({ nodes: servers.addresses, name: 'first', connectMs: 60_000 });
  const token = await client.lock('first').do(({ token }) => token);
  await client.close();
  return token;
}

async function fill(servers, seconds) {
  const { addresses } = servers;
  const before = await servers.waitAll();
  const crew = await Crew.start('own-locks', [{ addresses, users: USERS, sessions: USERS }]);
  try {
    await crew.all('round', seconds);
    await crew.close();
  } finally {
    crew.end();
  }
  const after = await servers.waitAll();
  return { entries: after.applied - before.applied, applied: after.applied };
}

async function timeFresh(directory) {
  const startMs = performance.now();
  return withServers(directory, async (servers) => {
    await firstToken(servers);
    return performance.now() - startMs;
  });
}

async function timeRestart(servers, state) {
  const ids = servers.cluster.nodes.map(({ id }) => id);
  await Promise.all(ids.map((id) => servers.cluster.kill(id, 'SIGTERM')));
  const startMs = performance.now();
  await Promise.all(ids.map((id) => servers.restart(id)));
  const token = await firstToken(servers);
  const tookMs = performance.now() - startMs;
  if (!(token > state.lastToken)) throw new Error(`token ${token} after ${state.lastToken}`);
  state.lastToken = token;
  const { applied } = await servers.waitAll();
  if (applied < state.applied) throw new Error(`${state.applied} entries, then ${applied}`);
  state.applied = applied;
  return tookMs;
}

/** Both of them. */
export const coldStart = {
  name: 'cold-start',
  about: 'from the start of three processes to the first grant',
  async run({ directory, rounds, seconds, note }) {
    const fresh = [];
    for (let n = 0; n < rounds; n++) fresh.push(await timeFresh(directory));
    const again = await withServers(directory, async (servers) => {
      const { entries, applied } = await fill(servers, seconds);
      const state = { lastToken: await firstToken(servers), applied };
      note(`${entries} entries were in the log of the cluster that was started again`);
      const times = [];
      for (let n = 0; n < rounds; n++) times.push(await timeRestart(servers, state));
      return times;
    });
    return [
      figure('empty, founded, first grant', 'ms', fresh),
      figure('stopped, started, first grant', 'ms', again),
    ];
  },
};
