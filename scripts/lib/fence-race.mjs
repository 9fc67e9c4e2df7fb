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
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
 * `overwrites` are writes that were taken after one with a larger token.
 */
export async function fenceRaces({ stores, modes = ['guarded'], seconds = 30 }) {
  const cluster = await localCluster({ nodes: 3 });
  try {
    const results = [];
    for (const store of stores) {
      const module = await import(new URL(`fence-store-${store}.mjs`, import.meta.url));
      for (const mode of modes) {
        results.push(await raceIn({ store, mode, seconds, nodes: cluster.addresses }, module));
      }
    }
    return results;
  } finally {
    await cluster.stop();
  }
}

async function raceIn(task, module) {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-race-'));
  try {
    const fence = task.mode === 'broken' ? await brokenFence(dir, module.BREAK) : entryOf(DIST);
    return await raceOn({ ...task, fence }, module, dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function raceOn(task, module, dir) {
  const opened = await module.open({ dir, fence: await import(task.fence) });
  const workers = [];
  try {
    for (let n = 0; n < WORKERS; n++) {
      workers.push(startWorker({ ...task, n, settings: opened.settings }));
    }
    await Promise.all(workers.map(({ ready }) => ready));
    for (const { child } of workers) child.send({ type: 'go' });
    await new Promise((resolve) => setTimeout(resolve, task.seconds * 1_000));
    for (const { child } of workers) child.send({ type: 'stop' });
    const told = await Promise.all(workers.map(({ done }) => done));
    return judge(task, told, await opened.audit());
  } finally {
    for (const { child } of workers) child.kill('SIGKILL');
    await opened.close();
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
      else if (message.type === 'stop me') stopFor(child, PAUSE_MS);
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

function judge({ store, mode, seconds }, told, audit) {
  const sum = (field) => told.reduce((total, each) => total + each[field], 0);
  const largest = new Map();
  let overwrites = 0;
  for (const { resource, token } of audit) {
    const most = largest.get(resource) ?? 0;
    if (token < most) overwrites += 1;
    else largest.set(resource, token);
  }
  const accepted = sum('accepted');
  if (accepted !== audit.length) {
    throw new Error(`workers were told of ${accepted} writes, the store tells of ${audit.length}`);
  }
  return {
    ...{ store, mode, seconds, workers: WORKERS, pauses: sum('pauses') },
    ...{ accepted, refused: sum('refused'), failed: sum('failed'), overwrites },
    failures: [...new Set(told.flatMap(({ failures }) => failures))].slice(0, 5),
  };
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
