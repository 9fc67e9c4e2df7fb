// Clients of the library that do nothing but keep their session alive, each on links of its own to
// every node.

import { connect } from '../../dist/src/index.js';
import { sleep } from '../../scripts/lib/local-cluster.mjs';

/** So many connect at a time. */
const CONNECTING_MAX = 64;
/** The session, an acquire and a release. */
const COMMANDS_EACH = 3;

/** Opens them in `open`, not before. */
export async function prepare({ addresses, sessions, ttlMs, first = 0 }) {
  const clients = [];
  let next = 0;
  const worker = async () => {
    while (next < sessions) {
      const name = `idle-${first}-${next++}`;
      const client = await connect({ nodes: addresses, name, ttlMs, connectMs: 60_000 });
      await client.lock(`open/${name}`).do(() => {});
      clients.push(client);
    }
  };
  return {
    async open() {
      await Promise.all(Array.from({ length: CONNECTING_MAX }, worker));
      return { opened: clients.length, commands: clients.length * COMMANDS_EACH };
    },
    async round(seconds) {
      await sleep(seconds * 1_000);
      const lost = clients.filter(({ session }) => session.signal.aborted).length;
      return { lost, renewals: null };
    },
  };
}
