// A cluster of cores on one clock, with delivery of messages and completion of writes under the
// test's control. All invariants are checked after every step of every node.
//
//   const cluster = new CoreCluster({ size: 3 });
//   cluster.elect('n1');                       // by its own timer, with all messages delivered
//   cluster.propose('n1', 'x');  cluster.deliverAll();
//   cluster.node('n2').automatic.persist = false;   // from now on completePersist('n2')

import { ClusterObserver } from '../../../src/raft/cluster-invariants.ts';
import type { Entry } from '../../../src/raft/entry.ts';
import type { Proposal, RaftEffect, RaftEvent, RaftSettings } from '../../../src/raft/events.ts';
import type { ClusterConfig } from '../../../src/raft/config.ts';
import type { MembershipChange } from '../../../src/raft/membership-change.ts';
import type { Ballot } from '../../../src/raft/hard-state.ts';
import type { RaftMessage } from '../../../src/raft/messages.ts';
import { CoreNode } from './core-node.ts';
import type { Proposed } from './core-node.ts';
import { Disk } from './disk.ts';
import { configOf, entriesOf, member, payloadOf, SETTINGS } from './fixtures.ts';

export { ALL_AUTOMATIC, CoreNode } from './core-node.ts';
export { Disk } from './disk.ts';
export * from './fixtures.ts';

export interface ClusterOptions {
  /** Voters n1, n2, …; default 3. */
  readonly size?: number;
  /** Instead of `size`: the founding configuration. All its members are started. */
  readonly config?: ClusterConfig;
  readonly seed?: number;
  readonly origin?: number;
  readonly settings?: Partial<RaftSettings>;
  /** Terms of the log that a node starts with: `{ n1: [1, 1, 2] }`. */
  readonly logs?: Readonly<Record<string, readonly number[]>>;
  /** Term and vote that a node starts with; by default the term of its last entry. */
  readonly hard?: Readonly<Record<string, { term: number; vote?: Ballot | null }>>;
  /** How many entries recovery hands over in memory; default all. */
  readonly tailCount?: number;
  /** False when made-up messages speak for the others: their disks are not checked then. */
  readonly isObserved?: boolean;
}

/** Messages between two nodes, oldest first. */
type Link = RaftMessage[];

export class CoreCluster {
  nowUs = 1_000_000;
  readonly nodes = new Map<string, CoreNode>();
  readonly observer: ClusterObserver;
  readonly settings: RaftSettings;
  private readonly options: ClusterOptions;
  private readonly config: ClusterConfig;
  private readonly isObserved: boolean;
  private readonly states = new Map<number, number>();
  private readonly links = new Map<string, Link>();
  /** Directed links that swallow what is sent: `n1>n2`. */
  private readonly cuts = new Set<string>();

  constructor(options: ClusterOptions = {}) {
    const { size = 3, origin = 0 } = options;
    const names = Array.from({ length: size }, (_, at) => `n${at + 1}`);
    const config = options.config ?? configOf(names);
    this.options = options;
    this.config = config;
    this.settings = { ...SETTINGS, ...options.settings };
    this.isObserved = options.isObserved ?? true;
    this.observer = new ClusterObserver(origin);
    const members = [...config.voters, ...config.votersOutgoing, ...config.learners];
    for (const nodeId of new Set(members.map((each) => each.nodeId))) {
      const entries: Entry[] = entriesOf(options.logs?.[nodeId] ?? [], origin);
      this.start(nodeId, new Disk({ config, origin, entries, ...options.hard?.[nodeId] }));
    }
  }

  /** A node that was not there at the founding, and knows of nothing else. */
  join(nodeId: string): void {
    this.start(nodeId, new Disk({ config: this.config, origin: this.options.origin ?? 0 }));
  }

  node(nodeId: string): CoreNode {
    const node = this.nodes.get(nodeId);
    if (node === undefined) throw new Error(`no node ${nodeId}`);
    return node;
  }

  /** The leader of the highest term, if a running node leads. */
  leader(): CoreNode | null {
    const leaders = [...this.nodes.values()].filter(
      (node) => node.isRunning && node.role === 'leader',
    );
    leaders.sort((left, right) => right.term - left.term);
    return leaders[0] ?? null;
  }

  step(nodeId: string, event: RaftEvent): readonly RaftEffect[] {
    const node = this.node(nodeId);
    return node.isRunning ? node.step(event, this.nowUs) : [];
  }

  /** Time passes in steps of at most H/2, each followed by ticks; nothing is delivered. */
  tick(us: number, names: readonly string[] = [...this.nodes.keys()]): void {
    const stepUs = this.settings.heartbeatUs / 2;
    for (let left = us; left > 0; left -= stepUs) {
      this.nowUs += Math.min(left, stepUs);
      for (const nodeId of names) this.step(nodeId, { type: 'tick' });
    }
  }

  /** As `tick`, with everything delivered after each step. */
  run(us: number): void {
    const stepUs = this.settings.heartbeatUs / 2;
    for (let left = us; left > 0; left -= stepUs) {
      this.tick(Math.min(left, stepUs));
      this.deliverAll();
    }
  }

  /** Runs until the condition holds; fails after `limitUs` of virtual time. */
  runUntil(condition: () => boolean, limitUs = 40 * this.settings.electionUs): void {
    const endUs = this.nowUs + limitUs;
    while (!condition()) {
      if (this.nowUs > endUs) throw new Error('the condition did not come to hold in time');
      this.run(this.settings.heartbeatUs / 2);
    }
  }

  /** Messages on their way. */
  link(from: string, to: string): readonly RaftMessage[] {
    return this.links.get(`${from}>${to}`) ?? [];
  }

  /** Delivers one message, by default the oldest; false if there is none. */
  deliver(from: string, to: string, at = 0): boolean {
    const message = this.take(from, to, at);
    if (message === null) return false;
    this.inject(from, to, message);
    return true;
  }

  /** Steps a message as if it had come from there now. */
  inject(from: string, to: string, message: RaftMessage): readonly RaftEffect[] {
    const { storeId } = member(from);
    const bootCount = this.nodes.get(from)?.bootCount ?? 1;
    return this.step(to, { type: 'message', from: { nodeId: from, storeId, bootCount }, message });
  }

  /** Loses messages on their way: one, or by default all of the link. */
  drop(from: string, to: string, at?: number): void {
    if (at !== undefined) this.take(from, to, at);
    else this.links.delete(`${from}>${to}`);
  }

  /** Loses everything on its way anywhere. */
  dropAll(): void {
    this.links.clear();
  }

  /** Delivers until nothing is on its way; fails if that does not end. */
  deliverAll(): void {
    for (let count = 0; count < 100_000; count++) {
      const busy = [...this.links].find(([, link]) => link.length > 0);
      if (busy === undefined) return;
      const [from = '', to = ''] = busy[0].split('>');
      this.deliver(from, to);
    }
    throw new Error('messages never come to rest');
  }

  /** From now on nothing passes between the two, in that direction or both. */
  cut(from: string, to: string, isOneWay = false): void {
    this.cuts.add(`${from}>${to}`);
    this.drop(from, to);
    if (!isOneWay) this.cut(to, from, true);
  }

  isolate(nodeId: string): void {
    for (const other of this.nodes.keys()) if (other !== nodeId) this.cut(nodeId, other);
  }

  heal(): void {
    this.cuts.clear();
  }

  completePersist(nodeId: string): boolean {
    return this.node(nodeId).completePersist(this.nowUs);
  }

  completeSlots(nodeId: string): boolean {
    return this.node(nodeId).completeSlots(this.nowUs);
  }

  completeApply(nodeId: string): boolean {
    return this.node(nodeId).completeApply(this.nowUs);
  }

  /** Power loss of one node; what is on its way from it may still arrive. */
  crash(nodeId: string): void {
    this.node(nodeId).crash();
    for (const other of this.nodes.keys()) this.drop(other, nodeId);
  }

  restart(nodeId: string): void {
    this.node(nodeId).restart(this.nowUs);
  }

  /**
   * Makes a node leader in the regular way: whoever leads steps down, nobody remembers a leader,
   * only this node's timer runs out, and all messages are delivered.
   */
  elect(nodeId: string): void {
    for (const other of this.nodes.keys()) {
      if (other !== nodeId) this.step(other, { type: 'stepDown' });
    }
    for (let steps = 0; steps < 400; steps++) {
      for (const node of this.nodes.values()) this.holdElection(node, node.nodeId === nodeId);
      this.tick(this.settings.heartbeatUs / 2);
      this.deliverAll();
      if (this.node(nodeId).core.leader?.isReady === true) return;
    }
    throw new Error(`${nodeId} was not elected`);
  }

  /** Proposes commands with these texts. */
  propose(nodeId: string, ...texts: string[]): Proposed {
    return this.proposeAll(
      nodeId,
      texts.map((text) => ({
        type: 'command',
        payload: payloadOf(text),
        internal: false,
        record: null,
      })),
    );
  }

  proposeAll(nodeId: string, proposals: readonly Proposal[]): Proposed {
    const effects = this.step(nodeId, { type: 'propose', proposals });
    for (const effect of effects) if (effect.type === 'proposed') return effect;
    throw new Error('a proposal was not answered');
  }

  /** Asks for a change of the membership. */
  change(
    nodeId: string,
    change: MembershipChange,
    expectedIndex: number | null = null,
  ): Extract<RaftEffect, { type: 'configDecided' }> {
    const effects = this.step(nodeId, { type: 'changeConfig', id: 1, expectedIndex, change });
    for (const effect of effects) if (effect.type === 'configDecided') return effect;
    throw new Error('a change was not answered');
  }

  private holdElection(node: CoreNode, mayCampaign: boolean): void {
    if (node.role === 'leader') return;
    node.core.election.stickyUntilUs = 0;
    if (!mayCampaign) node.core.election.deadlineUs = this.nowUs + this.settings.electionUs;
    else if (node.role === 'follower') node.core.election.deadlineUs = this.nowUs;
  }

  private start(nodeId: string, disk: Disk): void {
    const { seed = 1, tailCount = Infinity } = this.options;
    const node = new CoreNode(
      {
        nodeId,
        disk,
        settings: this.settings,
        seed: seed * 1_000 + Number(nodeId.slice(1)),
        tailCount,
        onSend: (node, to, message) => this.onSend(node, to, message),
        onState: ({ index, sum }) => this.checkState(nodeId, index, sum),
        afterStep: (node) => {
          if (this.isObserved) this.observer.afterStep(node, this.nodes);
        },
      },
      this.nowUs,
    );
    this.nodes.set(nodeId, node);
  }

  // INV-5: however a node came to an entry, its state there is the same.
  private checkState(nodeId: string, index: number, sum: number): void {
    const known = this.states.get(index) ?? sum;
    if (known !== sum) throw new Error(`INV-5: the state of ${nodeId} at ${index} is another one`);
    this.states.set(index, sum);
  }

  private onSend(node: CoreNode, to: string, message: RaftMessage): void {
    this.observer.onSend(node, to, message);
    const key = `${node.nodeId}>${to}`;
    if (this.cuts.has(key) || this.nodes.get(to)?.isRunning !== true) return;
    const link = this.links.get(key) ?? [];
    link.push(message);
    this.links.set(key, link);
  }

  private take(from: string, to: string, at: number): RaftMessage | null {
    return this.links.get(`${from}>${to}`)?.splice(at, 1)[0] ?? null;
  }
}
