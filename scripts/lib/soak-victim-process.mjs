// A client that is going to be harmed: it takes its lock, and writes with the token every few
// milliseconds without ever asking whether it still holds it, as too much code does. Only after a
// write does it look, and takes the lock again if it was lost.

import { connect } from '../../dist/src/index.js';

const WRITE_MS = 20;
const WAIT_MS = 120_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function live({ addresses, name, ttlMs }) {
  const client = await connect({ nodes: addresses, name: 'victim', ttlMs, connectMs: 30_000 });
  let grant = null;
  for (;;) {
    try {
      grant ??= await client.lock(name).acquire({ waitMs: WAIT_MS });
    } catch (error) {
      process.send({ failed: error.code ?? error.message });
      await pause(WRITE_MS);
      continue;
    }
    process.send({ token: grant.token });
    if (!grant.held()) grant = null;
    await pause(WRITE_MS);
  }
}

process.on('disconnect', () => process.exit());
process.once('message', (spec) => void live(spec));
