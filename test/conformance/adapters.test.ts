import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLevelStore } from '../../src/adapters/level-store.ts';
import { createSlotFile } from '../../src/adapters/slot-file.ts';
import { storageFailure } from '../../src/adapters/storage-failure.ts';
import { createSystemClock } from '../../src/adapters/system-clock.ts';
import { createSystemRandom } from '../../src/adapters/system-random.ts';
import type { Stored } from '../../src/ports/storage.ts';
import { clockSuite } from './clock.ts';
import { keyValueSuite } from './key-value.ts';
import { slotFileSuite } from './slot-file.ts';

/** Waits for an answer, which must not come inside the call. */
function ask<T>(start: (done: (answer: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let isInside = true;
    start((answer) => {
      if (isInside) reject(new Error('a call-back ran inside its call'));
      resolve(answer);
    });
    isInside = false;
  });
}

function scratch(): { readonly path: string; dispose(): void } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-'));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

keyValueSuite('LevelDB', () => {
  const { path, dispose } = scratch();
  return { ask, dispose, handle: () => createLevelStore(join(path, 'log')) };
});

slotFileSuite('a real file', () => {
  const { path, dispose } = scratch();
  return { ask, dispose, handle: () => createSlotFile(join(path, 'slot-a')) };
});

clockSuite('the system', (program) => {
  return new Promise((resolve) => program(createSystemClock(), resolve));
});

test('a slot survives a write that a crash left half done beside it', async () => {
  const { path, dispose } = scratch();
  const slot = createSlotFile(join(path, 'slot-a'));
  await ask<Stored<void>>((done) => slot.write(Uint8Array.of(1, 2), done));
  writeFileSync(join(path, 'slot-a.tmp'), 'half');
  const read = await ask<Stored<Uint8Array | null>>((done) => slot.read(done));
  expect(read.ok && [...(read.value ?? [])]).toEqual([1, 2]);
  expect((await ask<Stored<void>>((done) => slot.write(Uint8Array.of(3), done))).ok).toBe(true);
  dispose();
});

test('a slot in a directory that is not there fails as io', async () => {
  const slot = createSlotFile('/nonexistent/holdfast/slot-a');
  const result = await ask<Stored<void>>((done) => slot.write(Uint8Array.of(1), done));
  expect(!result.ok && result.failure.kind).toBe('io');
});

test('errors of the system and of LevelDB are told apart by code and text', () => {
  const coded = (code: string): Error => Object.assign(new Error('x'), { code });
  const level = new Error('Database failed to write', {
    cause: new Error('IO error: /d/000003.log: No space left on device'),
  });
  expect(storageFailure(coded('ENOSPC')).kind).toBe('full');
  expect(storageFailure(coded('EDQUOT')).kind).toBe('full');
  expect(storageFailure(level).kind).toBe('full');
  expect(storageFailure(coded('EIO')).kind).toBe('io');
  expect(storageFailure(coded('LEVEL_CORRUPTION')).kind).toBe('corrupt');
  expect(storageFailure(new Error('a', { cause: coded('LEVEL_LOCKED') })).kind).toBe('locked');
  expect(storageFailure(level).message).toMatch(/failed to write: IO error.*No space left/);
});

test('a delay beyond what setTimeout takes is cut to it, not fired at once', async () => {
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(warning.name);
  process.on('warning', note);
  const clock = createSystemClock();
  const timer = clock.after(1e15, () => warnings.push('rang'));
  await new Promise<void>((resolve) => clock.after(5_000, resolve));
  timer.cancel();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test('random numbers are whole, in range, and fill all 32 bits', () => {
  const random = createSystemRandom();
  const drawn = Array.from({ length: 2_000 }, () => random.u32());
  expect(drawn.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32)).toBe(
    true,
  );
  expect(new Set(drawn).size).toBeGreaterThan(1_990);
  for (let bit = 0; bit < 32; bit++) {
    expect(drawn.some((value) => (value >>> bit) % 2 === 1)).toBe(true);
    expect(drawn.some((value) => (value >>> bit) % 2 === 0)).toBe(true);
  }
});
