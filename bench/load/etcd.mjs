// The same users against etcd, through its JSON gateway on the leader: a transaction takes the lock
// if its key is not there, bound to a lease; deleting the key gives it back. The gateway translates
// to gRPC inside of etcd, so a client that speaks gRPC costs etcd less.

import { Agent } from 'node:http';
import { askEtcd, encoded } from '../lib/etcd.mjs';
import { GrowingToken, runFor } from './closed-loop.mjs';

/** Longer than a run takes: nobody renews it. */
const LEASE_SECONDS = 600;

/** `users` loops over `sessions` connections, one request at a time on each. */
export async function prepare({ port, users, sessions }) {
  const agent = new Agent({ keepAlive: true, maxSockets: sessions });
  const etcd = { port, agent };
  const { ID: lease } = await askEtcd(etcd, '/lease/grant', { TTL: LEASE_SECONDS });
  const steps = Array.from({ length: users }, (_, n) =>
    ownLock(etcd, lease, `own/${process.pid}/${n}`),
  );
  return {
    round: (seconds) => runFor(seconds, steps),
    close: async () => agent.destroy(),
  };
}

function ownLock(etcd, lease, name) {
  const key = encoded(name);
  const tokens = new GrowingToken();
  const taking = {
    compare: [{ key, target: 'CREATE', result: 'EQUAL', create_revision: '0' }],
    success: [{ request_put: { key, value: encoded('held'), lease } }],
  };
  return async (tally) => {
    const askedMs = performance.now();
    const { succeeded, header } = await askEtcd(etcd, '/kv/txn', taking);
    const grantedMs = performance.now();
    if (succeeded !== true) throw new Error(`${name} is not free`);
    tokens.check(Number(header.revision), name);
    await askEtcd(etcd, '/kv/deleterange', { key });
    tally.note('acquire', grantedMs - askedMs);
    tally.note('release', performance.now() - grantedMs);
    tally.commands += 2;
  };
}
