import type { ClusterConfig, Member } from '../raft/config.ts';
import { pack, unpack } from './msgpack.ts';
import { Reader, textItem } from './reader.ts';

/** Payload of a `config` entry. */
export function encodeConfig(config: ClusterConfig): Uint8Array {
  return pack([
    config.voters.map(memberFields),
    config.votersOutgoing.map(memberFields),
    config.learners.map(memberFields),
    config.learnersNext.map(memberFields),
    config.retired,
  ]);
}

/**
 * Throws DecodeError. Whether the configuration makes sense is the core's to judge. The first
 * format had no list of the retired.
 */
export function decodeConfig(bytes: Uint8Array): ClusterConfig {
  const read = new Reader(unpack(bytes), 'config');
  return read.done({
    voters: read.list('voters', readMember),
    votersOutgoing: read.list('votersOutgoing', readMember),
    learners: read.list('learners', readMember),
    learnersNext: read.list('learnersNext', readMember),
    retired: read.isAtEnd() ? [] : read.list('retired', textItem),
  });
}

/** A member as a positional array. */
export function memberFields(member: Member): unknown[] {
  return [member.nodeId, member.storeId, member.address];
}

/** Throws DecodeError. */
export function readMember(value: unknown, what: string): Member {
  const read = new Reader(value, what);
  return read.done({
    nodeId: read.text('nodeId'),
    storeId: read.text('storeId'),
    address: read.text('address'),
  });
}
