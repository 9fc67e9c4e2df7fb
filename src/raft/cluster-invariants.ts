// Invariants that speak of several nodes (RAFT.md §1), for an observer that sees them all. It
// watches from outside: what a disk holds is told by whoever keeps the disk, not by the node.

import { assert } from '../base/assert.ts';
import type { Index, NodeId, Term } from '../base/units.ts';
import type { ClusterConfig, Member } from './config.ts';
import type { ConfigAt } from './configurations.ts';
import type { EntryId } from './events.ts';
import type { Ballot } from './hard-state.ts';
import type { RaftMessage } from './messages.ts';
import { majoritySize } from './quorum.ts';
import type { Core } from './state.ts';

/** What an observer sees of a node: its state, and which terms its disk would give back now. */
export interface ObservedNode {
  readonly core: Core;
  /** Term of the durable entry at an index, or null if the disk has none there. */
  readonly durableTermAt: (index: Index) => Term | null;
  /** Last entry of the durable checkpoint; what it contains is on disk without entries. */
  readonly durableCheckpoint: EntryId;
  /** Term of the durable record of term and vote. */
  readonly durableTerm: Term;
  /** Vote of that record. */
  readonly durableVote: Ballot | null;
}

/** Keeps the history of a cluster over restarts. Memory grows with it: for tests only. */
export class ClusterObserver {
  private readonly leaders = new Map<Term, NodeId>();
  private readonly grants = new Map<string, NodeId>();
  private readonly committed = new Map<Index, Term>();
  private readonly chain = new Map<string, Term>();
  private committedEnd: Index;
  /** Term of the leader that committed `committedEnd` first. */
  private committedIn: Term = 0;
  private readonly origin: Index;

  constructor(origin: Index) {
    this.origin = origin;
    this.committedEnd = origin;
  }

  /** The largest index that any node ever treated as committed. */
  get committedIndex(): Index {
    return this.committedEnd;
  }

  /** Call after every step of `node`, with all nodes whose disks exist (crashed ones too). */
  afterStep(node: ObservedNode, everybody: ReadonlyMap<NodeId, ObservedNode>): void {
    this.checkLogMatching(node.core);
    this.checkCommit(node.core, everybody);
    this.checkConfigurations(node.core);
    if (node.core.role === 'leader') this.checkLeader(node.core);
  }

  /** Call for every message that leaves `node`. */
  onSend(node: ObservedNode, to: NodeId, message: RaftMessage): void {
    assert(message.term <= node.durableTerm, 'INV-7: no message is ahead of the durable term');
    if (message.type === 'appendResponse' && message.ok) this.checkAck(node, message.matchIndex);
    if (message.type === 'snapshotResponse') this.checkAck(node, message.matchIndex);
    if (message.type === 'voteResponse' && message.granted) {
      assert(node.durableVote?.nodeId === to, 'INV-7: a grant leaves when the vote is durable');
      const key = `${node.core.self.nodeId}/${message.term}`;
      const granted = this.grants.get(key) ?? to;
      assert(granted === to, 'INV-7: one node never grants to two candidates in one term');
      this.grants.set(key, granted);
    }
  }

  // INV-1: at most one leader per term. INV-4: it has everything that was ever committed before.
  private checkLeader(core: Core): void {
    const { term } = core.hard;
    const known = this.leaders.get(term) ?? core.self.nodeId;
    assert(known === core.self.nodeId, `INV-1: two leaders in term ${term}`);
    if (this.leaders.has(term)) return;
    this.leaders.set(term, known);
    const ended = this.committed.get(this.committedEnd);
    if (ended === undefined || this.committedIn >= term) return;
    assert(
      core.log.termAt(this.committedEnd) === ended,
      `INV-4: the leader of term ${term} lacks entry ${this.committedEnd}`,
    );
  }

  // INV-3: the same (index, term) has the same predecessor everywhere, hence the same prefix.
  private checkLogMatching({ log }: Core): void {
    for (let index = log.lastIndex; index > log.anchorIndex; index--) {
      const key = `${index}/${log.termAt(index)}`;
      const before = log.termAt(index - 1) ?? 0;
      const known = this.chain.get(key);
      assert(known === undefined || known === before, `INV-3: entry ${key} has two prefixes`);
      if (known !== undefined) return;
      this.chain.set(key, before);
    }
  }

  // INV-5 and INV-6: all agree on what is committed, and a quorum had it on disk at that moment.
  private checkCommit(core: Core, everybody: ReadonlyMap<NodeId, ObservedNode>): void {
    const { log, commitIndex } = core;
    for (let index = commitIndex; index > this.origin; index--) {
      const term = log.termAt(index);
      const known = this.committed.get(index);
      assert(known === undefined || known === term, `INV-5: entry ${index} is committed twice`);
      if (known !== undefined) break;
      this.committed.set(index, term ?? 0);
    }
    if (commitIndex <= this.committedEnd) return;
    const { latest } = core.configurations;
    // A joint configuration is left in the step that commits it: its own quorum must have it.
    const decided = core.configurations
      .list()
      .filter(({ index }) => index > this.committedEnd && index <= commitIndex);
    for (const { index, config } of decided) checkStored(core, everybody, { index, config });
    checkStored(core, everybody, { index: commitIndex, config: latest.config });
    this.committedEnd = commitIndex;
    this.committedIn = core.hard.term;
  }

  // INV-11: a log holds at most one configuration that nobody has committed, and any quorum of one
  // meets any quorum of the next.
  private checkConfigurations({ configurations, self }: Core): void {
    const known = configurations.list();
    const pending = known.filter((each) => each.index > this.committedEnd);
    assert(pending.length <= 1, `INV-11: ${self.nodeId} has two uncommitted configurations`);
    for (const [at, { config, index }] of known.entries()) {
      const before = known[at - 1];
      assert(
        before === undefined || haveCommonHalf(before.config, config),
        `INV-11: configuration ${index} of ${self.nodeId} may decide without the one before`,
      );
    }
  }

  // INV-8: an acknowledgement covers only what is on disk now, as it is in memory now.
  private checkAck(node: ObservedNode, matchIndex: Index): void {
    const { log, self } = node.core;
    assert(matchIndex <= log.lastIndex, 'INV-8: nobody acknowledges what it has not');
    if (matchIndex <= this.origin) return;
    assert(
      isStored(node, { index: matchIndex, term: log.termAt(matchIndex) }),
      `INV-8: ${self.nodeId} acknowledged ${matchIndex}, which is not on its disk`,
    );
  }
}

interface Place {
  readonly index: Index;
  /** Null: some entry that was compacted in memory. */
  readonly term: Term | null;
}

// As an entry of that term, or in the checkpoint.
function isStored({ durableCheckpoint, durableTermAt }: ObservedNode, place: Place): boolean {
  if (place.index < durableCheckpoint.index) return true;
  if (place.index === durableCheckpoint.index) return durableCheckpoint.term === place.term;
  return place.term !== null && durableTermAt(place.index) === place.term;
}

function checkStored(
  core: Core,
  everybody: ReadonlyMap<NodeId, ObservedNode>,
  { index, config }: ConfigAt,
): void {
  for (const half of [config.voters, config.votersOutgoing]) {
    assert(
      half.length === 0 || storedBy(half, everybody, { index, term: core.log.termAt(index) }),
      `INV-6: entry ${index} is committed without a quorum of disks`,
    );
  }
}

// A quorum is a majority of every half: with the same half in both, two quorums share a node.
function haveCommonHalf(one: ClusterConfig, other: ClusterConfig): boolean {
  const halvesOf = ({ voters, votersOutgoing }: ClusterConfig): string[] =>
    [voters, votersOutgoing].flatMap((half) =>
      half.length === 0 ? [] : [JSON.stringify(half.map(({ storeId }) => storeId).sort(compare))],
    );
  const halves = new Set(halvesOf(one));
  return halvesOf(other).some((half) => halves.has(half));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : 1;
}

function storedBy(
  members: readonly Member[],
  everybody: ReadonlyMap<NodeId, ObservedNode>,
  entry: Place,
): boolean {
  const having = members.filter(({ nodeId }) => {
    const node = everybody.get(nodeId);
    return node !== undefined && isStored(node, entry);
  });
  return having.length >= majoritySize(members.length);
}
