// Lets the faults of a script happen to a cluster, each at its time, and ends each when it is
// over. What does not apply when its time comes does nothing.

import { US_PER_MS } from '../../src/base/units.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { HostExit } from '../../src/node/host-types.ts';
import type { SimClient } from '../cluster-client.ts';
import type { SimNode } from '../cluster-node.ts';
import type { SimCluster } from '../cluster.ts';
import type { Undo } from '../world/direction.ts';
import { changeLingerUs, changeWait, leaderWait, lingerUs, writeWait } from './ambush.ts';
import type { Wait } from './ambush.ts';
import { CLIENT_FAULTS } from './client-faults.ts';
import { describeFault } from './describe-fault.ts';
import { DISK_FAULTS } from './disk-faults.ts';
import { FaultField } from './fault-field.ts';
import type { Injector } from './fault-field.ts';
import { CLIENT_TARGETS } from './fault-groups.ts';
import { NETWORK_FAULTS } from './network-faults.ts';
import { NODE_FAULTS } from './node-faults.ts';
import type { Fault, FaultKind, Script } from './types.ts';

/** A fault that struck, in words. */
export interface StruckFault {
  /** Name of the node or process; empty for nobody in particular. */
  readonly target: string;
  /** In words: `n2 is cut off from the other nodes`. */
  readonly text: string;
  readonly fromUs: number;
  /** When it is undone; later than the end of the run is fine. */
  readonly toUs: number;
}

/** The faults of one run. */
export interface Faults {
  /** Nodes whose durable state was damaged or a write failed: they may refuse and stay down. */
  readonly condemned: ReadonlySet<NodeId>;
  /** How many faults applied so far. */
  readonly struck: number;
  /** Nodes that did not come back when all others did. */
  readonly leftOut: ReadonlySet<NodeId>;
  /**
   * Ends all faults for good: nothing strikes afterwards, and whoever may run does. In some runs a
   * minority stays away for good, for the others must do without it.
   */
  healAll(): void;
  /** True if a fault is the reason for which the node ended. */
  isExitJustified(id: NodeId, exit: HostExit): boolean;
}

const LEAVES_OUT_ONE_IN = 3;
/** Faults that have no target. */
const OF_ALL: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'crashAll',
  'powerLossAll',
  'resetAll',
  'swizzle',
]);

const INJECTORS: Readonly<Record<FaultKind, Injector>> = {
  ...NODE_FAULTS,
  ...NETWORK_FAULTS,
  ...CLIENT_FAULTS,
  ...DISK_FAULTS,
};

/** Begins now: times of the script count from here. `onStrike` is told of each that applies. */
export function scheduleFaults(
  cluster: SimCluster,
  script: Script,
  clients: () => readonly SimClient[],
  onStrike?: (struck: StruckFault) => void,
): Faults {
  return new ScheduledFaults({ cluster, script, clients, onStrike });
}

interface FaultParts {
  readonly cluster: SimCluster;
  readonly script: Script;
  readonly clients: () => readonly SimClient[];
  readonly onStrike: ((struck: StruckFault) => void) | undefined;
}

class ScheduledFaults implements Faults {
  private readonly field: FaultField;
  private readonly active = new Set<Undo>();
  private readonly away = new Set<NodeId>();
  private readonly onStrike: FaultParts['onStrike'];
  private strikes = 0;
  private isOver = false;

  constructor({ cluster, script, clients, onStrike }: FaultParts) {
    this.field = new FaultField(cluster, script, clients);
    this.onStrike = onStrike;
    const startUs = cluster.world.nowUs;
    for (const fault of script.faults) {
      cluster.world.at(startUs + fault.atMs * US_PER_MS, () => this.prepare(fault));
    }
  }

  get condemned(): ReadonlySet<NodeId> {
    return this.field.condemned;
  }

  get struck(): number {
    return this.strikes;
  }

  get leftOut(): ReadonlySet<NodeId> {
    return this.away;
  }

  healAll(): void {
    this.isOver = true;
    for (const undo of this.active) undo();
    this.active.clear();
    for (const node of this.field.nodes) this.field.revive(node);
    for (const { handle } of this.field.clients) handle.start();
    this.leaveOut();
  }

  // What is drawn depends on no fault, so that it stays as the script shrinks. Together with the
  // condemned ones they are a minority: of all that was committed, the others have a copy.
  private leaveOut(): void {
    const { field } = this;
    const nodes = field.cluster.voters();
    const { random } = field.cluster.world;
    const minority = Math.floor((nodes.length - 1) / 2);
    if (minority === 0 || random.below(LEAVES_OUT_ONE_IN, 'some stay away') > 0) return;
    const leader = random.below(2, 'the leader stays away') === 0 ? field.leader() : null;
    const from = leader === null ? random.below(nodes.length, 'who') : nodes.indexOf(leader);
    const count = 1 + random.below(minority, 'how many stay away');
    const order = [...nodes.slice(from), ...nodes.slice(0, from)];
    const others = order.filter(({ id }) => !this.condemned.has(id));
    const most = minority - this.condemned.size;
    for (const node of others.slice(0, Math.min(count, most))) {
      if (!this.isDispensable(node)) continue;
      this.away.add(node.id);
      takeAway(field, node);
    }
  }

  /** Every client knows another member, which was not left out nor condemned. */
  private isDispensable(node: SimNode): boolean {
    const isThere = ({ id }: SimNode): boolean => !this.away.has(id) && !this.condemned.has(id);
    const others = this.field.cluster.members().filter((each) => each !== node && isThere(each));
    return this.field.clients.every((client) => client.knowsAny(others));
  }

  isExitJustified(id: NodeId, exit: HostExit): boolean {
    const isJustified = this.field.isExitJustified(id, exit);
    if (isJustified && this.isOver && !this.away.has(id)) this.reviveSoon(id);
    return isJustified;
  }

  // A write that met a full disk may be answered after the healing: by now there is room.
  private reviveSoon(id: NodeId): void {
    const { world } = this.field.cluster;
    world.at(world.nowUs, () => this.field.revive(this.field.cluster.node(id)));
  }

  private prepare(fault: Fault): void {
    if (this.isOver) return;
    const { world } = this.field.cluster;
    this.await(changeWait(this.field, fault), () => {
      const lingerUs = changeLingerUs(fault);
      if (lingerUs === 0) this.aim(fault);
      else world.at(world.nowUs + lingerUs, () => this.aim(fault));
    });
  }

  private aim(fault: Fault): void {
    if (this.isOver) return;
    this.await(leaderWait(this.field, fault), () => {
      const node = this.field.node(fault);
      const wait = writeWait(node, fault);
      if (wait === null) return this.strike(fault);
      // By number, so that it is this one even if another leads when it is time.
      const target = this.field.nodes.indexOf(node) + 1;
      const { world } = this.field.cluster;
      this.await(wait, () => {
        world.at(world.nowUs + lingerUs(fault), () => this.strike({ ...fault, target }));
      });
    });
  }

  /** Goes on when it is so, or too late; at once if there is nothing to wait for. */
  private await(wait: Wait | null, then: () => void): void {
    if (wait === null) return then();
    const { world } = this.field.cluster;
    const untilUs = world.nowUs + wait.withinUs;
    const look = (): void => {
      const isTime = this.isOver || wait.isTrue() || world.nowUs >= untilUs;
      if (!isTime) world.after(wait.everyUs, look);
      // As an event of the trace: up to here nothing was to be seen.
      else if (!this.isOver) world.at(world.nowUs, then);
    };
    look();
  }

  private strike(fault: Fault): void {
    if (this.isOver) return;
    // Before it strikes: afterwards another one may lead.
    const struck = this.onStrike === undefined ? null : struckBy(this.field, fault);
    const undo = INJECTORS[fault.kind](this.field, fault);
    if (undo === null) return;
    this.strikes++;
    this.active.add(undo);
    const { world } = this.field.cluster;
    if (struck !== null) this.onStrike?.(struck);
    world.at(world.nowUs + fault.forMs * US_PER_MS, () => {
      if (this.active.delete(undo)) undo();
    });
  }
}

function struckBy(field: FaultField, fault: Fault): StruckFault {
  const { script, cluster } = field;
  const { kind, forMs } = fault;
  const isOfClient = CLIENT_TARGETS.has(kind);
  const isOfAll = OF_ALL.has(kind);
  const name = isOfClient ? (field.client(fault)?.name ?? '') : field.node(fault).id;
  const isLeader = !isOfClient && !isOfAll && fault.target === 0;
  const fromUs = cluster.world.nowUs;
  return {
    target: isOfAll ? '' : name,
    text: `${describeFault(script, fault)}${isLeader ? ` (${name})` : ''}`,
    fromUs,
    toUs: fromUs + forMs * US_PER_MS,
  };
}

/** It is dead, stands still, or is heard and reached by nobody. */
function takeAway(field: FaultField, node: SimNode): void {
  const how = field.cluster.world.random.below(3, 'how it stays away', node.id);
  if (how === 0) node.crash();
  else if (how === 1) node.pause();
  else field.impair([node.id], [...field.nodeNames, ...field.clientNames], { isCut: true });
}
