// A node's directory on real files, with one known log, and what a start finds in it.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLevelStore } from '../../src/adapters/level-store.ts';
import { createSlotFile } from '../../src/adapters/slot-file.ts';
import { createSystemRandom } from '../../src/adapters/system-random.ts';
import { createNodeStorage } from '../../src/node/storage/storage.ts';
import type {
  LogBatch,
  NodeStorage,
  Recovered,
  StorageResult,
} from '../../src/node/storage/types.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { append, FOUNDING, replace, valueOf } from './rig.ts';

export const TERM = 3;
export const VOTE = { nodeId: 'n1', storeId: 'store-1' };
/** The durable floor of the written log; its end is entry 40. */
export const FLOOR = { index: 30, term: 3 };
/** Terms of the written log: forty entries in forty batches, after one cut. */
export const TERMS: readonly number[] = Array.from({ length: 40 }, (_, at) => (at < 20 ? 1 : 3));

/** What a start found, as JSON can carry it. */
export type Verdict =
  | { readonly exitCode: number }
  | {
      readonly exitCode: 0;
      readonly term: number;
      readonly vote: unknown;
      readonly lastIndex: number;
      readonly terms: readonly number[];
      readonly payloads: readonly (readonly number[])[];
    };

export function storageIn(directory: string): NodeStorage {
  return createNodeStorage({
    keyValue: createLevelStore(join(directory, 'log')),
    slots: [createSlotFile(join(directory, 'slot-a')), createSlotFile(join(directory, 'slot-b'))],
    nodeId: 'n1',
    random: createSystemRandom(),
    logger: silentLogger,
    tailBytesMax: 1_000_000,
  });
}

export function open(storage: NodeStorage): Promise<StorageResult<Recovered>> {
  return new Promise((resolve) => storage.open(resolve));
}

export function close(storage: NodeStorage): Promise<void> {
  return new Promise((resolve) => storage.close(resolve));
}

/** Makes the directory and writes the known log into it. */
export async function writeDirectory(directory: string): Promise<void> {
  mkdirSync(directory);
  const storage = storageIn(directory);
  valueOf(await open(storage));
  valueOf(
    await new Promise<StorageResult<Recovered>>((resolve) => storage.found(FOUNDING, resolve)),
  );
  await done((resolve) => storage.writeHardState({ term: TERM, vote: VOTE }, resolve));
  const persist = (batch: LogBatch): Promise<void> =>
    done((resolve) => storage.persist(batch, resolve));
  for (let index = 1; index <= 20; index++) await persist(append(index, [1], index === 1 ? 0 : 1));
  await persist(append(21, [2, 2, 2], 1));
  await persist(replace(21, [3], 1));
  for (let index = 22; index <= 40; index++) await persist(append(index, [3], 3));
  await done((resolve) => storage.raiseFloor(FLOOR, resolve));
  await close(storage);
}

/** Starts a node there once. */
export async function start(directory: string): Promise<Verdict> {
  const storage = storageIn(directory);
  const result = await open(storage);
  await close(storage);
  if (!result.ok) return { exitCode: result.exit.exitCode };
  const { raft } = result.value;
  return {
    exitCode: 0,
    term: raft?.term ?? 0,
    vote: raft?.vote ?? null,
    lastIndex: raft?.lastIndex ?? 0,
    terms: (raft?.tail ?? []).map((entry) => entry.term),
    payloads: (raft?.tail ?? []).map((entry) => [...entry.payload]),
  };
}

async function done(
  begin: (resolve: (result: StorageResult<void>) => void) => void,
): Promise<void> {
  valueOf(await new Promise<StorageResult<void>>(begin));
}
