// Who descends from a child, read from /proc. On systems without /proc nothing is found, and only
// process groups reach the descendants.

import { readFileSync, readdirSync } from 'node:fs';

/** One process as /proc/<pid>/stat describes it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** Group in the foreground of its terminal, -1 without a terminal. */
  readonly foregroundGroupId: number;
  /** Ended, and only waits for its parent to notice. */
  readonly isZombie: boolean;
}

/** Which processes count as a child's: see `descendants`. */
export interface TreeRoot {
  readonly pid: number;
  /** The child leads a session of its own: what stays in it is found by that session's number. */
  readonly hasOwnSession: boolean;
  /** `NAME=value` in the environment that the child was given and nobody else has. */
  readonly mark: string;
}

/** Every process that can be seen; one that ends meanwhile is left out. */
export function readProcesses(): ProcessRow[] {
  return numericNames('/proc').flatMap((name) => {
    const row = readProcess(name);
    return row === null ? [] : [row];
  });
}

/** One process, `self` for this one; null when it is gone or there is no /proc. */
export function readProcess(name: string): ProcessRow | null {
  try {
    return parseStat(readFileSync(`/proc/${name}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/**
 * The child itself and its living descendants, parents first. A descendant is found
 * - by its chain of parents, or
 * - when a parent in between has ended: by the child's session, or, where the child shares our
 *   session (on a terminal), as a member of it that carries the child's mark; the terminal's
 *   other programs are in that session too, but lack the mark.
 * A daemon that forked twice and left the session is not found.
 */
export function descendants(rows: readonly ProcessRow[], root: TreeRoot): number[] {
  const ownSessionId = rows.find((row) => row.pid === process.pid)?.sessionId ?? -1;
  const found = new Set(
    rows.filter((row) => isOrphanOf(row, root, ownSessionId)).map((row) => row.pid),
  );
  found.add(root.pid);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const row of rows) if (found.has(row.parentPid)) found.add(row.pid);
  }
  found.delete(process.pid);
  return rows.filter((row) => found.has(row.pid) && !row.isZombie).map((row) => row.pid);
}

function isOrphanOf(row: ProcessRow, root: TreeRoot, ownSessionId: number): boolean {
  if (root.hasOwnSession) return row.sessionId === root.pid;
  if (row.sessionId !== ownSessionId || row.pid === process.pid) return false;
  return readEnvironment(row.pid).includes(root.mark);
}

function readEnvironment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

// The name stands in parentheses and may itself hold spaces and parentheses: fields are counted
// from the last one.
function parseStat(stat: string): ProcessRow | null {
  const close = stat.lastIndexOf(')');
  const [state, ...rest] = stat.slice(close + 2).split(' ');
  const [parentPid, groupId, sessionId, , foregroundGroupId] = rest.map(Number);
  if (parentPid === undefined || groupId === undefined || sessionId === undefined) return null;
  return {
    pid: Number.parseInt(stat, 10),
    parentPid,
    groupId,
    sessionId,
    foregroundGroupId: foregroundGroupId ?? -1,
    isZombie: state === 'Z' || state === 'X',
  };
}

function numericNames(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
