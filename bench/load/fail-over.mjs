// Clients that ask for a fresh lock each at the moment at which the leader is killed or paused.

import { WAIT_MS, closeClients, openClients } from './closed-loop.mjs';

/** So many clients, each with a session and links of its own. */
export async function prepare({ addresses, clients: count }) {
  const clients = await openClients(addresses, count, { name: 'fail-over' });
  const state = { grants: [], lastToken: 0 };
  return {
    trial: (trial) => runTrial(clients, state, trial),
    /** All of what the trial took. */
    async giveBack() {
      await Promise.all(state.grants.splice(0).map((grant) => grant.release()));
    },
    close: () => closeClients(clients),
  };
}

/** `nextMs`: of one client, another one in each trial; `lastMs`: until all of them are served. */
async function runTrial(clients, state, { pid, signal, number }) {
  const startMs = performance.now();
  process.kill(pid, signal);
  const served = await Promise.all(
    clients.map(async (client, n) => {
      const grant = await client.lock(`fresh/${number}/${n}`).acquire({ waitMs: WAIT_MS });
      return { grant, tookMs: performance.now() - startMs };
    }),
  );
  const tokens = served.map(({ grant }) => grant.token);
  const least = Math.min(...tokens);
  if (!(least > state.lastToken)) throw new Error(`token ${least} after ${state.lastToken}`);
  if (new Set(tokens).size !== tokens.length) throw new Error('one token for two grants');
  state.lastToken = Math.max(...tokens);
  state.grants = served.map(({ grant }) => grant);
  const times = served.map(({ tookMs }) => tookMs);
  return { nextMs: times[number % times.length], lastMs: Math.max(...times) };
}
