// What each kind of fault does, to nodes and to processes of the user alike.

import { US_PER_MS } from '../../src/base/units.ts';
import { NOTHING_TO_UNDO } from '../script/fault-field.ts';
import { DISK_MS, SLOW_US, WALL_STEPS_MS } from '../script/fault-steps.ts';
import { impair } from '../script/impair.ts';
import type { Impairment, Undo } from '../world/direction.ts';
import type { FaultGround, Victim } from './fault-ground.ts';
import { CLOCK_PPM, LAG_MS, isOdd, placesNear, step } from './fault-variants.ts';
import type { WorldFault, WorldFaultKind } from './world-fault.ts';

/** Strikes; gives the way to undo it, or null when it does not apply. */
type Blow = (ground: FaultGround, victim: Victim, fault: WorldFault) => Undo | null;

const CUT: Impairment = { isCut: true };

const BLOWS: Readonly<Record<WorldFaultKind, Blow>> = {
  pause: (ground, victim) => stop(ground, victim, 'stop'),
  suspend: (ground, victim) => stop(ground, victim, 'suspend'),
  crash: (_, victim, fault) => {
    if (victim.process.life === null) return null;
    victim.crash({ isSilent: isOdd(fault) });
    return () => victim.start();
  },
  isolate: (ground, victim, fault) => {
    const isFromNodesOnly = victim.disk !== null && isOdd(fault);
    const others = isFromNodesOnly ? ground.nodes() : ground.everybody();
    return between(ground, { from: [victim], to: others }, CUT);
  },
  isolateIn: (ground, victim) =>
    between(ground, { from: ground.everybody(), to: [victim], isOneWay: true }, CUT),
  isolateOut: (ground, victim) =>
    between(ground, { from: [victim], to: ground.everybody(), isOneWay: true }, CUT),
  split,
  lag: (ground, victim, fault) =>
    between(ground, { from: [victim], to: ground.everybody() }, { extraUs: lagUs(fault) }),
  slow: (_, { process }, fault) => {
    const costUs = step(SLOW_US, fault);
    process.callbackUs += costUs;
    return () => {
      process.callbackUs -= costUs;
    };
  },
  reset: (ground, { name }) => {
    const { network } = ground.world.cluster.world;
    const others = ground.everybody().filter((each) => each.name !== name);
    for (const other of others) network.resetLinks(name, other.name);
    return NOTHING_TO_UNDO;
  },
  clockRate: (ground, { name, process: { clock } }, fault) => {
    const { world } = ground.world.cluster;
    const usualPpm = ground.usualPpm(name, clock);
    return ground.shared.begin(
      `rate ${name}`,
      () => clock.setDrift(step(CLOCK_PPM, fault), world.nowUs),
      () => clock.setDrift(usualPpm, world.nowUs),
    );
  },
  wallJump: (_, { process: { clock } }, fault) => {
    const byMs = step(WALL_STEPS_MS, fault);
    clock.jumpWall(byMs);
    return () => clock.jumpWall(-byMs);
  },
  slowDisk: (_, { disk }, fault) => {
    if (disk === null) return null;
    const extraUs = step(DISK_MS, fault) * US_PER_MS;
    disk.extraDelayUs += extraUs;
    return () => {
      disk.extraDelayUs -= extraUs;
    };
  },
};

/** Strikes now; null when it does not apply. */
export function strike(ground: FaultGround, victim: Victim, fault: WorldFault): Undo | null {
  return BLOWS[fault.kind](ground, victim, fault);
}

function stop(ground: FaultGround, victim: Victim, how: 'stop' | 'suspend'): Undo | null {
  if (victim.process.life === null) return null;
  return ground.shared.begin(
    `pause ${victim.name}`,
    () => victim.pause(how),
    () => victim.resume(),
  );
}

/** The bits of `arg` say which of all others are on the side of the target. */
function split(ground: FaultGround, victim: Victim, fault: WorldFault): Undo | null {
  const others = ground.everybody().filter(({ name }) => name !== victim.name);
  const near = placesNear(fault, others.length);
  const isNear = (place: number): boolean => near.includes(place);
  const from = [victim, ...others.filter((_, place) => isNear(place))];
  return between(ground, { from, to: others.filter((_, place) => !isNear(place)) }, CUT);
}

interface Sides {
  readonly from: readonly Victim[];
  readonly to: readonly Victim[];
  readonly isOneWay?: boolean;
}

function between(ground: FaultGround, sides: Sides, impairment: Impairment): Undo | null {
  const { network } = ground.world.cluster.world;
  const { from, to, ...rest } = sides;
  return impair(network, { from: namesOf(from), to: namesOf(to), ...rest }, impairment);
}

function namesOf(victims: readonly Victim[]): readonly string[] {
  return victims.map(({ name }) => name);
}

function lagUs(fault: WorldFault): number {
  return step(LAG_MS, fault) * US_PER_MS;
}
