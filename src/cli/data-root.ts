// The directory that holds one directory per node. Nothing in it is made or deleted unless it is
// certain whose it is: a directory that is missing may be a disk that was not mounted, and a node
// that starts blank in its place would have forgotten whom it voted for.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createLevelStore } from '../adapters/level-store.ts';
import { createSlotFile } from '../adapters/slot-file.ts';
import type { Stored } from '../ports/storage.ts';
import { logDirectory, slotPaths } from '../server/data-directory.ts';
import { decodeSlot } from '../wire/slots.ts';
import { EXIT, Failure } from './exit-code.ts';
import { note } from './output.ts';

export interface DataRoot {
  /** Absolute path. */
  readonly path: string;
  readonly nodeIds: readonly string[];
}

/** How long nodes of an `up` that was killed may take to stop. */
const PREDECESSOR_MS = 3_000;
const LOOK_AGAIN_MS = 100;

const UNBORN_NAMES: readonly string[] = ['log', 'slot-a.tmp', 'slot-b.tmp'];
const LEVEL_FILE = /^(?:CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(?:log|ldb|dbtmp))$/;

/**
 * Waits a moment for nodes of before that are still stopping. Throws a Failure (81) that names a
 * directory when a node goes on running in it.
 */
export async function awaitUnused({ path, nodeIds }: DataRoot): Promise<void> {
  const giveUpMs = performance.now() + PREDECESSOR_MS;
  for (let isFirst = true; ; isFirst = false) {
    const [used] = await keepIf(
      nodeIds.map((id) => join(path, id)),
      isInUse,
    );
    if (used === undefined) return;
    if (performance.now() >= giveUpMs) throw directoryInUse(used);
    if (isFirst) note(`a node runs in ${used}; waiting a moment for it to stop`);
    await delay(LOOK_AGAIN_MS);
  }
}

/**
 * Makes the directories of a cluster that has none yet. Throws a Failure (87) when some are
 * missing and others are there.
 */
export function prepareDataRoot({ path, nodeIds }: DataRoot): void {
  const missing = nodeIds.filter((id) => !existsSync(join(path, id)));
  if (missing.length > 0 && missing.length < nodeIds.length) {
    const list = missing.map((id) => join(path, id)).join(', ');
    throw new Failure(
      EXIT.directoriesMissing,
      `DIRECTORY_MISSING: expected the directories of all nodes in ${path}; missing: ${list}. ` +
        'Bring them back; take those that were removed from the cluster out of the configuration ' +
        'file; or start anew with --fresh',
    );
  }
  for (const id of missing) mkdirSync(join(path, id), { recursive: true });
}

/**
 * Deletes every node's directory, and nothing else. Throws a Failure, before anything is deleted:
 * 80 when a directory with a node's name is not a node's, 81 when a node runs in one.
 */
export async function clearDataRoot({ path, nodeIds }: DataRoot): Promise<void> {
  const present = existsSync(path) ? readdirSync(path) : [];
  const unborn = nodeIds.map((id) => join(path, id)).filter(isUnborn);
  const born = await keepIf(
    present.map((name) => join(path, name)),
    hasSlots,
  );
  const marked = [...born, ...unborn];
  const foreign = nodeIds.filter((id) => {
    const directory = join(path, id);
    return present.includes(id) && !marked.includes(directory) && !isEmpty(directory);
  });
  if (foreign.length > 0) {
    const list = foreign.map((id) => join(path, id)).join(', ');
    throw new Failure(
      EXIT.otherCluster,
      `DIRECTORY_FOREIGN: --fresh deletes only directories of nodes, and this is none: ${list}`,
    );
  }
  const [used] = await keepIf(marked, isInUse);
  if (used !== undefined) throw directoryInUse(used);
  for (const directory of [...marked, ...nodeIds.map((id) => join(path, id))]) {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Whether it is what a node leaves that was killed while it made its directory: the log store comes
 * first, and only then a slot that says whose it is. Such a node has promised nothing to anybody.
 */
function isUnborn(directory: string): boolean {
  try {
    const names = readdirSync(directory);
    const isOurs = names.includes('log') && names.every((name) => UNBORN_NAMES.includes(name));
    return isOurs && readdirSync(logDirectory(directory)).every((name) => LEVEL_FILE.test(name));
  } catch {
    return false;
  }
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch {
    return false;
  }
}

/** Whether a directory carries our identity: a slot file that can be read. */
async function hasSlots(directory: string): Promise<boolean> {
  const readable = await keepIf(slotPaths(directory), async (path) => {
    const content = await new Promise<Stored<Uint8Array | null>>((resolve) => {
      createSlotFile(path).read(resolve);
    });
    return content.ok && content.value !== null && isSlot(content.value);
  });
  return readable.length > 0;
}

function isSlot(content: Uint8Array): boolean {
  try {
    decodeSlot(content);
    return true;
  } catch {
    return false;
  }
}

async function keepIf(
  paths: readonly string[],
  test: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const answers = await Promise.all(paths.map(test));
  return paths.filter((_, at) => answers[at]);
}

// LevelDB lets one process in. Asking it is the only sure sign of life: a node may listen anywhere.
function isInUse(directory: string): Promise<boolean> {
  const store = createLevelStore(logDirectory(directory));
  return new Promise((resolve) => {
    store.open(false, (result) => {
      if (!result.ok && result.failure.kind === 'locked') resolve(true);
      else store.close(() => resolve(false));
    });
  });
}

function directoryInUse(directory: string): Failure {
  const remedy = 'stop it first, or start another cluster with --data and --base-port';
  return new Failure(
    EXIT.directoryInUse,
    `DIRECTORY_IN_USE: a node runs in ${directory}; ${remedy}`,
  );
}
