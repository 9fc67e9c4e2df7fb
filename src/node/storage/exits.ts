// Every way in which a data directory refuses service: what is wrong, and what to do about it.
// A node that cannot prove its durable state intact neither votes, acknowledges nor leads (INV-20).

import { probes } from '../../base/probe.ts';
import type { StorageFailure } from '../../ports/storage.ts';
import type { StorageExit, StorageResult } from './types.ts';

const REJOIN =
  'Do not repair or copy anything in this directory: take this node out of the cluster, wipe the ' +
  'directory, and let it join again under a new node id.';

/** A refusal as a result. */
export function refuse(exit: StorageExit): { readonly ok: false; readonly exit: StorageExit } {
  return { ok: false, exit };
}

/** The result of something that has no value. */
export const STORED: StorageResult<void> = { ok: true, value: undefined };

/** 80: the directory belongs to another node, store or cluster. */
export function otherIdentity(what: string): StorageExit {
  return exitWith(80, `${what} Start this node with its own data directory.`);
}

/** 82: term and vote cannot be trusted, so this voter could vote twice. */
export function hardStateDamaged(what: string): StorageExit {
  return exitWith(82, `The hard state (term and vote) is damaged: ${what} ${REJOIN}`);
}

/** 83: something in the log is present but wrong, or missing where it must be. */
export function logDamaged(what: string): StorageExit {
  probes.reach('damaged-log-refused');
  return exitWith(83, `The log is damaged: ${what} ${REJOIN}`);
}

/** 83: the rows of the state machine are not those that its checkpoint had. */
export function stateDamaged(what: string): StorageExit {
  probes.reach('damaged-state-refused');
  return exitWith(83, `The stored state is damaged: ${what} ${REJOIN}`);
}

/** 84: entries that were known to be on disk are gone. */
export function logTooShort(what: string): StorageExit {
  return exitWith(84, `The log has lost acknowledged entries: ${what} ${REJOIN}`);
}

/** 85, at a start after a failed write: what the page cache shows may not be on the medium. */
export function writeFailedBefore(): StorageExit {
  probes.reach('marked-directory-refused');
  return exitWith(
    85,
    'A write or sync in this directory failed earlier, so what it shows may not be what is on ' +
      `the medium. Check the disk. ${REJOIN}`,
  );
}

/** 86: written by a newer release. */
export function formatTooNew(found: number, known: number): StorageExit {
  return exitWith(
    86,
    `The directory has format ${found}; this release knows formats up to ${known}. ` +
      'Start the node with the release that wrote it, or a newer one.',
  );
}

/** 85 for calls after `close`; condemns nothing. */
export function storageClosed(): StorageExit {
  return exitWith(85, 'The storage was closed by its own process.');
}

/** 81 or 83 or 85: why the log store did not open. */
export function openFailed(failure: StorageFailure): StorageExit {
  switch (failure.kind) {
    case 'locked':
      return exitWith(
        81,
        `The directory is in use by another process (${failure.message}). ` +
          'Stop that one, or give this node a directory of its own.',
      );
    case 'full':
      return diskFull(failure);
    case 'corrupt':
      return logDamaged(sentence(failure.message));
    case 'io':
      return logDamaged(
        `it cannot be opened: ${sentence(failure.message)} If permissions or the mount are at ` +
          'fault, put that right and start again; otherwise:',
      );
  }
}

/** 83: reading failed, or the store found its own checksum wrong. */
export function readFailed(failure: StorageFailure): StorageExit {
  return logDamaged(`reading it failed: ${sentence(failure.message)}`);
}

/**
 * 85: a write or sync failed. A full disk stops the node, but may be started again: nothing after
 * the failed write was acknowledged (RAFT.md §15.4).
 */
export function writeFailed(failure: StorageFailure): StorageExit {
  probes.sometimes('write-meets-full-disk', failure.kind === 'full');
  if (failure.kind === 'full') return diskFull(failure);
  probes.reach('write-fails');
  return exitWith(
    85,
    `A write or sync failed: ${sentence(failure.message)} It is not tried again, since after a ` +
      `failed sync a second one succeeds without writing. Check the disk. ${REJOIN}`,
  );
}

function diskFull(failure: StorageFailure): StorageExit {
  return {
    exitCode: 85,
    message:
      `The disk is full: ${sentence(failure.message)} ` +
      'Free some space and start the node again.',
    isDiskFull: true,
  };
}

function exitWith(exitCode: StorageExit['exitCode'], message: string): StorageExit {
  return { exitCode, message, isDiskFull: false };
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
