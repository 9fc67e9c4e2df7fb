// A small file that is replaced in place: one write of a whole block, one fdatasync. A power loss
// may tear it; that is what the second slot is for. The two are written one after the other, and
// nothing that depends on a version leaves before both hold it (RAFT.md §15.2): so while one is
// torn, the other holds a version that everything so far depended on.
//
// The file keeps its size, so that a sync has no metadata to write: 0.2 ms on ext4 where
// write-aside, rename and two syncs took 4 ms. An election waits for four of these.

import type { FileHandle } from 'node:fs/promises';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SlotFile, Stored } from '../ports/storage.ts';
import { syncDirectory } from './sync-directory.ts';
import { errorCode, storageFailure } from './storage-failure.ts';

const BLOCK_BYTES = 4_096;
/** Length of the content, little-endian, before it. */
const HEADER_BYTES = 4;

/** The slot file at this path; its directory must exist. One writer, one write at a time. */
export function createSlotFile(path: string): SlotFile {
  return {
    read: (done) => void readContent(path).then(done),
    write: (content, done) => void store(path, frame(content)).then(done),
  };
}

function frame(content: Uint8Array): Uint8Array {
  const blocks = Math.ceil((HEADER_BYTES + content.length) / BLOCK_BYTES);
  const bytes = new Uint8Array(blocks * BLOCK_BYTES);
  new DataView(bytes.buffer).setUint32(0, content.length, true);
  bytes.set(content, HEADER_BYTES);
  return bytes;
}

/** The content; a file that is no frame is given as it is, for its reader to find it damaged. */
function unframe(file: Uint8Array): Uint8Array {
  if (file.length < HEADER_BYTES) return file;
  const length = new DataView(file.buffer, file.byteOffset).getUint32(0, true);
  if (length > file.length - HEADER_BYTES) return file;
  return file.subarray(HEADER_BYTES, HEADER_BYTES + length);
}

async function readContent(path: string): Promise<Stored<Uint8Array | null>> {
  try {
    return { ok: true, value: unframe(await readFile(path)) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { ok: true, value: null };
    return { ok: false, failure: storageFailure(error) };
  }
}

async function store(path: string, bytes: Uint8Array): Promise<Stored<void>> {
  try {
    const file = await openExisting(path);
    if (file === null) await create(path, bytes);
    else await overwrite(file, bytes);
    return { ok: true, value: undefined };
  } catch (error) {
    return { ok: false, failure: storageFailure(error) };
  }
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function overwrite(file: FileHandle, bytes: Uint8Array): Promise<void> {
  try {
    await writeAll(file, bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** The first version appears whole or not at all: there may be no second slot yet. */
async function create(path: string, bytes: Uint8Array): Promise<void> {
  const fresh = `${path}.tmp`;
  const file = await open(fresh, 'w');
  try {
    await writeAll(file, bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  await syncDirectory(dirname(path));
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, at);
    at += bytesWritten;
  }
}
