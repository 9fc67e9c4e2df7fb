// Lets the faults of a script happen to a cluster, each at its time, and ends each when it is
// over. What does not apply when its time comes does nothing.

import { US_PER_MS } from '../../src/base/units.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { HostExit } from '../../src/node/host-types.ts';
import type { SimClient } from '../cluster-client.ts';
import type { SimCluster } from '../cluster.ts';
import type { Undo } from '../world/direction.ts';
import { leaderWait, lingerUs, writeWait } from './ambush.ts';
import type { Wait } from './ambush.ts';
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
    const undo = INJECTORS[fault.kind](this.field, fault);
    if (undo === null) return;
    this.strikes++;
    this.active.add(undo);
    const { world } = this.field.cluster;
    world.at(world.nowUs + fault.forMs * US_PER_MS, () => {
      if (this.active.delete(undo)) undo();
    });
  }
}
