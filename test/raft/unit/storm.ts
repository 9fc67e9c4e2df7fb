// A storm over a cluster: messages late, lost, twice and in any order; writes that complete when
// they like; power losses, restarts, cuts, stalls, compaction, membership changes. Everything is
// drawn from one seed. All invariants are checked by the harness after every step.

import { ALL_AUTOMATIC, CoreCluster, configOf, randomOf } from './harness.ts';
import type { CoreNode } from './harness.ts';
import { CheckpointStorm } from './storm-checkpoints.ts';
import { MemberStorm } from './storm-members.ts';

// Short, so that a storm sees many terms.
const H = 10_000;
const E = 60_000;
const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5'];

export interface StormOptions {
  readonly seed: number;
  readonly actions: number;
  /** Voters at the start; the others of the five are learners. */
  readonly voters: number;
  readonly changesMembers: boolean;
  readonly compacts: boolean;
}

/** One storm. `calm()` ends it and waits until all is well again. */
export class Storm {
  readonly cluster: CoreCluster;
  private readonly random: () => number;
  private readonly options: StormOptions;
  readonly members: MemberStorm;
  readonly checkpoints: CheckpointStorm;
  private readonly reads = new Map<number, number>();
  private nextRead = 1;
  private proposals = 0;
  private isFair = true;
  readReadyCount = 0;

  constructor(options: StormOptions) {
    this.options = options;
    this.random = randomOf(options.seed);
    const voters = NAMES.slice(0, options.voters);
    this.cluster = new CoreCluster({
      config: configOf(voters, { learners: NAMES.slice(options.voters) }),
      seed: options.seed,
      origin: options.seed % 3 === 0 ? 1_000 : 0,
      tailCount: 3,
      settings: {
        heartbeatUs: H,
        electionUs: E,
        inflightAppendsMax: 4,
        appendBytesMax: 200,
        persistBytesMax: 300,
        applyBytesMax: 150,
        tailBytesMax: 400,
        uncommittedBytesMax: 4_000,
      },
    });
    this.members = new MemberStorm(this.cluster, (limit) => this.below(limit));
    this.checkpoints = new CheckpointStorm(this.cluster, (limit) => this.below(limit));
  }

  rage(): void {
    for (let count = 0; count < this.options.actions; count++) {
      this.act();
      this.checkReads();
    }
  }

  /** All faults end. Fails unless one leader emerges and everybody applies the same. */
  calm(): void {
    const { cluster } = this;
    cluster.heal();
    for (const node of cluster.nodes.values()) {
      if (!node.isRunning) cluster.restart(node.nodeId);
      Object.assign(node.automatic, ALL_AUTOMATIC);
      node.checkpoints.isRefusing = false;
      cluster.step(node.nodeId, { type: 'tick' });
    }
    cluster.deliverAll();
    cluster.runUntil(() => cluster.leader()?.core.leader?.isReady === true);
    cluster.propose(cluster.leader()?.nodeId ?? '', 'last');
    cluster.runUntil(() => {
      const status = cluster.leader()?.raft.status();
      if (status === undefined || status.previousConfig !== null) return false;
      const { voters, votersOutgoing, learners } = status.config;
      if (votersOutgoing.length > 0) return false;
      return [...voters, ...learners].every(
        ({ nodeId }) => cluster.node(nodeId).core.appliedIndex === status.commitIndex,
      );
    });
  }

  // Fair and rough weather take turns: in one leaders work, in the other they fall.
  private act(): void {
    if (this.below(60) === 0) this.isFair = !this.isFair;
    const dice = this.below(100);
    if (dice < 50) this.deliverSomething();
    else if (dice < 65) this.completeSomething();
    else if (dice < 75) this.passTime();
    else if (dice < 85) this.propose();
    else if (dice < 90) this.read();
    else if (dice < 93 && this.options.changesMembers) this.members.act();
    else if (this.isFair) this.cluster.heal();
    else if (dice < 94) this.loseSomething();
    else if (dice < 95) this.crashOrRestart();
    else if (dice < 98) this.cutOrHeal();
    else if (dice < 99) this.reportLink();
    else this.stepDown();
  }

  private deliverSomething(): void {
    for (let count = this.below(this.isFair ? 12 : 4); count >= 0; count--) {
      const [from, to] = this.busyLink();
      if (from === undefined || to === undefined) return;
      const link = this.cluster.link(from, to);
      const at = this.below(4) === 0 ? this.below(link.length) : 0;
      const message = link[at];
      if (message !== undefined && this.below(12) === 0) this.cluster.inject(from, to, message);
      else this.cluster.deliver(from, to, at);
    }
  }

  private completeSomething(): void {
    const { nowUs } = this.cluster;
    const node = this.pickRunning();
    if (node === undefined) return;
    if (this.options.compacts && this.below(2) === 0) {
      if (this.below(2) === 0) this.checkpoints.act(node);
      else this.checkpoints.complete(node);
      return;
    }
    const dice = this.below(4);
    if (dice === 0) node.completePersist(nowUs);
    else if (dice === 1) node.completeSlots(nowUs);
    else if (dice === 2) node.completeApply(nowUs);
    else node.completeLoad(nowUs);
    const { automatic } = node;
    if (this.below(3) > 0) return;
    automatic.persist = this.isFair || this.below(3) > 0;
    automatic.slots = this.isFair || this.below(3) > 0;
    automatic.apply = this.below(2) > 0;
    automatic.load = this.below(2) > 0;
  }

  private passTime(): void {
    const node = this.pickRunning();
    const us = this.below(100) === 0 ? 2 * E : 1_000 + this.below(this.isFair ? H / 2 : 2 * H);
    if (this.below(4) > 0 || node === undefined) this.cluster.tick(us);
    else this.cluster.tick(us, [node.nodeId]);
  }

  private propose(): void {
    const leaders = [...this.cluster.nodes.values()].filter((each) => each.role === 'leader');
    const node = leaders[this.below(leaders.length)];
    if (node?.isRunning !== true) return;
    const texts = Array.from({ length: 1 + this.below(5) }, () => {
      this.proposals++;
      return `command ${this.proposals} ${'x'.repeat(this.below(80))}`;
    });
    this.cluster.propose(node.nodeId, ...texts);
  }

  private read(): void {
    const node = this.below(4) === 0 ? this.pickRunning() : this.cluster.leader();
    if (node === undefined || node === null) return;
    const id = this.nextRead++;
    this.reads.set(id, this.cluster.observer.committedIndex);
    this.cluster.step(node.nodeId, { type: 'read', id });
  }

  // INV-12 for reads: what was committed anywhere before the read arrived is in the answer.
  private checkReads(): void {
    for (const node of this.cluster.nodes.values()) {
      for (const effect of node.effects) {
        if (effect.type !== 'readReady') continue;
        for (const id of effect.ids) this.checkRead(node, id);
      }
      node.effects.length = 0;
    }
  }

  private checkRead(node: CoreNode, id: number): void {
    this.readReadyCount++;
    const least = this.reads.get(id);
    if (least === undefined || node.core.appliedIndex < least) {
      throw new Error(`INV-12: read ${id} at ${node.nodeId} missed what was committed before it`);
    }
  }

  private loseSomething(): void {
    const [from, to] = this.busyLink();
    if (from === undefined || to === undefined) return;
    this.cluster.drop(from, to, this.below(2) === 0 ? 0 : undefined);
  }

  private crashOrRestart(): void {
    const node = this.cluster.node(this.pickName());
    if (!node.isRunning) return this.cluster.restart(node.nodeId);
    if (this.options.compacts) this.checkpoints.beforeCrash(node);
    // A write that was not reported may have reached the disk all the same.
    if (this.below(2) === 0) node.disk.writeBatch();
    if (this.below(2) === 0) node.disk.writeRecord();
    this.cluster.crash(node.nodeId);
  }

  private cutOrHeal(): void {
    const leader = this.cluster.leader();
    if (this.below(3) === 0) this.cluster.heal();
    else if (this.below(3) === 0 && leader !== null) this.cluster.isolate(leader.nodeId);
    else this.cluster.cut(this.pickName(), this.pickName(), this.below(2) === 0);
  }

  private reportLink(): void {
    const state = this.pick(['up', 'down', 'gone'] as const);
    this.cluster.step(this.pickName(), { type: 'link', peer: this.pickName(), state });
  }

  private stepDown(): void {
    const leader = this.cluster.leader();
    if (leader !== null) this.cluster.step(leader.nodeId, { type: 'stepDown' });
  }

  private busyLink(): readonly [string?, string?] {
    const busy: [string, string][] = [];
    const names = [...this.cluster.nodes.keys()];
    for (const from of names) {
      for (const to of names) {
        if (this.cluster.link(from, to).length > 0) busy.push([from, to]);
      }
    }
    return busy[this.below(busy.length)] ?? [];
  }

  private pickRunning(): CoreNode | undefined {
    const running = [...this.cluster.nodes.values()].filter((node) => node.isRunning);
    return running[this.below(running.length)];
  }

  private pickName(): string {
    return this.pick([...this.cluster.nodes.keys()]);
  }

  private pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  private below(limit: number): number {
    return limit === 0 ? 0 : this.random() % limit;
  }
}
