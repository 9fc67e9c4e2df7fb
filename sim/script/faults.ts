// Lets the faults of a script happen to a cluster, each at its time, and ends each when it is
// over. What does not apply when its time comes does nothing.

import { US_PER_MS } from '../../src/base/units.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { HostExit } from '../../src/node/host-types.ts';
import type { SimClient } from '../cluster-client.ts';
import type { SimNode } from '../cluster-node.ts';
import type { SimCluster } from '../cluster.ts';
import type { Undo } from '../world/direction.ts';
import { CLIENT_FAULTS } from './client-faults.ts';
import { DISK_FAULTS } from './disk-faults.ts';
import { FaultField } from './fault-field.ts';
import type { Injector } from './fault-field.ts';
import { NETWORK_FAULTS } from './network-faults.ts';
import { NODE_FAULTS } from './node-faults.ts';
import type { Fault, FaultKind, Script } from './types.ts';

/** The faults of one run. */
export interface Faults {
  /** Nodes whose durable state was damaged or a write failed: they may refuse and stay down. */
  readonly condemned: ReadonlySet<NodeId>;
  /** How many faults applied so far. */
  readonly struck: number;
  /** Ends all faults for good: nothing strikes afterwards, and whoever may run does. */
  healAll(): void;
  /** True if a fault is the reason for which the node ended. */
  isExitJustified(id: NodeId, exit: HostExit): boolean;
}

const INJECTORS: Readonly<Record<FaultKind, Injector>> = {
  ...NODE_FAULTS,
  ...NETWORK_FAULTS,
  ...CLIENT_FAULTS,
  ...DISK_FAULTS,
};

/** A write that is wanted under way when a fault strikes, and how long to wait for one. */
interface Ambush {
  readonly write: string;
  readonly everyUs: number;
  readonly withinUs: number;
}

const WRITE: Ambush = { write: '', everyUs: 150, withinUs: 20_000 };
/** Slots are written at elections, and once a second to raise the durable floor. */
const SLOT_WRITE: Ambush = { write: 'slotWrite', everyUs: 400, withinUs: 1_100_000 };

const DEADLY: readonly FaultKind[] = ['crash', 'powerLoss', 'crashAll', 'powerLossAll'];

/** Begins now: times of the script count from here. */
export function scheduleFaults(
  cluster: SimCluster,
  script: Script,
  clients: () => readonly SimClient[],
): Faults {
  return new ScheduledFaults(cluster, script, clients);
}

class ScheduledFaults implements Faults {
  private readonly field: FaultField;
  private readonly active = new Set<Undo>();
  private strikes = 0;
  private isOver = false;

  constructor(cluster: SimCluster, script: Script, clients: () => readonly SimClient[]) {
    this.field = new FaultField(cluster, script, clients);
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

  healAll(): void {
    this.isOver = true;
    for (const undo of this.active) undo();
    this.active.clear();
    for (const node of this.field.nodes) this.field.revive(node);
    for (const { handle } of this.field.clients) handle.start();
  }

  isExitJustified(id: NodeId, exit: HostExit): boolean {
    return this.field.isExitJustified(id, exit);
  }

  private prepare(fault: Fault): void {
    if (this.isOver) return;
    const ambush = ambushOf(fault);
    if (ambush === null) return this.strike(fault);
    const node = this.field.node(fault);
    const { world } = this.field.cluster;
    this.lieInWait(fault, { node, ambush, untilUs: world.nowUs + ambush.withinUs });
  }

  /** Most bugs of durability need a crash while something is being written. */
  private lieInWait(
    fault: Fault,
    wait: { readonly node: SimNode; readonly ambush: Ambush; readonly untilUs: number },
  ): void {
    if (this.isOver) return;
    const { world } = this.field.cluster;
    const { node, ambush, untilUs } = wait;
    const isWriting = node.disk.writes.waiting.some((name) => name.startsWith(ambush.write));
    if (isWriting || world.nowUs >= untilUs) {
      // As an event of the trace: up to here nothing was to be seen.
      world.at(world.nowUs, () => this.strike({ ...fault, target: this.numberOf(node) }));
    } else {
      world.after(ambush.everyUs, () => this.lieInWait(fault, wait));
    }
  }

  private strike(fault: Fault): void {
    if (this.isOver) return;
    const undo = INJECTORS[fault.kind](this.field, fault);
    if (undo === null) return;
    this.strikes++;
    this.active.add(undo);
    const { world } = this.field.cluster;
    world.at(world.nowUs + fault.forMs * US_PER_MS, () => {
      if (this.active.delete(undo)) undo();
    });
  }

  /** By number, so that it is the same one even if another leads meanwhile. */
  private numberOf(node: SimNode): number {
    return this.field.nodes.indexOf(node) + 1;
  }
}

function ambushOf({ kind, arg }: Fault): Ambush | null {
  if (kind === 'tornSlot') return SLOT_WRITE;
  return DEADLY.includes(kind) && arg % 2 === 1 ? WRITE : null;
}
