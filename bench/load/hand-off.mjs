// Waiters on one lock, each with a session of its own, and each back in the queue as soon as it has
// given the lock up. Timed from the call of release to the next holder's grant: all are in this
// process.

import { GrowingToken, WAIT_MS, closeClients, openClients, runFor } from './closed-loop.mjs';

/** `users` waiters. */
export async function prepare({ addresses, users }) {
  const clients = await openClients(addresses, users);
  const tokens = new GrowingToken();
  return {
    round: (seconds) => {
      const last = { releasedMs: null };
      return runFor(
        seconds,
        clients.map((client) => (tally) => passOn(client.lock('passed-on'), tokens, last, tally)),
      );
    },
    close: () => closeClients(clients),
  };
}

async function passOn(lock, tokens, last, tally) {
  const grant = await lock.acquire({ waitMs: WAIT_MS });
  const grantedMs = performance.now();
  tokens.check(grant.token, 'passed-on');
  if (last.releasedMs !== null) tally.note('hand-off', grantedMs - last.releasedMs);
  last.releasedMs = performance.now();
  await grant.release();
  tally.commands += 2;
}
