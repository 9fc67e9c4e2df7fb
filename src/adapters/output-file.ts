// Writing to a descriptor that somebody else gave us, without waiting for whoever reads it. A pipe
// or a terminal takes no more once its reader has stopped; a write then waits without end, and a
// node or a wrapper that waits can neither answer nor stop what it has to stop (RAFT.md §16.5).

import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { errorCode } from './storage-failure.ts';

const FLAGS = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_APPEND;

/**
 * Another descriptor of the same pipe or terminal, on which a write fails with EAGAIN instead of
 * waiting. The given one stays as it is: its mode is shared with parents and children. Null for
 * anything else, and where the system cannot do it.
 */
export function openWithoutWaiting(fd: number): number | null {
  try {
    const stats = fstatSync(fd);
    if (!stats.isFIFO() && !stats.isCharacterDevice()) return null;
    return openSync(`/proc/self/fd/${fd}`, FLAGS);
  } catch {
    return null;
  }
}

/**
 * Makes writes to a socket fail with EAGAIN instead of waiting, for everybody who shares it: only
 * for a process that has no children. Does nothing for anything else.
 */
export function stopWaiting(fd: number): void {
  try {
    if (!fstatSync(fd).isSocket()) return;
    // It stays open as long as the process, for the descriptor does.
    new Socket({ fd, readable: false, writable: true }).on('error', () => {}).unref();
  } catch {
    // Closed, or of a kind that Node.js does not know: then writes may wait.
  }
}

/** How many bytes were taken; `full` when the reader has to read first, `gone` after any error. */
export function writeNow(fd: number, bytes: Uint8Array): number | 'full' | 'gone' {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return errorCode(error) === 'EAGAIN' ? 'full' : 'gone';
  }
}
