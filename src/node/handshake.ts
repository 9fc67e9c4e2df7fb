import { probes } from '../base/probe.ts';
import type { Index, NodeId, StoreId } from '../base/units.ts';
import type { ClusterConfig, Member } from '../raft/config.ts';
import type { PeerHello, PeerRefusal } from '../wire/peer-messages.ts';
import { PEER_PROTOCOL } from '../wire/peer-messages.ts';

/** Who we are, for every handshake of this boot. */
export interface Identity {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly bootId: string;
  readonly bootCount: number;
  readonly heartbeatMs: number;
  readonly electionMs: number;
  /** Newest set of commands that this node applies. */
  readonly commandSet: number;
}

/** One life of a process on a data directory; the count is durable, the id random. */
export interface Boot {
  readonly bootId: string;
  readonly bootCount: number;
}

/** The newest configuration that is known to be committed: who left it, left for good. */
export interface CommittedConfig {
  readonly index: Index;
  readonly config: ClusterConfig;
}

export interface HelloContext {
  readonly self: Identity;
  readonly clusterId: string | null;
  readonly config: ClusterConfig | null;
  readonly committed: CommittedConfig | null;
  /** The node that we dialled; null when it dialled us. */
  readonly expected: NodeId | null;
  /** Newest boot known of that store. */
  readonly knownBoot: Boot | null;
}

/** Why a link with this node is refused, or null when it may be used (RAFT.md §15.6). */
export function refuseHello(hello: PeerHello, context: HelloContext): PeerRefusal | null {
  return (
    refuseIdentity(hello, context) ??
    refuseRemoved(hello, context) ??
    refuseSettings(hello, context) ??
    refuseBoot(hello, context)
  );
}

/** All members of a configuration, each once per role. */
export function membersOf(config: ClusterConfig): readonly Member[] {
  return [...config.voters, ...config.votersOutgoing, ...config.learners, ...config.learnersNext];
}

/** A hello of this boot; `clusterId` is null while the node is blank. */
export function helloOf(
  self: Identity,
  link: { readonly clusterId: string | null; readonly connectionEpoch: number },
): PeerHello {
  return {
    type: 'peerHello',
    versionMin: PEER_PROTOCOL.min,
    versionMax: PEER_PROTOCOL.max,
    clusterId: link.clusterId,
    nodeId: self.nodeId,
    storeId: self.storeId,
    bootId: self.bootId,
    bootCount: self.bootCount,
    connectionEpoch: link.connectionEpoch,
    heartbeatMs: self.heartbeatMs,
    electionMs: self.electionMs,
    commandSet: self.commandSet,
  };
}

function refuse(code: PeerRefusal['code'], message: string, configIndex: Index = 0): PeerRefusal {
  return { type: 'peerRefusal', code, message, configIndex };
}

// A node that left may never have learnt of it: told at the door, it stops asking for votes
// (RAFT.md §10.5). A name that is retired is never given again, so this cannot meet a new node.
function refuseRemoved(hello: PeerHello, { committed }: HelloContext): PeerRefusal | null {
  const refusal = committed === null ? null : removedRefusal(hello.nodeId, committed);
  probes.sometimes('removed-node-at-the-door', refusal !== null);
  return refusal;
}

/** What a node is told that left by that configuration or before; null if it did not. */
export function removedRefusal(nodeId: NodeId, committed: CommittedConfig): PeerRefusal | null {
  if (!committed.config.retired.includes(nodeId)) return null;
  return refuse(
    'REMOVED',
    `${nodeId} was taken out of the cluster and its name is retired: stop it, wipe its ` +
      `directory, and add the machine under a new node id if it is to come back`,
    committed.index,
  );
}

function refuseIdentity(hello: PeerHello, context: HelloContext): PeerRefusal | null {
  const { self, clusterId, config, expected } = context;
  if (hello.storeId === self.storeId || hello.nodeId === self.nodeId) {
    return refuse('SELF', `${hello.nodeId} is this node's own name or directory; check "nodes"`);
  }
  if (expected !== null && hello.nodeId !== expected) {
    const text = `expected node ${expected} at this address, but ${hello.nodeId} answered`;
    return refuse('UNKNOWN_NODE', `${text}; check the addresses in the configuration`);
  }
  const known = config === null ? [] : membersOf(config);
  const member = known.find(({ nodeId }) => nodeId === hello.nodeId);
  if (member !== undefined && member.storeId !== hello.storeId) {
    return refuse('OTHER_STORE', otherStoreText(hello, member.storeId));
  }
  if (hello.clusterId !== null && clusterId !== null && hello.clusterId !== clusterId) {
    const text = `${hello.nodeId} belongs to cluster ${hello.clusterId}, this node to ${clusterId}`;
    return refuse('OTHER_CLUSTER', `${text}; they must not be mixed`);
  }
  return null;
}

function otherStoreText(hello: PeerHello, storeId: StoreId): string {
  return (
    `${hello.nodeId} came with data directory ${hello.storeId}, but the cluster knows it with ` +
    `${storeId}: a wiped or replaced directory is not the old voter. Put the old directory back, ` +
    `or bring the machine in under a new node id`
  );
}

function refuseSettings(hello: PeerHello, { self }: HelloContext): PeerRefusal | null {
  if (hello.versionMax < PEER_PROTOCOL.min || hello.versionMin > PEER_PROTOCOL.max) {
    const theirs = `${hello.versionMin}-${hello.versionMax}`;
    const ours = `${PEER_PROTOCOL.min}-${PEER_PROTOCOL.max}`;
    return refuse('VERSION', `${hello.nodeId} speaks protocol ${theirs}, this node ${ours}`);
  }
  if (hello.heartbeatMs !== self.heartbeatMs || hello.electionMs !== self.electionMs) {
    const theirs = `heartbeatMs ${hello.heartbeatMs}, electionMs ${hello.electionMs}`;
    const ours = `heartbeatMs ${self.heartbeatMs}, electionMs ${self.electionMs}`;
    return refuse('INTERVALS', `${hello.nodeId} has ${theirs}; ${self.nodeId} has ${ours}`);
  }
  return null;
}

function refuseBoot(hello: PeerHello, { knownBoot }: HelloContext): PeerRefusal | null {
  if (knownBoot === null || hello.bootCount > knownBoot.bootCount) return null;
  const isSameBoot = hello.bootCount === knownBoot.bootCount && hello.bootId === knownBoot.bootId;
  if (isSameBoot) return null;
  probes.reach('hello-of-older-boot');
  return refuse(
    'CLONED',
    `two processes run on copies of the directory of ${hello.nodeId} (boot ${hello.bootCount} ` +
      `after boot ${knownBoot.bootCount}): stop both, keep one directory`,
  );
}
