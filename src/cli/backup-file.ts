// A backup on disk: written under a temporary name, and given its own only when all of it is
// durable; read with every checksum, and made a state of that must have the right sum.

import type { FileHandle } from 'node:fs/promises';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../adapters/sync-directory.ts';
import { createMachineLoader } from '../locks/loader.ts';
import type { LockMachine, MachineLoader } from '../locks/machine-types.ts';
import { RowError } from '../locks/row-reader.ts';
import {
  BackupReader,
  BackupWriter,
  decodeBackupHeader,
  encodeBackupHeader,
} from '../wire/backup.ts';
import type { BackupHeader } from '../wire/backup.ts';
import {
  decodeSnapshotEnd,
  decodeSnapshotMeta,
  decodeSnapshotRows,
  encodeSnapshotEnd,
  encodeSnapshotMeta,
  encodeSnapshotRows,
} from '../wire/checkpoint.ts';
import type { SnapshotMeta, StoredRow } from '../wire/checkpoint.ts';
import { DecodeError } from '../wire/decode-error.ts';
import { decodeRowValue } from '../wire/rows.ts';
import { EXIT, Failure } from './exit-code.ts';

const READ_BYTES = 1024 * 1024;
const STEP_MAX = 100_000;

/** What goes into a file. */
export interface BackupContent {
  readonly header: BackupHeader;
  readonly meta: SnapshotMeta;
  readonly pages: AsyncIterable<readonly StoredRow[]>;
}

/** A file that is whole. */
export interface ReadBackup {
  readonly header: BackupHeader;
  readonly meta: SnapshotMeta;
  readonly machine: LockMachine;
  readonly rows: number;
  readonly bytes: number;
}

/** Resolves when the file is durable under its name. Nothing is left of it when this rejects. */
export async function writeBackup(path: string, content: BackupContent): Promise<void> {
  const temporary = `${path}.part`;
  const file = await openFile(temporary, 'w');
  try {
    const writer = new BackupWriter();
    await file.writeFile(writer.begin());
    await file.writeFile(writer.piece(encodeBackupHeader(content.header)));
    await file.writeFile(writer.piece(encodeSnapshotMeta(content.meta)));
    let count = 0;
    for await (const rows of content.pages) {
      if (rows.length > 0) await file.writeFile(writer.piece(encodeSnapshotRows(rows)));
      count += rows.length;
    }
    const { rowSum } = content.meta.checkpoint;
    await file.writeFile(writer.piece(encodeSnapshotEnd({ count, rowSum })));
    await file.writeFile(writer.end());
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Reads and verifies all of it. Rejects with a Failure (65) for anything but a whole backup. */
export async function readBackup(path: string): Promise<ReadBackup> {
  try {
    return await readWhole(path);
  } catch (error) {
    if (error instanceof DecodeError || error instanceof RowError) {
      throw new Failure(EXIT.dataFormat, `INVALID: ${path}: ${error.message}`);
    }
    throw error;
  }
}

async function readWhole(path: string): Promise<ReadBackup> {
  const file = await openFile(path, 'r');
  try {
    const reader = new BackupReader();
    const assembly = new Assembly();
    const buffer = new Uint8Array(READ_BYTES);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES);
      if (bytesRead === 0) break;
      bytes += bytesRead;
      for (const piece of reader.take(buffer.subarray(0, bytesRead))) assembly.add(piece);
    }
    reader.end();
    return { ...assembly.finish(), bytes };
  } finally {
    await file.close();
  }
}

// A path with a typing error is the everyday case, and no bug.
async function openFile(path: string, flags: 'r' | 'w'): Promise<FileHandle> {
  try {
    const file = await open(path, flags, 0o600);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new Failure(EXIT.usage, `INVALID: ${path} is no file`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Failure(EXIT.usage, `INVALID: ${path} cannot be opened: ${why}`);
  }
}

/** Makes a state of the pieces. Throws DecodeError and RowError. */
class Assembly {
  private header: BackupHeader | null = null;
  private meta: SnapshotMeta | null = null;
  private loader: MachineLoader | null = null;
  /** Of the pieces that came the last one: it is rows until another one follows. */
  private last: Uint8Array | null = null;

  add(piece: Uint8Array): void {
    if (this.header === null) this.header = decodeBackupHeader(piece);
    else if (this.meta === null) {
      this.meta = decodeSnapshotMeta(piece);
      this.loader = createMachineLoader(this.meta.founding.limits);
    } else {
      if (this.last !== null) this.load(this.last);
      this.last = piece;
    }
  }

  finish(): Omit<ReadBackup, 'bytes'> {
    const { header, meta, loader, last } = this;
    if (header === null || meta === null || loader === null || last === null) {
      throw new DecodeError('the file has no state in it');
    }
    const { count, rowSum } = decodeSnapshotEnd(last);
    if (count !== loader.count) {
      throw new DecodeError(`the file has ${loader.count} rows, and ${count} were written`);
    }
    while (!loader.finish(STEP_MAX));
    const machine = loader.machine();
    const sum = machine.stateHash();
    if (sum !== rowSum || sum !== meta.checkpoint.rowSum) {
      throw new DecodeError(`its rows sum up to ${sum}, and ${rowSum} was expected`);
    }
    return { header, meta, machine, rows: count };
  }

  private load(piece: Uint8Array): void {
    const rows = decodeSnapshotRows(piece);
    this.loader?.add(rows.map(({ key, value }) => ({ key, value: decodeRowValue(value) })));
  }
}
