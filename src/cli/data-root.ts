// The directory that holds one directory per node. Nothing in it is made or deleted unless it is
// certain whose it is: a directory that is missing may be a disk that was not mounted, and a node
// that starts blank in its place would have forgotten whom it voted for.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createLevelStore } from '../adapters/level-store.ts';
import { logDirectory, slotPaths } from '../server/data-directory.ts';
import { decodeSlot } from '../wire/slots.ts';
import { EXIT, Failure } from './exit-code.ts';

export interface DataRoot {
  /** Absolute path. */
  readonly path: string;
  readonly nodeIds: readonly string[];
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
        'Bring them back, or start anew with --fresh',
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
  const foreign = nodeIds.filter((id) => present.includes(id) && !isOurs(join(path, id)));
  if (foreign.length > 0) {
    const list = foreign.map((id) => join(path, id)).join(', ');
    throw new Failure(
      EXIT.otherCluster,
      `DIRECTORY_FOREIGN: --fresh deletes only directories of nodes, and this is none: ${list}`,
    );
  }
  const ours = present.map((name) => join(path, name)).filter(isOursWithSlots);
  for (const directory of ours) await refuseIfRunning(directory);
  for (const directory of [...ours, ...nodeIds.map((id) => join(path, id))]) {
    rmSync(directory, { recursive: true, force: true });
  }
}

function isOurs(directory: string): boolean {
  return isEmpty(directory) || isOursWithSlots(directory);
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch {
    return false;
  }
}

function isOursWithSlots(directory: string): boolean {
  return slotPaths(directory).some((path) => {
    try {
      decodeSlot(readFileSync(path));
      return true;
    } catch {
      return false;
    }
  });
}

// LevelDB lets one process in. Asking it is the only sure sign of life: a node may listen anywhere.
function refuseIfRunning(directory: string): Promise<void> {
  const store = createLevelStore(logDirectory(directory));
  return new Promise((resolve, reject) => {
    store.open(false, (result) => {
      if (!result.ok && result.failure.kind === 'locked') {
        const message = `DIRECTORY_IN_USE: a node runs in ${directory}; stop it before --fresh`;
        reject(new Failure(EXIT.directoryInUse, message));
      } else store.close(resolve);
    });
  });
}
