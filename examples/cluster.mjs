// Where the examples run: on the cluster that HOLDFAST_NODES names, or on one that begins and ends
// with them.

import { connect } from 'holdfast';
import { localCluster } from 'holdfast/node';

/** Runs `work(connectAs)`, where `connectAs(name)` gives a client. */
export async function withCluster(work) {
  const named = process.env.HOLDFAST_NODES;
  const cluster = named === undefined ? await localCluster({ nodes: 3 }) : null;
  const nodes = cluster?.addresses ?? named.split(',');
  const clients = [];
  const connectAs = async (name) => {
    const client = await connect({ nodes, name, ttlMs: 5_000 });
    clients.push(client);
    return client;
  };
  try {
    await work(connectAs);
  } finally {
    for (const client of clients) await client.close();
    await cluster?.stop();
  }
}
