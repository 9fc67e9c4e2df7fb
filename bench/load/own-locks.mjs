// Users with a lock of their own: each takes it and gives it back, again and again.

import { GrowingToken, WAIT_MS, closeClients, openClients, runFor } from './closed-loop.mjs';

/** `users` loops over `sessions` clients. */
export async function prepare({ addresses, users, sessions }) {
  const clients = await openClients(addresses, sessions);
  const steps = Array.from({ length: users }, (_, n) =>
    ownLock(clients[n % sessions], `own/${process.pid}/${n}`),
  );
  return {
    round: (seconds) => runFor(seconds, steps),
    close: () => closeClients(clients),
  };
}

function ownLock(client, name) {
  const lock = client.lock(name);
  const tokens = new GrowingToken();
  return async (tally) => {
    const askedMs = performance.now();
    const grant = await lock.acquire({ waitMs: WAIT_MS });
    const grantedMs = performance.now();
    tokens.check(grant.token, name);
    await grant.release();
    tally.note('acquire', grantedMs - askedMs);
    tally.note('release', performance.now() - grantedMs);
    tally.commands += 2;
  };
}
