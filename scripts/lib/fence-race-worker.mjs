// One worker of a race (fence-race.mjs): it never asks whether it still holds the lock.

import { performance } from 'node:perf_hooks';
import { connect } from '../../dist/src/index.js';

const task = JSON.parse(process.argv[2]);
const stores = await Promise.all(task.stores.map(connectStore));
const client = await connect({ nodes: task.nodes, name: `worker ${task.n}`, ttlMs: task.ttlMs });
/** So long it may take until a stop comes, so that it comes anywhere in a write. */
const MIDST_MS = 10;
/** As many writes as there may be before it. */
const MIDST_MAX = 50;
let pauses = 0;
const stopping = new AbortController();
const onMessage = new Map();

process.on('message', ({ type }) => {
  if (type === 'stop') stopping.abort();
  onMessage.get(type)?.();
});
const hear = (type) => new Promise((resolve) => onMessage.set(type, resolve));
const sleeping = new Int32Array(new SharedArrayBuffer(4));

process.send({ type: 'ready' });
await hear('go');
for (let round = 0; !stopping.signal.aborted; round++) {
  const grant = await acquire();
  if (grant === null) continue;
  const { token } = grant;
  await put({ token }, `${task.n}/${round} before`);
  await pause(round, { token });
  await put({ token }, `${task.n}/${round} after`);
  await grant.release().catch(() => undefined);
}
await client.close().catch(() => undefined);
for (const { close } of stores) await close();
const told = Object.fromEntries(stores.map(({ name, counts }) => [name, counts]));
process.send({ type: 'done', pauses, stores: told }, () => process.disconnect());

async function connectStore({ store, fence, settings }) {
  const module = await import(`./fence-store-${store}.mjs`);
  const { guardedWrite, bareWrite, close } = await module.connect(settings, await import(fence));
  const counts = { accepted: 0, refused: 0, failed: 0, failures: [] };
  return { name: store, write: task.mode === 'bare' ? bareWrite : guardedWrite, close, counts };
}

async function acquire() {
  try {
    const { signal } = stopping;
    return await client.lock(task.resource).acquire({ waitMs: 20_000, signal });
  } catch {
    // After a pause the session may be gone, or the waiting be over: the next round tries again.
    await new Promise((resolve) => setTimeout(resolve, 10));
    return null;
  }
}

/**
 * Longer than the lease: stands still as a process, or only with its loop, or as a process that is
 * stopped somewhere in the midst of a write, which a check in another step than the write loses.
 */
async function pause(round, claim) {
  const from = performance.now();
  const kind = (task.n + round) % 3;
  if (kind === 0) {
    Atomics.wait(sleeping, 0, 0, task.pauseMs);
  } else {
    let isWoken = false;
    const woken = hear('woken').then(() => (isWoken = true));
    const isMidst = kind === 1;
    process.send({ type: 'stop me', inMs: isMidst ? Math.random() * MIDST_MS : 0 });
    for (let n = 0; isMidst && !isWoken && n < MIDST_MAX; n++) {
      await put(claim, `${task.n}/${round} midst ${n}`);
    }
    await woken;
  }
  if (performance.now() - from > task.ttlMs) pauses += 1;
}

async function put(claim, value) {
  for (const store of stores) await putTo(store, claim, value);
}

async function putTo({ write, counts }, claim, value) {
  try {
    await write(task.resource, claim, value);
    counts.accepted += 1;
  } catch (error) {
    if (error?.code === 'STALE_TOKEN') counts.refused += 1;
    else {
      counts.failed += 1;
      counts.failures.push(String(error).slice(0, 300));
    }
  }
}
