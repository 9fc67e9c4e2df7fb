// Which configuration is in force, and which were before. The latest one in the log counts from
// the moment it is appended until it is cut off again (thesis §4.1; RAFT.md §10.2).

import { assert, present } from '../base/assert.ts';
import type { Index, NodeId, StoreId } from '../base/units.ts';
import type { ClusterConfig, Member } from './config.ts';

/** A configuration with the index of its entry. */
export interface ConfigAt {
  readonly index: Index;
  readonly config: ClusterConfig;
}

/** A node as itself: its name and its data directory. */
export interface Identity {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
}

/**
 * Configurations from the checkpoint on, oldest first; as many as there were membership changes
 * since. Invariant: never empty, indices increase.
 */
export class Configurations {
  private history: ConfigAt[];

  constructor(configs: readonly ConfigAt[]) {
    assert(configs.length > 0, 'a founded node knows a configuration');
    this.history = [...configs];
  }

  get latest(): ConfigAt {
    return present(this.history[this.history.length - 1], 'the latest configuration');
  }

  /** The one before the latest; null when the history begins with the latest. */
  get previous(): ConfigAt | null {
    return this.history[this.history.length - 2] ?? null;
  }

  append(index: Index, config: ClusterConfig): void {
    assert(index > this.latest.index, 'configurations are in log order');
    this.history.push({ index, config });
  }

  /** Entries from `from` on are cut: their configurations never were. */
  truncateFrom(from: Index): void {
    while (this.latest.index >= from) this.history.pop();
  }

  /** The one in force at an entry that is not below the checkpoint. */
  at(index: Index): ConfigAt {
    const found = this.history.findLast((each) => each.index <= index);
    return present(found, `the configuration at entry ${index}`);
  }

  /**
   * Forgets those before the one in force at `anchor`: what follows can be cut, that one not. After
   * a start the log may begin below the checkpoint, and with it below all that is known here.
   */
  compactTo(anchor: Index): void {
    const inForce = this.history.findLastIndex((each) => each.index <= anchor);
    this.history = this.history.slice(Math.max(inForce, 0));
  }

  /** A checkpoint took the place of the log: this one is in force, and there was none before. */
  restartAt(config: ConfigAt): void {
    this.history = [config];
  }

  list(): readonly ConfigAt[] {
    return this.history;
  }
}

/** The member with this name, in whatever part of the configuration it stands. */
export function findMember(config: ClusterConfig, nodeId: NodeId): Member | null {
  for (const part of [config.voters, config.votersOutgoing, config.learners, config.learnersNext]) {
    const member = part.find((each) => each.nodeId === nodeId);
    if (member !== undefined) return member;
  }
  return null;
}

/** True when that very node, name and data directory, stands among the members. */
export function includes(members: readonly Member[], identity: Identity): boolean {
  return members.some(
    (each) => each.nodeId === identity.nodeId && each.storeId === identity.storeId,
  );
}

/** True for a voter of either half. */
export function isVoter(config: ClusterConfig, identity: Identity): boolean {
  return includes(config.voters, identity) || includes(config.votersOutgoing, identity);
}

/** True when it is the only voter of every half: its word alone is a quorum. */
export function isSoleVoter(config: ClusterConfig, identity: Identity): boolean {
  const { voters, votersOutgoing } = config;
  return (
    voters.length === 1 &&
    includes(voters, identity) &&
    (votersOutgoing.length === 0 ||
      (votersOutgoing.length === 1 && includes(votersOutgoing, identity)))
  );
}

/** Everybody but this node, each once: voters of both halves, then learners. */
export function othersOf(config: ClusterConfig, self: Identity): Member[] {
  return distinct(
    [...config.voters, ...config.votersOutgoing, ...config.learners, ...config.learnersNext],
    self,
  );
}

/** The voters of both halves but this node, each once. */
export function otherVotersOf(config: ClusterConfig, self: Identity): Member[] {
  return distinct([...config.voters, ...config.votersOutgoing], self);
}

/**
 * A node that bears the name of a member but has another data directory: it lost what the member
 * had promised, and speaks for nobody (RAFT.md §15.6).
 */
export function isImpostor(config: ClusterConfig, identity: Identity): boolean {
  const member = findMember(config, identity.nodeId);
  return member !== null && member.storeId !== identity.storeId;
}

function distinct(members: readonly Member[], self: Identity): Member[] {
  const byNode = new Map<NodeId, Member>();
  for (const member of members) {
    if (member.nodeId !== self.nodeId) byNode.set(member.nodeId, member);
  }
  return [...byNode.values()];
}
