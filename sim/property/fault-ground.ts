// Where faults of a simulated world strike: the machines of the cluster and of the user's
// processes, all of them alike, and who is meant by a target.

import type { SimNode } from '../cluster-node.ts';
import type { SimCluster } from '../cluster.ts';
import { SharedStates } from '../script/impair.ts';
import type { MachineClock } from '../world/clock.ts';
import type { SimDisk } from '../world/disk.ts';
import type { ProcessHandle } from '../world/world.ts';
import type { WorldFault } from './world-fault.ts';

/** A process of the user, as faults handle it. */
export type FaultProcess = Pick<
  ProcessHandle<unknown>,
  'name' | 'process' | 'start' | 'crash' | 'pause' | 'resume'
>;

/** What faults must know of the world in which they strike. */
export interface FaultWorld {
  readonly cluster: SimCluster;
  /** The user's processes that may be struck, in the order of their starts. */
  processes(): readonly FaultProcess[];
  /** Names of those that hold a lock now, in their own eyes. */
  holders(): readonly string[];
}

/** Somebody who can be struck. */
export interface Victim extends FaultProcess {
  /** null: it is a process of the user. */
  readonly disk: SimDisk | null;
}

/** See the head of this file. */
export class FaultGround {
  readonly world: FaultWorld;
  /** What several faults do to the same machine at the same time. */
  readonly shared = new SharedStates();

  // One for each machine at most.
  private readonly usual = new Map<string, number>();

  constructor(world: FaultWorld) {
    this.world = world;
  }

  /** The rate error of a machine's clock when no fault has changed it, in parts per million. */
  usualPpm(name: string, clock: MachineClock): number {
    const ppm = this.usual.get(name) ?? clock.driftPpm;
    this.usual.set(name, ppm);
    return ppm;
  }

  nodes(): readonly Victim[] {
    return this.world.cluster.all().map(victimOf);
  }

  processes(): readonly Victim[] {
    return this.world.processes().map(ownVictim);
  }

  everybody(): readonly Victim[] {
    return [...this.nodes(), ...this.processes()];
  }

  /** Whom the fault means; null while there is nobody. */
  victim({ target }: WorldFault): Victim | null {
    if (typeof target === 'number') {
      const processes = this.processes();
      return processes[target % processes.length] ?? null;
    }
    const name = this.nameOf(target);
    return this.everybody().find((each) => each.name === name) ?? null;
  }

  private nameOf(target: string): string | null {
    if (target === 'leader') return this.world.cluster.leader();
    if (target === 'holder') return this.world.holders()[0] ?? null;
    return target;
  }
}

function ownVictim(own: FaultProcess): Victim {
  return {
    name: own.name,
    process: own.process,
    disk: null,
    start: () => own.start(),
    crash: (options) => own.crash(options),
    pause: (kind) => own.pause(kind),
    resume: () => own.resume(),
  };
}

function victimOf(node: SimNode): Victim {
  return {
    name: node.id,
    process: node.process,
    disk: node.disk,
    start: () => {
      if (node.host === null && !node.isGone) node.start();
    },
    crash: (options) => (options?.isSilent === true ? node.losePower() : node.crash()),
    pause: (kind) => node.pause(kind),
    resume: () => node.resume(),
  };
}
