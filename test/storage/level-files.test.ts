// The same storage on LevelDB and real files: whole after every restart, and whatever byte of
// whatever file is flipped, a start either refuses or finds exactly what was written, at least up
// to the durable floor. LevelDB alone does not give that (RAFT.md §15.1.2).

import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { watchWrites } from '../adapters/level-writes.ts';
import { close, FLOOR, open, start, storageIn, TERM, TERMS, VOTE } from './level-directory.ts';
import { writeDirectory } from './level-directory.ts';
import type { Verdict } from './level-directory.ts';
import { entriesOf, valueOf } from './rig.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
// Memory, where there is such a thing: these tests are about bytes, not about syncs.
const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'holdfast-'));
let bundle = '';

beforeAll(async () => {
  const cache = join(repository, '.cache');
  mkdirSync(cache, { recursive: true });
  bundle = mkdtempSync(join(cache, 'start-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: join(repository, 'test/storage/start-child.ts'),
      outDir: bundle,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'start-child.mjs' } },
    },
  });
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  rmSync(bundle, { recursive: true, force: true });
});

/** LevelDB itself ended the process: loud, but without an exit code of ours. */
const ABORTED: Verdict = { exitCode: 134 };

/** Starts a node in each directory, one after the other, going on after an abort. */
async function startAll(directories: readonly string[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  while (verdicts.length < directories.length) {
    const left = directories.slice(verdicts.length);
    const lines = await runChild(left);
    verdicts.push(...lines);
    if (lines.length < left.length) verdicts.push(ABORTED);
  }
  return verdicts;
}

function runChild(directories: readonly string[]): Promise<readonly Verdict[]> {
  const script = join(bundle, 'start-child.mjs');
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, ...directories], (error, stdout, stderr) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      const isAborted = error?.signal === 'SIGABRT' || error?.signal === 'SIGSEGV';
      if (error !== null && !isAborted) reject(new Error(stderr));
      else resolve(lines.map((line): Verdict => JSON.parse(line)));
    });
  });
}

function expectHonest(verdict: Verdict): void {
  if (!('terms' in verdict)) {
    expect([82, 83, 84, 85, 86, ABORTED.exitCode]).toContain(verdict.exitCode);
    return;
  }
  const written = entriesOf(1, TERMS.slice(0, verdict.lastIndex));
  expect(verdict.lastIndex).toBeGreaterThanOrEqual(FLOOR.index);
  expect(verdict).toMatchObject({
    term: TERM,
    vote: VOTE,
    terms: written.map((entry) => entry.term),
    payloads: written.map((entry) => [...entry.payload]),
  });
}

/** Every file that a start depends on, relative to the directory. */
function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(directory, name)).isFile())
    .filter((name) => statSync(join(directory, name)).size > 0 && !/LOG(\.old)?$/.test(name))
    .sort((left, right) => (left < right ? -1 : 1));
}

/** Copies of the directory, each with one byte flipped, in many places of every file. */
function flippedCopies(directory: string, placesPerFile: number): readonly string[] {
  const copies: string[] = [];
  for (const name of filesIn(directory)) {
    const bytes = readFileSync(join(directory, name));
    const places = Math.min(placesPerFile, bytes.length);
    for (let place = 0; place < places; place++) {
      const copy = `${directory}-${copies.length}`;
      cpSync(directory, copy, { recursive: true });
      const flipped = Uint8Array.from(bytes);
      const at = Math.floor(((place + 0.5) * bytes.length) / places);
      flipped[at] = (flipped[at] ?? 0) ^ 0x04;
      writeFileSync(join(copy, name), flipped);
      copies.push(copy);
    }
  }
  return copies;
}

function isRefusal(verdict: Verdict): boolean {
  return verdict.exitCode !== 0;
}

test('a log on real files comes back through several starts', async () => {
  const directory = join(root, 'plain');
  await writeDirectory(directory);
  const verdicts = await startAll([directory, directory, directory]);
  verdicts.forEach(expectHonest);
  expect(verdicts).toMatchObject([{ lastIndex: 40 }, { lastIndex: 40 }, { lastIndex: 40 }]);
});

test('M-79 a flipped byte in the write-ahead log is never a silent wrong answer', async () => {
  const directory = join(root, 'ahead');
  await writeDirectory(directory);
  expect(filesIn(directory).some((name) => name.endsWith('.log'))).toBe(true);
  const verdicts = await startAll(flippedCopies(directory, 40));
  verdicts.forEach(expectHonest);
  expect(verdicts.filter(isRefusal).length).toBeGreaterThan(20);
});

test('M-79 a flipped byte in a table is never a silent wrong answer', async () => {
  const directory = join(root, 'table');
  await writeDirectory(directory);
  // An open turns the write-ahead log into a table.
  expectHonest(await start(directory));
  expect(filesIn(directory).some((name) => name.endsWith('.ldb'))).toBe(true);
  const verdicts = await startAll(flippedCopies(directory, 40));
  verdicts.forEach(expectHonest);
  expect(verdicts.filter(isRefusal).length).toBeGreaterThan(20);
});

test('84 a write-ahead log that lost its end is refused below the floor, honest above', async () => {
  const directory = join(root, 'short');
  await writeDirectory(directory);
  const name = filesIn(directory).find((each) => each.endsWith('.log')) ?? '';
  const { size } = statSync(join(directory, name));
  const copies = Array.from({ length: 20 }, (_, part) => {
    const copy = `${directory}-${part}`;
    cpSync(directory, copy, { recursive: true });
    truncateSync(join(copy, name), Math.floor((size * part) / 20));
    return copy;
  });
  const verdicts = await startAll(copies);
  verdicts.forEach(expectHonest);
  expect(verdicts).toContainEqual({ exitCode: 84 });
  expect(verdicts.some((verdict) => !isRefusal(verdict))).toBe(true);
});

test('81 a directory that is open elsewhere', async () => {
  const directory = join(root, 'locked');
  await writeDirectory(directory);
  const storage = storageIn(directory);
  valueOf(await open(storage));
  expect(await startAll([directory])).toEqual([{ exitCode: 81 }]);
  expect(await start(directory)).toEqual({ exitCode: 81 });
  await close(storage);
  expectHonest(await start(directory));
});

test('M-65 every batch is synced, and nothing is ever cleared or repaired', async () => {
  const options = watchWrites();
  await writeDirectory(join(root, 'synced'));
  vi.restoreAllMocks();
  expect(options.length).toBeGreaterThan(40);
  for (const each of options) expect(each).toEqual({ sync: true });
  const adapter = readFileSync(join(repository, 'src/adapters/level-store.ts'), 'utf8');
  expect(adapter).not.toMatch(/\.(clear|repair|destroy)\(/);
});
