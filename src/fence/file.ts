// A guard of files, for several processes of one host. A resource is a folder with versions of its
// content; each is one file that holds what was written and the tokens that were seen by then. The
// next version is made by giving a finished, synced file the next number as a further name, which
// the file system grants to one only. Nobody takes a lock that a paused or dead process could keep:
//
// 1. A reads version 7 and finds its token good. A is paused.
// 2. B reads version 7 too, and makes version 8, with a larger token.
// 3. A wakes and wants to make version 8. It is there: A reads again, and its token is stale.
//
// Former versions are removed, but not the latest few, or A in step 3 could make version 8 anew. If
// so many were made since that it might be gone, A must not believe that its own counts.

import { HoldfastError } from '../base/error.ts';
import { checkClaim, checkResource, checkSlot } from './claim.ts';
import type { CheckedClaim, FenceClaim } from './claim.ts';
import { decide } from './decide.ts';
import { invalid } from './errors.ts';
import { readVersion, versionBytes } from './file-format.ts';
import type { FileVersion } from './file-format.ts';
import { folderOf, versionName, versionsIn } from './file-paths.ts';
import { UNSEEN } from './rule.ts';
import type { FenceState } from './rule.ts';

/** So many of the latest versions stay. */
const KEPT = 16;
/** A version that so many followed at once may have been made in place of one removed. */
const DOUBTFUL = KEPT / 2;
const ATTEMPTS_MAX = 1_000;

/** An open file. */
export interface FileHandleLike {
  /** Writes all bytes. */
  writeFile(bytes: Uint8Array): Promise<unknown>;
  /** Returns once all is on the disk. */
  sync(): Promise<unknown>;
  /** Closes it. */
  close(): Promise<unknown>;
}

/** What a guard needs of a file system: `node:fs/promises` has it. */
export interface FileSystemLike {
  /** Makes a folder and those above it. */
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>;
  /** The names in a folder. */
  readdir(path: string): Promise<string[]>;
  /** All bytes of a file. */
  readFile(path: string): Promise<Uint8Array>;
  /** Opens a file, or a folder to sync it. */
  open(path: string, flags: string): Promise<FileHandleLike>;
  /** Gives a file a further name; rejects with EEXIST when there is one of that name. */
  link(from: string, to: string): Promise<unknown>;
  /** Takes a name away. */
  unlink(path: string): Promise<unknown>;
}

/** What is written. */
export type FileContent =
  Uint8Array | string | ((current: Uint8Array | null) => Uint8Array | string);

/** See fileFence. */
export interface FileFence {
  /**
   * Checks the claim and makes `content` (bytes, or a text as UTF-8) that of the resource; on the
   * disk when it resolves. A function makes it of what is there, and is called again when somebody
   * else was faster. Rejects with STALE_TOKEN or INVALID, and nothing is written; with
   * STORAGE for a damaged version; with OUTCOME_UNKNOWN when this process stood still while many
   * others wrote.
   */
  write(resource: string, claim: FenceClaim, content: FileContent): Promise<void>;
  /** What the resource holds, null before the first write. Rejects with INVALID or STORAGE. */
  read(resource: string): Promise<Uint8Array | null>;
  /** What is remembered of a resource, or of a slot of it. Rejects with INVALID or STORAGE. */
  seen(resource: string, slot?: number): Promise<FenceState>;
}

/**
 * A guard of files in the folder `root`, which belongs to guards alone; all processes that write
 * must be on one host, for file systems over a network do not promise what this needs. `fs` is
 * `node:fs/promises`. Throws INVALID when `root` is no path.
 */
export function fileFence(fs: FileSystemLike, root: string): FileFence {
  if (typeof root !== 'string' || root === '') throw invalid('root', 'the path of a folder', root);
  const latest = (resource: string): Promise<FileVersion> =>
    latestOf(fs, folderOf(root, checkResource(resource)));
  return {
    async write(resource, given, content) {
      const claim = checkClaim(resource, given);
      if (typeof content !== 'function') bytesOf(content);
      await writeNext({ fs, root }, claim, content);
    },
    read: async (resource) => (await latest(resource)).content,
    async seen(resource, slot) {
      const row = checkSlot(slot);
      return (await latest(resource)).states.get(row) ?? UNSEEN;
    },
  };
}

function bytesOf(content: unknown): Uint8Array {
  if (content instanceof Uint8Array) return content;
  if (typeof content === 'string') return new TextEncoder().encode(content);
  throw invalid('content', 'bytes, a text, or a function that returns one of them', content);
}

interface Place {
  readonly fs: FileSystemLike;
  readonly root: string;
}

async function writeNext(place: Place, claim: CheckedClaim, content: FileContent): Promise<void> {
  const { fs } = place;
  const folder = folderOf(place.root, claim.resource);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { version, states, content: current } = await latestOf(fs, folder);
    const rows = decide(claim, (slot) => states.get(slot) ?? UNSEEN);
    if (attempt === 0) await makeFolder(fs, place.root, folder);
    const next = typeof content === 'function' ? content(current) : content;
    const bytes = versionBytes(bytesOf(next), new Map([...states, ...rows]));
    if (await makeVersion(fs, folder, version + 1, bytes)) return;
  }
  const text = `${ATTEMPTS_MAX} others were faster; nothing was written`;
  throw new HoldfastError('OVERLOADED', text);
}

/** False: another has made this version. */
async function makeVersion(
  fs: FileSystemLike,
  folder: string,
  version: number,
  bytes: Uint8Array,
): Promise<boolean> {
  const draft = `${folder}/${await writeDraft(fs, folder, bytes)}`;
  try {
    await fs.link(draft, `${folder}/${versionName(version)}`);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await fs.unlink(draft);
  }
  await syncPath(fs, folder);
  const versions = versionsIn(await fs.readdir(folder));
  // The one before it goes no sooner than many have followed, even where a folder changes while
  // it is read.
  const isBesideLast = version === 1 || versions.includes(version - 1);
  if (!isBesideLast || Math.max(...versions) - version >= DOUBTFUL) {
    throw standstill(folder, version);
  }
  for (const old of versions) {
    if (old <= version - KEPT) await removeIfThere(fs, `${folder}/${versionName(old)}`);
  }
  return true;
}

/** Its name is nobody else's, since it is made only where none is. */
async function writeDraft(fs: FileSystemLike, folder: string, bytes: Uint8Array): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const name = `draft-${attempt}`;
    const handle = await fs.open(`${folder}/${name}`, 'wx').catch((error: unknown) => {
      if (isCode(error, 'EEXIST')) return null;
      throw error;
    });
    if (handle === null) continue;
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return name;
  }
  const text = `${folder} has ${ATTEMPTS_MAX} drafts: remove those of processes that are gone`;
  throw new HoldfastError('OVERLOADED', text);
}

async function latestOf(fs: FileSystemLike, folder: string): Promise<FileVersion> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const names = await fs.readdir(folder).catch((error: unknown) => {
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    });
    const version = Math.max(0, ...versionsIn(names));
    if (version === 0) return { version, content: null, states: new Map() };
    const path = `${folder}/${versionName(version)}`;
    try {
      return readVersion(path, version, await fs.readFile(path));
    } catch (error) {
      // Many were made since the folder was read, and this one is removed by now.
      if (!isCode(error, 'ENOENT')) throw error;
    }
  }
  throw new HoldfastError('UNAVAILABLE', `${folder} changes faster than it can be read`);
}

/** The names of new folders must be on the disk too. */
async function makeFolder(fs: FileSystemLike, root: string, folder: string): Promise<void> {
  const isNew = (await fs.mkdir(folder, { recursive: true })) !== undefined;
  if (!isNew) return;
  for (let path = folder; path.length >= root.length; path = parentOf(path)) {
    await syncPath(fs, parentOf(path));
    if (path === root) return;
  }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  if (end === -1) return '.';
  return end === 0 ? '/' : path.slice(0, end);
}

async function syncPath(fs: FileSystemLike, path: string): Promise<void> {
  const handle = await fs.open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeIfThere(fs: FileSystemLike, path: string): Promise<void> {
  try {
    await fs.unlink(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

function standstill(folder: string, version: number): HoldfastError {
  const text =
    `version ${version} in ${folder} was followed by ${DOUBTFUL} or more before this process ` +
    `went on, so it cannot tell whether the write counted; look at what is there`;
  return new HoldfastError('OUTCOME_UNKNOWN', text);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
