// The part of a storm that changes who takes part: nodes come as learners, are promoted and leave,
// also those that lead; leadership is handed over; nodes that left are told so at the door.

import type { ClusterConfig } from '../../../src/raft/config.ts';
import { findMember } from '../../../src/raft/configurations.ts';
import type { RaftEffect } from '../../../src/raft/events.ts';
import { member } from './harness.ts';
import type { CoreCluster, CoreNode } from './harness.ts';

/** Nodes that ever take part in one storm. */
const NODES_MAX = 12;

type Refusal = NonNullable<Extract<RaftEffect, { type: 'configDecided' }>['refusal']>;

/** Draws what happens to the membership of a cluster, and counts what became of it. */
export class MemberStorm {
  /** Changes that were appended, and refusals by code. */
  readonly changes = new Map<'accepted' | Refusal['code'], number>();
  private readonly cluster: CoreCluster;
  private readonly below: (limit: number) => number;
  private lastId = 0;

  constructor(cluster: CoreCluster, below: (limit: number) => number) {
    this.cluster = cluster;
    this.below = below;
  }

  act(): void {
    const leader = this.cluster.leader();
    const dice = this.below(10);
    if (dice === 0) this.tellSomebodyThatItLeft();
    else if (leader !== null && dice < 4) this.handOver(leader);
    else if (leader !== null && dice < 6) this.add(leader);
    else if (leader !== null) this.change(leader);
  }

  private add(leader: CoreNode): void {
    const { nodes } = this.cluster;
    const { voters, learners } = leader.raft.status().config;
    if (nodes.size === NODES_MAX || voters.length + learners.length > 5) return;
    const nodeId = `n${nodes.size + 1}`;
    const answer = this.cluster.change(leader.nodeId, {
      type: 'addLearner',
      member: member(nodeId),
    });
    this.count(answer.refusal);
    // Also one that was refused may be running, and knock.
    this.cluster.join(nodeId);
  }

  private change(leader: CoreNode): void {
    const { config, configIndex } = leader.raft.status();
    const promote = this.some(config.learners);
    const remove = [...this.some(config.voters), ...this.some(config.learners)].filter(
      (nodeId) => this.below(2) === 0 && !promote.includes(nodeId),
    );
    const expectedIndex = this.below(3) === 0 ? configIndex : null;
    const change = { type: 'change', promote, remove } as const;
    this.count(this.cluster.change(leader.nodeId, change, expectedIndex).refusal);
  }

  private handOver(leader: CoreNode): void {
    const names = [...this.cluster.nodes.keys()];
    const to = this.below(2) === 0 ? null : (names[this.below(names.length)] ?? null);
    this.lastId++;
    this.cluster.step(leader.nodeId, { type: 'transfer', id: this.lastId, to });
  }

  // As the door does: whoever knows of a committed configuration that a node has left says so.
  private tellSomebodyThatItLeft(): void {
    const nodes = [...this.cluster.nodes.values()].filter((node) => node.isRunning);
    const teller = nodes[this.below(nodes.length)];
    if (teller === undefined) return;
    const { configurations, commitIndex } = teller.core;
    const { index, config } = configurations.at(commitIndex);
    for (const { nodeId } of nodes) {
      if (findMember(config, nodeId) !== null || !config.retired.includes(nodeId)) continue;
      const from = { nodeId: teller.nodeId, storeId: teller.core.self.storeId, bootCount: 1 };
      this.cluster.step(nodeId, { type: 'notMember', from, configIndex: index });
    }
  }

  private some(members: ClusterConfig['voters']): string[] {
    return members.map(({ nodeId }) => nodeId).filter(() => this.below(3) === 0);
  }

  private count(refusal: Refusal | null): void {
    const what = refusal?.code ?? 'accepted';
    this.changes.set(what, (this.changes.get(what) ?? 0) + 1);
  }
}
