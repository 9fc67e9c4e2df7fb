// The pieces of a checkpoint on their way to a member that is behind the log, and the answers to
// them, as positional arrays. A piece's content is opaque here: wire/checkpoint.ts reads it.

import type { SnapshotPartMessage, SnapshotResponse } from '../raft/messages.ts';
import type { Reader } from './reader.ts';
import { choiceOf } from './reader.ts';

const STATUSES = [
  'stored',
  'refused',
  'installed',
] as const satisfies readonly SnapshotResponse['status'][];

/** All fields but the type. */
export function partFields({ term, part, round }: SnapshotPartMessage): unknown[] {
  return [
    term,
    round,
    part.transfer,
    part.sequence,
    part.lastIndex,
    part.lastTerm,
    part.isLast,
    part.content,
  ];
}

/** Reads what partFields gave; the content is a view into the frame. Throws DecodeError. */
export function readPart(read: Reader): SnapshotPartMessage {
  const term = read.integer('term');
  const round = read.integer('round');
  const part = {
    transfer: read.integer('transfer'),
    sequence: read.integer('sequence'),
    lastIndex: read.integer('lastIndex'),
    lastTerm: read.integer('lastTerm'),
    isLast: read.flag('isLast'),
    content: read.bytes('content'),
  };
  return { type: 'snapshotPart', term, part, round };
}

/** All fields but the type. */
export function partResponseFields(response: SnapshotResponse): unknown[] {
  return [
    response.term,
    response.transfer,
    choiceOf(STATUSES, response.status),
    response.sequence,
    response.matchIndex,
    response.round,
  ];
}

/** Reads what partResponseFields gave. Throws DecodeError. */
export function readPartResponse(read: Reader): SnapshotResponse {
  return {
    type: 'snapshotResponse',
    term: read.integer('term'),
    transfer: read.integer('transfer'),
    status: read.choice('status', STATUSES),
    sequence: read.integer('sequence', -1),
    matchIndex: read.integer('matchIndex'),
    round: read.integer('round'),
  };
}
