// Lets faults happen to a simulated world, each at its time, and ends each when it is over.

import { US_PER_MS } from '../../src/base/units.ts';
import type { Undo } from '../world/direction.ts';
import { FaultGround } from './fault-ground.ts';
import type { FaultWorld, Victim } from './fault-ground.ts';
import { lingerMs } from './fault-variants.ts';
import { strike } from './strikes.ts';
import type { Strike, WorldFault } from './world-fault.ts';

/** How often it looks whether somebody leads, or holds. */
const LOOK_US = 500;
/** Then it is too late. */
const PATIENCE_US = 10_000 * US_PER_MS;

/** When the fault is over at the latest, in milliseconds of the scenario. */
export function endMsOf(fault: WorldFault): number {
  const waitMs = typeof fault.target === 'number' ? 0 : PATIENCE_US / US_PER_MS;
  return fault.atMs + waitMs + lingerMs(fault) + fault.forMs;
}

/** The faults of one run. */
export interface WorldFaults {
  /** Those that struck so far, in their order. */
  readonly strikes: readonly Strike[];
  /** Ends all faults for good: nothing strikes afterwards. */
  healAll(): void;
}

/** Begins now: times of faults count from here. `onStrike` is told of each as it strikes. */
export function scheduleWorldFaults(
  world: FaultWorld,
  faults: readonly WorldFault[],
  onStrike: (strike: Strike) => void = () => {},
): WorldFaults {
  return new ScheduledFaults(new FaultGround(world), faults, onStrike);
}

class ScheduledFaults implements WorldFaults {
  readonly strikes: Strike[] = [];
  private readonly ground: FaultGround;
  private readonly onStrike: (strike: Strike) => void;
  private readonly active = new Set<Undo>();
  private isOver = false;

  constructor(
    ground: FaultGround,
    faults: readonly WorldFault[],
    onStrike: (strike: Strike) => void,
  ) {
    this.ground = ground;
    this.onStrike = onStrike;
    const { world } = ground.world.cluster;
    const startUs = world.nowUs;
    for (const fault of faults) {
      world.at(startUs + fault.atMs * US_PER_MS, () => this.aim(fault, world.nowUs + PATIENCE_US));
    }
  }

  healAll(): void {
    this.isOver = true;
    for (const undo of this.active) undo();
    this.active.clear();
  }

  /** Looks without leaving a trace, until there is somebody to strike. */
  private aim(fault: WorldFault, untilUs: number): void {
    const { world } = this.ground.world.cluster;
    const victim = this.ground.victim(fault);
    if (this.isOver || (victim === null && world.nowUs >= untilUs)) return;
    if (victim === null) {
      world.after(LOOK_US, () => this.aim(fault, untilUs));
      return;
    }
    const atUs = world.nowUs + lingerMs(fault) * US_PER_MS;
    world.at(atUs, () => this.strike(fault, victim));
  }

  private strike(fault: WorldFault, victim: Victim): void {
    if (this.isOver) return;
    const undo = strike(this.ground, victim, fault);
    if (undo === null) return;
    const { world } = this.ground.world.cluster;
    const fromUs = world.nowUs;
    const toUs = fault.kind === 'reset' ? fromUs : fromUs + fault.forMs * US_PER_MS;
    const struck: Strike = { fault, target: victim.name, fromUs, toUs };
    this.strikes.push(struck);
    this.onStrike(struck);
    this.active.add(undo);
    world.at(toUs, () => {
      if (this.active.delete(undo)) undo();
    });
  }
}
