// Where faults strike: who is meant by a number, and what faults of several kinds share.

import { present } from '../../src/base/assert.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { HostExit } from '../../src/node/host-types.ts';
import type { SimClient } from '../cluster-client.ts';
import type { SimNode } from '../cluster-node.ts';
import type { SimCluster } from '../cluster.ts';
import type { Impairment, Undo } from '../world/direction.ts';
import { SharedStates, impair } from './impair.ts';
import type { Fault, Script } from './types.ts';

/** Strikes; gives the way to undo it, or null when it does not apply. */
export type Injector = (field: FaultField, fault: Fault) => Undo | null;

/** For faults that are over as soon as they have struck, or end by themselves. */
export const NOTHING_TO_UNDO: Undo = () => {};

const DISK_FULL_EXIT = 85;
const DAMAGE_EXITS: readonly number[] = [80, 82, 83, 84, 85];

/** See the head of this file. */
export class FaultField {
  readonly cluster: SimCluster;
  readonly script: Script;
  /** Nodes whose durable state was damaged, or a write of whose disk failed. */
  readonly condemned = new Set<NodeId>();
  private readonly clientList: () => readonly SimClient[];
  private readonly filled = new Set<NodeId>();
  private readonly shared = new SharedStates();

  constructor(cluster: SimCluster, script: Script, clients: () => readonly SimClient[]) {
    this.cluster = cluster;
    this.script = script;
    this.clientList = clients;
  }

  get nodes(): readonly SimNode[] {
    return this.cluster.all();
  }

  get clients(): readonly SimClient[] {
    return this.clientList();
  }

  get nodeNames(): readonly string[] {
    return this.cluster.ids;
  }

  get clientNames(): readonly string[] {
    return this.clients.map((client) => client.name);
  }

  /** Whoever leads in the highest term, even before it is ready. */
  leader(): SimNode | null {
    const leading = this.nodes
      .flatMap((node) => (node.host === null || node.isPaused ? [] : [node.host.status()]))
      .filter(({ role }) => role === 'leader')
      .sort((left, right) => right.term - left.term);
    const id = leading[0]?.nodeId;
    return id === undefined ? null : this.cluster.node(id);
  }

  /** Whom a fault of nodes is aimed at; without a leader, `arg` says who stands in for it. */
  node({ target, arg }: Fault): SimNode {
    const leader = target === 0 ? this.leader() : null;
    if (leader !== null) return leader;
    const place = target === 0 ? arg : target - 1;
    return wrapped(this.nodes, place) ?? present(this.nodes[0], 'a node');
  }

  /** Whom a fault of clients is aimed at; null while there are none. */
  client({ target }: Fault): SimClient | null {
    return wrapped(this.clients, target);
  }

  /** The node at place `arg` among all but the target; null when there is only one. */
  other(node: SimNode, { arg }: Fault): SimNode | null {
    return wrapped(this.others(node), arg);
  }

  others(node: SimNode): readonly SimNode[] {
    return this.nodes.filter((each) => each !== node);
  }

  /** Impairs the ways from each to each other one, in both directions unless `isOneWay`. */
  impair(
    from: readonly string[],
    to: readonly string[],
    impairment: Impairment,
    isOneWay = false,
  ): Undo | null {
    return impair(this.cluster.world.network, { from, to, isOneWay }, impairment);
  }

  /** What links that exist now carry stands still, at most until the script is over. */
  hold(from: readonly string[], to: readonly string[], { atMs, forMs }: Fault): Undo {
    const { network } = this.cluster.world;
    const forUs = Math.max(0, Math.min(forMs, this.script.horizonMs - atMs)) * US_PER_MS;
    for (const left of from) for (const right of to) network.stallLinks(left, right, forUs);
    return NOTHING_TO_UNDO;
  }

  /** What several faults may do to the same thing at the same time: it ends with the last. */
  share(what: string, begin: () => void, end: () => void): Undo {
    return this.shared.begin(what, begin, end);
  }

  /** Starts a dead node, unless it ended by itself and is right to stay down. */
  revive(node: SimNode): void {
    const isRightlyDown = node.exit !== null && this.condemned.has(node.id);
    if (node.host === null && !isRightlyDown) node.start();
  }

  /**
   * Marks a node whose disk is about to be damaged. False when too many are marked already: the
   * cluster survives the loss of a minority, not more, whatever happens later.
   */
  condemn(node: SimNode): boolean {
    if (this.condemned.has(node.id)) return true;
    const voters = this.cluster.voters();
    const marked = voters.filter(({ id }) => this.condemned.has(id)).length;
    if (marked >= Math.floor((voters.length - 1) / 2)) return false;
    this.condemned.add(node.id);
    return true;
  }

  /** From now on the node may end because its disk is full. */
  noteFull(node: SimNode): void {
    this.filled.add(node.id);
  }

  isExitJustified(id: NodeId, { exitCode, message }: HostExit): boolean {
    if (this.condemned.has(id) && DAMAGE_EXITS.includes(exitCode)) return true;
    const isFull = exitCode === DISK_FULL_EXIT && message.startsWith('The disk is full');
    return isFull && this.filled.has(id);
  }
}

function wrapped<T>(list: readonly T[], place: number): T | null {
  return list[place % list.length] ?? null;
}
