// The part of a storm in which logs are compacted and checkpoints travel: their pieces are late,
// lost, repeated and refused, hosts give up, crashes come before and after each step of an install.

import type { CoreCluster, CoreNode } from './harness.ts';

/** Draws what happens to the checkpoints of a cluster, and counts what became of it. */
export class CheckpointStorm {
  made = 0;
  private readonly cluster: CoreCluster;
  private readonly below: (limit: number) => number;

  constructor(cluster: CoreCluster, below: (limit: number) => number) {
    this.cluster = cluster;
    this.below = below;
  }

  act(node: CoreNode): void {
    const dice = this.below(10);
    if (dice < 5) this.make(node);
    else if (dice < 6) this.completeLate(node);
    else if (dice < 7) this.giveUp(node);
    else if (dice < 8) this.change(node);
    else this.complete(node);
  }

  /** One step of whatever goes on there. */
  complete(node: CoreNode): void {
    const { nowUs } = this.cluster;
    const dice = this.below(4);
    if (dice === 0) node.completePiece(nowUs);
    else if (dice < 3) node.completePart(nowUs);
    else node.completeInstall(nowUs);
  }

  /** Just before a crash: what was on its way to the disk may have arrived all the same. */
  beforeCrash(node: CoreNode): void {
    if (this.below(2) === 0) node.checkpoints.install();
    else if (this.below(2) === 0) node.writeCheckpoint(this.below(8));
  }

  private make(node: CoreNode): void {
    if (node.checkpoint(this.below(2) === 0 ? 0 : this.below(12), this.cluster.nowUs)) this.made++;
  }

  private giveUp(node: CoreNode): void {
    const transfer = node.checkpoints.anyTransfer();
    if (transfer === null) return;
    this.cluster.step(node.nodeId, { type: 'snapshotAborted', ...transfer });
  }

  // Any durable checkpoint may be one whose transfer, under whatever leader, took until now.
  private completeLate(node: CoreNode): void {
    const nodes = [...this.cluster.nodes.values()];
    const checkpoint = nodes[this.below(nodes.length)]?.disk.checkpoint;
    // It had brought its term with it.
    if (checkpoint === undefined || checkpoint.point.last.term > node.term) return;
    const event = node.checkpoints.completeLate(checkpoint);
    if (event !== null) this.cluster.step(node.nodeId, event);
  }

  private change({ automatic, checkpoints }: CoreNode): void {
    automatic.pieces = this.below(2) === 0;
    automatic.install = this.below(3) === 0;
    checkpoints.isRefusing = this.below(8) === 0;
    checkpoints.isPinning = this.below(3) > 0;
  }
}
