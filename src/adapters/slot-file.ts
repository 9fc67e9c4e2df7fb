// A small file that is replaced as a whole: written beside, synced, renamed over the old one, the
// directory synced. Overwriting in place would have a moment in which a power loss leaves neither
// the old nor the new content, and a torn slot cannot be told from a rotten one (RAFT.md §15.2).

import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SlotFile, Stored } from '../ports/storage.ts';
import { syncDirectory } from './sync-directory.ts';
import { errorCode, storageFailure } from './storage-failure.ts';

/** The slot file at this path; its directory must exist. One writer, one write at a time. */
export function createSlotFile(path: string): SlotFile {
  return {
    read: (done) => void readWhole(path).then(done),
    write: (content, done) => void replace(path, content).then(done),
  };
}

async function readWhole(path: string): Promise<Stored<Uint8Array | null>> {
  try {
    return { ok: true, value: await readFile(path) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { ok: true, value: null };
    return { ok: false, failure: storageFailure(error) };
  }
}

async function replace(path: string, content: Uint8Array): Promise<Stored<void>> {
  const fresh = `${path}.tmp`;
  try {
    const file = await open(fresh, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
    await syncDirectory(dirname(path));
    return { ok: true, value: undefined };
  } catch (error) {
    return { ok: false, failure: storageFailure(error) };
  }
}
