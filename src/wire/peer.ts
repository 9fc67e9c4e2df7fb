// Frames between nodes: one positional array [type, …] each. An Append carries the records of its
// entries as one blob, byte for byte as they lie on disk.

import { unreachable } from '../base/assert.ts';
import type { Append, PreVoteReason } from '../raft/messages.ts';
import { copyOf } from './binary.ts';
import { DecodeError } from './decode-error.ts';
import { pack, unpack } from './msgpack.ts';
import { helloFields, readHello, readRefusal, refusalFields } from './peer-hello.ts';
import type { PeerMessage } from './peer-messages.ts';
import { partFields, partResponseFields, readPart, readPartResponse } from './peer-transfer.ts';
import { Reader, choiceOf } from './reader.ts';
import { decodeRecords, joinRecords } from './record.ts';

const TYPES = [
  'peerHello',
  'peerRefusal',
  'preVoteRequest',
  'preVoteResponse',
  'voteRequest',
  'voteResponse',
  'append',
  'appendResponse',
  'heartbeat',
  'heartbeatResponse',
  'goodbye',
  'snapshotPart',
  'snapshotResponse',
  'timeoutNow',
  'stateHash',
] as const satisfies readonly PeerMessage['type'][];

const REASONS = [
  'granted',
  'sticky',
  'log',
  'term',
  'leader',
] as const satisfies readonly PreVoteReason[];

/** One frame. `seed` is the cluster's (record.ts), for entries not encoded yet. */
export function encodePeer(message: PeerMessage, seed: number): Uint8Array {
  return pack(messageFields(message, seed));
}

/**
 * Throws DecodeError for anything but one whole message; entries of an Append were verified
 * (CRC in this cluster, chain from prevIndex and prevTerm on) and are views into the frame.
 */
export function decodePeer(bytes: Uint8Array, seed: number): PeerMessage {
  const read = new Reader(unpack(bytes), 'frame');
  return read.done(readMessage(read, seed));
}

function messageFields(message: PeerMessage, seed: number): unknown[] {
  const type = choiceOf(TYPES, message.type);
  switch (message.type) {
    case 'peerHello':
      return [type, ...helloFields(message)];
    case 'peerRefusal':
      return [type, ...refusalFields(message)];
    case 'preVoteRequest':
      return [
        type,
        message.term,
        message.nextTerm,
        message.poll,
        message.lastIndex,
        message.lastTerm,
      ];
    case 'preVoteResponse':
      return [
        type,
        message.term,
        message.requestTerm,
        message.poll,
        message.granted,
        choiceOf(REASONS, message.reason),
      ];
    case 'voteRequest':
      return [type, message.term, message.lastIndex, message.lastTerm, message.transfer];
    case 'voteResponse':
      return [type, message.term, message.granted];
    case 'append':
      return appendFields(type, message, seed);
    case 'appendResponse':
      return [
        type,
        message.term,
        message.ok,
        message.matchIndex,
        message.rejectedPrev,
        message.hintIndex,
        message.hintTerm,
        message.round,
      ];
    case 'heartbeat':
      return [type, message.term, message.commit, message.round];
    case 'heartbeatResponse':
      return [type, message.term, message.round, message.lastIndex, message.durableIndex];
    case 'goodbye':
    case 'timeoutNow':
      return [type, message.term];
    case 'snapshotPart':
      return [type, ...partFields(message)];
    case 'snapshotResponse':
      return [type, ...partResponseFields(message)];
    case 'stateHash':
      return [type, message.index, message.hash];
    default:
      return unreachable(message);
  }
}

function appendFields(type: number, append: Append, seed: number): unknown[] {
  return [
    type,
    append.term,
    append.prevIndex,
    append.prevTerm,
    append.commit,
    append.round,
    joinRecords(append.entries, seed),
  ];
}

// Reads in the order of messageFields: a literal's properties are evaluated from top to bottom.
function readMessage(read: Reader, seed: number): PeerMessage {
  const type = read.choice('type', TYPES);
  switch (type) {
    case 'peerHello':
      return readHello(read);
    case 'peerRefusal':
      return readRefusal(read);
    case 'append':
      return readAppend(read, seed);
    case 'goodbye':
    case 'timeoutNow':
      return { type, term: read.integer('term') };
    case 'snapshotPart':
      return readPart(read);
    case 'snapshotResponse':
      return readPartResponse(read);
    case 'stateHash':
      return { type, index: read.integer('index'), hash: read.text('hash') };
    case 'heartbeat':
    case 'heartbeatResponse':
    case 'appendResponse':
      return readReplication(type, read);
    default:
      return readElection(type, read);
  }
}

function readElection(
  type: 'preVoteRequest' | 'preVoteResponse' | 'voteRequest' | 'voteResponse',
  read: Reader,
): PeerMessage {
  const term = read.integer('term');
  switch (type) {
    case 'preVoteRequest':
      return {
        type,
        term,
        nextTerm: read.integer('nextTerm'),
        poll: read.integer('poll'),
        lastIndex: read.integer('lastIndex'),
        lastTerm: read.integer('lastTerm'),
      };
    case 'preVoteResponse':
      return {
        type,
        term,
        requestTerm: read.integer('requestTerm'),
        poll: read.integer('poll'),
        granted: read.flag('granted'),
        reason: read.choice('reason', REASONS),
      };
    case 'voteRequest':
      return {
        type,
        term,
        lastIndex: read.integer('lastIndex'),
        lastTerm: read.integer('lastTerm'),
        transfer: read.flag('transfer'),
      };
    case 'voteResponse':
      return { type, term, granted: read.flag('granted') };
    default:
      return unreachable(type);
  }
}

function readReplication(
  type: 'heartbeat' | 'heartbeatResponse' | 'appendResponse',
  read: Reader,
): PeerMessage {
  const term = read.integer('term');
  switch (type) {
    case 'heartbeat':
      return { type, term, commit: read.integer('commit'), round: read.integer('round') };
    case 'heartbeatResponse':
      return {
        type,
        term,
        round: read.integer('round'),
        lastIndex: read.integer('lastIndex'),
        durableIndex: read.integer('durableIndex'),
      };
    case 'appendResponse':
      return {
        type,
        term,
        ok: read.flag('ok'),
        matchIndex: read.integer('matchIndex'),
        rejectedPrev: read.integer('rejectedPrev'),
        hintIndex: read.integer('hintIndex'),
        hintTerm: read.integer('hintTerm'),
        round: read.integer('round'),
      };
    default:
      return unreachable(type);
  }
}

function readAppend(read: Reader, seed: number): Append {
  const term = read.integer('term');
  const prevIndex = read.integer('prevIndex');
  const prevTerm = read.integer('prevTerm');
  const commit = read.integer('commit');
  const round = read.integer('round');
  // Entries stay in memory as views: of a copy, not of the transport's large read buffer.
  const entries = decodeRecords(copyOf(read.bytes('records')), seed);
  const first = entries[0];
  if (first !== undefined && (first.index !== prevIndex + 1 || first.prevTerm !== prevTerm)) {
    throw new DecodeError(
      `frame.records: expected entries after (${prevIndex}, term ${prevTerm}), ` +
        `got entry ${first.index} after term ${first.prevTerm}`,
    );
  }
  return { type: 'append', term, prevIndex, prevTerm, entries, commit, round };
}
