// The log store on LevelDB. Every batch is synced; `clear` and `repair` are never called on a
// voter's data: one deletes unsynced, the other rolled a vote back (RAFT.md §15.1.1, §15.1.3).
//
// LevelDB syncs its write-ahead file, but not the directory in which it begins a new one. We sync
// the directory after opening. For the files that it begins later (every 64 MiB) we rely on the
// file system: ext4, xfs and btrfs make the name of a new file durable with the first sync of the
// file (§15.1.5).

import { access, mkdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Level } from 'level';
import type {
  KeyValue,
  KeyValueOp,
  KeyValuePair,
  KeyValueSnapshot,
  Stored,
} from '../ports/storage.ts';
import { storageFailure } from './storage-failure.ts';
import { syncDirectory } from './sync-directory.ts';

const WRITE_BUFFER_BYTES = 64 * 1024 * 1024;

/** A store in this directory, which is LevelDB's alone. */
export function createLevelStore(directory: string): KeyValue {
  return new LevelStore(directory);
}

class LevelStore implements KeyValue {
  private readonly directory: string;
  private level: Level<string, Uint8Array> | null = null;

  constructor(directory: string) {
    this.directory = directory;
  }

  open(create: boolean, done: (result: Stored<{ readonly created: boolean }>) => void): void {
    void settle(this.openLevel(create)).then(done);
  }

  batch(ops: Iterable<KeyValueOp>, done: (result: Stored<void>) => void): void {
    void settle(this.writeBatch(ops)).then(done);
  }

  range(
    from: string,
    to: string,
    maxBytes: number,
    done: (result: Stored<readonly KeyValuePair[]>) => void,
  ): void {
    void settle(this.readRange({ from, to, maxBytes })).then(done);
  }

  snapshot(done: (result: Stored<KeyValueSnapshot>) => void): void {
    void settle(this.openSnapshot()).then(done);
  }

  freeBytes(done: (result: Stored<number>) => void): void {
    void settle(this.countFreeBytes()).then(done);
  }

  close(done: () => void): void {
    const closing = this.level?.close() ?? Promise.resolve();
    this.level = null;
    void settle(closing).then(() => done());
  }

  private async openLevel(create: boolean): Promise<{ readonly created: boolean }> {
    const isThere = await exists(join(this.directory, 'CURRENT'));
    if (!isThere && !create) throw new MissingStoreError(this.directory);
    await mkdir(this.directory, { recursive: true });
    const level = new Level<string, Uint8Array>(this.directory, {
      keyEncoding: 'utf8',
      valueEncoding: 'view',
    });
    await level.open({
      createIfMissing: create,
      compression: false,
      writeBufferSize: WRITE_BUFFER_BYTES,
    });
    this.level = level;
    await syncDirectory(this.directory);
    if (!isThere) await syncDirectory(dirname(this.directory));
    return { created: !isThere };
  }

  // A chained batch costs the event loop less than half of an array of operations: 6 µs for the
  // two of a log batch, against 14. What it holds is freed when it is collected as young garbage.
  private async writeBatch(ops: Iterable<KeyValueOp>): Promise<void> {
    const batch = this.opened().batch();
    const iterator = ops[Symbol.iterator]();
    while (!fill(batch, iterator)) await nextTurn();
    await batch.write(SYNCED);
  }

  private async openSnapshot(): Promise<KeyValueSnapshot> {
    const snapshot = this.opened().snapshot();
    return {
      range: (from, to, maxBytes, done) => {
        void settle(this.readRange({ from, to, maxBytes, snapshot })).then(done);
      },
      // It is closed when nothing reads from it any more; closing cannot fail.
      close: () => void snapshot.close(),
    };
  }

  private async readRange(range: Range): Promise<readonly KeyValuePair[]> {
    const { from, to, maxBytes, snapshot } = range;
    const iterator = this.opened().iterator({
      gte: from,
      lt: to,
      highWaterMarkBytes: maxBytes,
      fillCache: false,
      snapshot,
    });
    try {
      const pairs = await iterator.nextv(PAIRS_MAX);
      return pairs.map(([key, value]) => ({ key, value }));
    } finally {
      await iterator.close();
    }
  }

  private async countFreeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.directory);
    return bavail * bsize;
  }

  private opened(): Level<string, Uint8Array> {
    if (this.level === null) throw new Error(`the store in ${this.directory} is not open`);
    return this.level;
  }
}

/** What is read, from an open snapshot or from the store as it is now. */
interface Range {
  readonly from: string;
  readonly to: string;
  readonly maxBytes: number;
  readonly snapshot?: ReturnType<Level<string, Uint8Array>['snapshot']>;
}

type Batch = ReturnType<Level<string, Uint8Array>['batch']>;

const SYNCED = { sync: true };
/** Operations of a long batch that are taken in one turn of the event loop: 1 or 2 ms. */
const SLICE_OPS = 512;

/** Pairs of one page, so that tiny values cannot make it endless. */
const PAIRS_MAX = 100_000;

class MissingStoreError extends Error {
  readonly code = 'LEVEL_CORRUPTION';

  constructor(directory: string) {
    super(`there is no store in ${directory}`);
  }
}

/** Puts one slice into the batch; true when that was the last. */
function fill(batch: Batch, ops: Iterator<KeyValueOp>): boolean {
  for (let taken = 0; taken < SLICE_OPS; taken++) {
    const next = ops.next();
    if (next.done === true) return true;
    const op = next.value;
    if (op.type === 'put') batch.put(op.key, op.value);
    else batch.del(op.key);
  }
  return false;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function settle<T>(promise: Promise<T>): Promise<Stored<T>> {
  try {
    return { ok: true, value: await promise };
  } catch (error) {
    return { ok: false, failure: storageFailure(error) };
  }
}
