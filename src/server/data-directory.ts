// Where a node keeps what it must not forget: DIR/<id>/ with the log store and two slot files.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../base/error.ts';
import type { NodeId } from '../base/units.ts';

/** The directory of one node below the data root. */
export function nodeDirectory(root: string, id: NodeId): string {
  return join(root, id);
}

/** LevelDB's own directory within a node's. */
export function logDirectory(directory: string): string {
  return join(directory, 'log');
}

/** The two slot files of the hard state (RAFT.md §15.2). */
export function slotPaths(directory: string): readonly [string, string] {
  return [join(directory, 'slot-a'), join(directory, 'slot-b')];
}

/** Makes a node's directory if it is not there. Throws HoldfastError CONFIG if it cannot. */
export function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `dataDir: cannot make ${directory}: ${why}`;
    throw new HoldfastError('CONFIG', text, { cause: error });
  }
}
