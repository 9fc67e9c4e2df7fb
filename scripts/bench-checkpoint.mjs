// Checkpoints on LevelDB: rows of a large state written in deltas with the log beside them, read
// back as a start reads them, and held still for a transfer. Beside the times the longest stop of
// the event loop, which nothing of this may make longer than 50 ms on a machine that is idle.
//
//   node scripts/bench-checkpoint.mjs [--rows 1000000] [--delta 8192] [--bytes 120] [--dir DIR]

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLevelStore } from '../dist/adapters/level-store.js';
import { createSlotFile } from '../dist/adapters/slot-file.js';
import { createSystemRandom } from '../dist/adapters/system-random.js';
import { DEFAULT_LIMITS } from '../dist/locks/commands.js';
import { createNodeStorage } from '../dist/node/storage/storage.js';
import { silentLogger } from '../dist/ports/logger.js';
import { quantile, round } from './lib/measuring.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    delta: { type: 'string', default: '8192' },
    bytes: { type: 'string', default: '120' },
    dir: { type: 'string' },
  },
});
const [rowCount, deltaRows, rowBytes] = [values.rows, values.delta, values.bytes].map(Number);
const PAGE_BYTES = 256 * 1024;
const STEP_MS = 1;

const directory = values.dir ?? (await mkdtemp(join(tmpdir(), 'holdfast-checkpoint-')));
const members = [{ nodeId: 'n1', storeId: 'store', address: '127.0.0.1:1' }];

const openStorage = () =>
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
  return { value, tookMs: performance.now() - begun, cpuMs: (user + system) / 1000, longestMs };
}

function report(what, { tookMs, cpuMs, longestMs }, more = '') {
  const [took, cpu] = [tookMs, cpuMs].map((ms) => `${round(ms / 1000)} s`);
  const stop = `longest stop ${round(longestMs)} ms`;
  process.stdout.write(`${what.padEnd(28)} ${took}, processor ${cpu}, ${stop} ${more}\n`);
}

const keyAt = (at) => `g/${at.toString(16).padStart(14, '0')}/00000000000001`;

function entryAt(index) {
  const payload = new Uint8Array(64);
  const prevTerm = index === 1 ? 0 : 1;
  return { index, term: 1, prevTerm, type: 'command', payload, config: null, record: null };
}

function checkpointAt(index) {
  const config = {
    voters: members,
    votersOutgoing: [],
    learners: [],
    learnersNext: [],
    retired: [],
  };
  const last = { index, term: index === 0 ? 0 : 1 };
  return { point: { last, config, configIndex: 0 }, rowSum: '0'.repeat(16) };
}

async function writeAll(storage, times) {
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
    times.push(performance.now() - begun);
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

const founding = {
  clusterId: '0'.repeat(32),
  clusterName: 'bench',
  members,
  limits: DEFAULT_LIMITS,
  origin: 0,
  restored: null,
};

const storage = openStorage();
await ask((done) => storage.open(done));
await ask((done) => storage.found(founding, done));
await ask((done) => storage.writeHardState({ term: 1, vote: null }, done));
const times = [];
const written = await measured(() => writeAll(storage, times));
times.sort((left, right) => left - right);
const [middle, worst] = [quantile(times, 0.5), quantile(times, 1)].map(round);
report(
  `${rowCount} rows in deltas`,
  written,
  `(a delta of ${deltaRows}: ${middle} ms, max ${worst})`,
);
const view = await ask((done) => storage.view(done));
report('read through a view', await measured(() => readAll(view)));
view.close();
await new Promise((resolve) => storage.close(resolve));

const again = openStorage();
report('opened and verified', await measured(() => ask((done) => again.open(done))));
const read = await measured(() => readAll(again));
report('read as by a start', read, `(${read.value} rows)`);
await new Promise((resolve) => again.close(resolve));
if (values.dir === undefined) await rm(directory, { recursive: true, force: true });
