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
import type { KeyValue, KeyValueOp, KeyValuePair, Stored } from '../ports/storage.ts';
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

  batch(ops: readonly KeyValueOp[], done: (result: Stored<void>) => void): void {
    void settle(this.writeBatch(ops)).then(done);
  }

  range(
    from: string,
    to: string,
    maxBytes: number,
    done: (result: Stored<readonly KeyValuePair[]>) => void,
  ): void {
    void settle(this.readRange(from, to, maxBytes)).then(done);
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

  private async writeBatch(ops: readonly KeyValueOp[]): Promise<void> {
    await this.opened().batch(ops.map(toLevelOp), { sync: true });
  }

  private async readRange(
    from: string,
    to: string,
    maxBytes: number,
  ): Promise<readonly KeyValuePair[]> {
    const iterator = this.opened().iterator({
      gte: from,
      lt: to,
      highWaterMarkBytes: maxBytes,
      fillCache: false,
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

/** Pairs of one page, so that tiny values cannot make it endless. */
const PAIRS_MAX = 100_000;

class MissingStoreError extends Error {
  readonly code = 'LEVEL_CORRUPTION';

  constructor(directory: string) {
    super(`there is no store in ${directory}`);
  }
}

function toLevelOp(op: KeyValueOp) {
  return op.type === 'put'
    ? { type: 'put' as const, key: op.key, value: op.value }
    : { type: 'del' as const, key: op.key };
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

async function settle<T>(promise: Promise<T>): Promise<Stored<T>> {
  try {
    return { ok: true, value: await promise };
  } catch (error) {
    return { ok: false, failure: storageFailure(error) };
  }
}
