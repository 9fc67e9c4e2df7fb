// The storage of one node, without the rest: rows of a large state written in deltas with the log
// beside them, read back as a start reads them, and held still for a transfer.

import { join } from 'node:path';
import { createLevelStore } from '../../dist/src/adapters/level-store.js';
import { createSlotFile } from '../../dist/src/adapters/slot-file.js';
import { createSystemRandom } from '../../dist/src/adapters/system-random.js';
import { DEFAULT_LIMITS } from '../../dist/src/locks/commands.js';
import { createNodeStorage } from '../../dist/src/node/storage/storage.js';
import { silentLogger } from '../../dist/src/ports/logger.js';
import { Latencies } from '../lib/latencies.mjs';

const PAGE_BYTES = 256 * 1024;
const STEP_MS = 1;
const MEMBERS = [{ nodeId: 'n1', storeId: 'store', address: '127.0.0.1:1' }];

const openStorage = (directory) =>
  createNodeStorage({
    keyValue: createLevelStore(join(directory, 'log')),
    slots: [createSlotFile(join(directory, 'slot-a')), createSlotFile(join(directory, 'slot-b'))],
    nodeId: 'n1',
    random: createSystemRandom(),
    logger: silentLogger,
    tailBytesMax: 8 * 1024 * 1024,
  });

const ask = (start) =>
  new Promise((resolve, reject) => {
    start((result) => (result.ok ? resolve(result.value) : reject(new Error(result.exit.message))));
  });

/** Runs it; how long it took, and the longest time in which no timer ran meanwhile. */
async function measured(work) {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  let seen = begun;
  let longestMs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - seen - STEP_MS);
    seen = now;
  }, STEP_MS);
  const value = await work();
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  const [seconds, cpuSeconds] = [(performance.now() - begun) / 1_000, (user + system) / 1e6];
  return { value, seconds, cpuSeconds, longestMs };
}

const keyAt = (at) => `g/${at.toString(16).padStart(14, '0')}/00000000000001`;

function entryAt(index) {
  const payload = new Uint8Array(64);
  const prevTerm = index === 1 ? 0 : 1;
  return { index, term: 1, prevTerm, type: 'command', payload, config: null, record: null };
}

function checkpointAt(index) {
  const config = {
    voters: MEMBERS,
    votersOutgoing: [],
    learners: [],
    learnersNext: [],
    retired: [],
  };
  const last = { index, term: index === 0 ? 0 : 1 };
  return { point: { last, config, configIndex: 0 }, rowSum: '0'.repeat(16) };
}

async function writeAll(storage, { rowCount, deltaRows, rowBytes }, latencies) {
  for (let from = 0, index = 1; from < rowCount; from += deltaRows, index += 1) {
    await ask((done) => storage.persist({ truncateFrom: null, entries: [entryAt(index)] }, done));
    const count = Math.min(deltaRows, rowCount - from);
    const rows = Array.from({ length: count }, (_, at) => ({
      key: keyAt(from + at),
      value: new Uint8Array(rowBytes),
    }));
    const begun = performance.now();
    const delta = { checkpoint: checkpointAt(index), rows, compactTo: index };
    await ask((done) => storage.checkpoint(delta, done));
    latencies.note(performance.now() - begun);
  }
}

async function readAll(source) {
  let count = 0;
  for (let after = ''; ;) {
    const { rows, isLast } = await ask((done) => source.rows(after, PAGE_BYTES, done));
    count += rows.length;
    if (isLast) return count;
    after = rows.at(-1).key;
  }
}

const FOUNDING = {
  clusterId: '0'.repeat(32),
  clusterName: 'bench',
  members: MEMBERS,
  limits: DEFAULT_LIMITS,
  origin: 0,
  restored: null,
};

/** Writes, reads through a view, opens again and reads as a start does. */
async function run(directory, size) {
  const storage = openStorage(directory);
  await ask((done) => storage.open(done));
  await ask((done) => storage.found(FOUNDING, done));
  await ask((done) => storage.writeHardState({ term: 1, vote: null }, done));
  const latencies = new Latencies();
  const written = await measured(() => writeAll(storage, size, latencies));
  const view = await ask((done) => storage.view(done));
  const viewed = await measured(() => readAll(view));
  view.close();
  await new Promise((resolve) => storage.close(resolve));
  const again = openStorage(directory);
  const opened = await measured(() => ask((done) => again.open(done)));
  const read = await measured(() => readAll(again));
  await new Promise((resolve) => again.close(resolve));
  for (const { value } of [viewed, read]) {
    if (value !== size.rowCount) throw new Error(`${size.rowCount} rows written, ${value} read`);
  }
  const deltaMs = { p50: latencies.percentile(50), max: latencies.maxMs };
  const phases = { written, viewed, opened, read };
  for (const phase of Object.values(phases)) delete phase.value;
  return { phases, deltaMs };
}

/** One directory for each run. */
export async function prepare() {
  return { run, close: async () => {} };
}
