// The race for which guards exist, on a real cluster: workers in processes of their own take a
// lock, write, are stopped for longer than their lease lasts, wake up and write once more without
// asking whether they still hold it. What the store took, in its order, is the judge.
//
// A store is a module scripts/lib/fence-store-<name>.mjs with
// - open({ dir, fence }): in the main process; starts what is needed and resolves with
//   { settings, audit(), close() }. `fence` is the module holdfast/fence; `settings` is JSON and
//   goes to every worker; audit() resolves with all writes that were accepted, in the order in
//   which the store took them: [{ resource, token, value }].
// - connect(settings, fence): in each worker's process; resolves with { guardedWrite, bareWrite,
//   close }. Both writes take (resource, claim, value) and append to what audit() tells, in one
//   transaction; the first presents the claim to the guard, the second does not.
// - BREAK: { file, from, to }, a text in dist/src that makes the comparison, and one that lets
//   everything pass: with it the race must be lost, or it shows nothing.

import { fork } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localCluster } from '../../dist/src/node.js';

const DIST = new URL('../../dist/src/', import.meta.url);
const WORKER = fileURLToPath(new URL('fence-race-worker.mjs', import.meta.url));
const WORKERS = 8;
/** Two workers for each: one writes while the other sleeps. */
const RESOURCES = 4;
const TTL_MS = 1_000;
const PAUSE_MS = 1_500;
/** How long a worker may take to end what it is at. */
const END_MS = 30_000;

/** The modes of a race: with the guard, without it, with a guard that compares nothing. */
export const MODES = ['guarded', 'bare', 'broken'];

/**
 * Runs one race for each store and mode, on one cluster, and resolves with
 * [{ store, mode, seconds, workers, pauses, accepted, refused, failed, overwrites, failures }]:
 * `overwrites` are writes that were taken after one with a larger token. With `isJoint` there is
 * one race for each mode, whose workers write to all stores in turn.
 */
export async function fenceRaces({ stores, modes = ['guarded'], seconds = 30, isJoint = false }) {
  const cluster = await localCluster({ nodes: 3 });
  const groups = isJoint ? [stores] : stores.map((store) => [store]);
  try {
    const results = [];
    for (const group of groups) {
      for (const mode of modes) {
        const task = { mode, seconds, nodes: cluster.addresses };
        results.push(...(await raceIn(task, group)));
      }
    }
    return results;
  } finally {
    await cluster.stop();
  }
}

/** Opens the stores, each in a directory of its own, and lets the workers race at them. */
async function raceIn(task, names) {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-race-'));
  // A server may run as a user of its own, which must reach what it has below.
  await chmod(dir, 0o711);
  const stores = [];
  try {
    for (const store of names) stores.push(await openStore(store, task.mode, join(dir, store)));
    return await raceOn(task, stores);
  } finally {
    for (const { opened } of stores) await opened.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function openStore(store, mode, dir) {
  await mkdir(dir);
  const module = await import(new URL(`fence-store-${store}.mjs`, import.meta.url));
  const fence = mode === 'broken' ? await brokenFence(dir, module.BREAK) : entryOf(DIST);
  const opened = await module.open({ dir, fence: await import(fence) });
  return { store, fence, opened };
}

async function raceOn(task, stores) {
  const workers = [];
  const places = stores.map(({ store, fence, opened: { settings } }) => ({
    store,
    fence,
    settings,
  }));
  try {
    for (let n = 0; n < WORKERS; n++) workers.push(startWorker({ ...task, n, stores: places }));
    await Promise.all(workers.map(({ ready }) => ready));
    for (const { child } of workers) child.send({ type: 'go' });
    await new Promise((resolve) => setTimeout(resolve, task.seconds * 1_000));
    for (const { child } of workers) child.send({ type: 'stop' });
    const told = await Promise.all(workers.map(({ done }) => done));
    const pauses = sumOf(told, 'pauses');
    return await Promise.all(
      stores.map(async ({ store, opened }) => {
        const own = told.map(({ stores }) => stores[store]);
        return judge({ ...task, store, pauses }, own, await opened.audit());
      }),
    );
  } finally {
    for (const { child } of workers) child.kill('SIGKILL');
  }
}

/** A process; it is stopped by a signal for as long as it asks. */
function startWorker(task) {
  const resource = `race/${task.n % RESOURCES}`;
  const own = { ...task, resource, ttlMs: TTL_MS, pauseMs: PAUSE_MS };
  const child = fork(WORKER, [JSON.stringify(own)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // That leases are lost is what is wanted here.
    execArgv: ['--disable-warning=HoldfastWarning'],
  });
  let onReady;
  const ready = new Promise((resolve) => (onReady = resolve));
  const done = new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (message.type === 'ready') onReady();
      else if (message.type === 'done') resolve(message);
      else if (message.type === 'stop me') setTimeout(stopFor, message.inMs, child, PAUSE_MS);
    });
    child.on('exit', (code) => reject(new Error(`worker ${task.n} ended with ${code}`)));
    const end = setTimeout(
      () => reject(new Error(`worker ${task.n} does not end`)),
      task.seconds * 1_000 + END_MS,
    );
    end.unref();
  });
  done.catch(() => onReady());
  return { child, ready, done };
}

function stopFor(child, ms) {
  child.kill('SIGSTOP');
  setTimeout(() => {
    if (child.connected) child.send({ type: 'woken' });
    child.kill('SIGCONT');
  }, ms);
}

function judge({ store, mode, seconds, pauses }, told, audit) {
  const largest = new Map();
  let overwrites = 0;
  for (const { resource, token } of audit) {
    const most = largest.get(resource) ?? 0;
    if (token < most) overwrites += 1;
    else largest.set(resource, token);
  }
  const accepted = sumOf(told, 'accepted');
  if (accepted !== audit.length) {
    throw new Error(`workers were told of ${accepted} writes, the store tells of ${audit.length}`);
  }
  return {
    ...{ store, mode, seconds, workers: WORKERS, pauses, accepted },
    ...{ refused: sumOf(told, 'refused'), failed: sumOf(told, 'failed'), overwrites },
    failures: [...new Set(told.flatMap(({ failures }) => failures))].slice(0, 5),
  };
}

function sumOf(list, field) {
  return list.reduce((total, each) => total + each[field], 0);
}

/** A copy of the guards in which one text is replaced. */
async function brokenFence(dir, { file, from, to }) {
  const copy = join(dir, 'broken');
  await mkdir(copy);
  for (const part of ['base', 'fence', 'fence.js', 'fence.js.map', 'locks']) {
    await cp(new URL(part, DIST), join(copy, part), { recursive: true });
  }
  await writeFile(join(copy, 'package.json'), '{ "type": "module" }');
  const path = join(copy, file);
  const text = await readFile(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`);
  await writeFile(path, text.replaceAll(from, to));
  return entryOf(new URL(`file://${copy}/`));
}

function entryOf(folder) {
  return new URL('fence.js', folder).href;
}
