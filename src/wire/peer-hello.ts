// The handshake of a link between nodes, as positional arrays.

import type { PeerHello, PeerRefusal } from './peer-messages.ts';
import type { Reader } from './reader.ts';
import { choiceOf } from './reader.ts';

const REFUSALS = [
  'VERSION',
  'OTHER_CLUSTER',
  'OTHER_STORE',
  'CLONED',
  'SUPERSEDED',
  'INTERVALS',
  'UNKNOWN_NODE',
  'SELF',
  'REMOVED',
] as const satisfies readonly PeerRefusal['code'][];

/** All fields but the type. */
export function helloFields(hello: PeerHello): unknown[] {
  return [
    hello.versionMin,
    hello.versionMax,
    hello.clusterId,
    hello.nodeId,
    hello.storeId,
    hello.bootId,
    hello.bootCount,
    hello.connectionEpoch,
    hello.heartbeatMs,
    hello.electionMs,
    hello.commandSet,
  ];
}

/** Reads what helloFields gave. Throws DecodeError. */
export function readHello(read: Reader): PeerHello {
  return {
    type: 'peerHello',
    versionMin: read.integer('versionMin', 1),
    versionMax: read.integer('versionMax', 1),
    clusterId: read.textOrNull('clusterId'),
    nodeId: read.text('nodeId'),
    storeId: read.text('storeId'),
    bootId: read.text('bootId'),
    bootCount: read.integer('bootCount'),
    connectionEpoch: read.integer('connectionEpoch'),
    heartbeatMs: read.integer('heartbeatMs'),
    electionMs: read.integer('electionMs'),
    commandSet: read.integer('commandSet', 1),
  };
}

/** All fields but the type. */
export function refusalFields(refusal: PeerRefusal): unknown[] {
  return [choiceOf(REFUSALS, refusal.code), refusal.message, refusal.configIndex];
}

/** Reads what refusalFields gave. Throws DecodeError. */
export function readRefusal(read: Reader): PeerRefusal {
  return {
    type: 'peerRefusal',
    code: read.choice('code', REFUSALS),
    message: read.text('message'),
    configIndex: read.integer('configIndex'),
  };
}
