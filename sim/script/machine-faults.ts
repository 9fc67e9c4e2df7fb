// What can be wrong with the machine of any process, node or client.

import type { Undo } from '../world/direction.ts';
import type { SimProcess } from '../world/process.ts';
import { boundDrift, scriptedDrift } from './cluster-options.ts';
import type { FaultField } from './fault-field.ts';
import { PPM_STEPS, SLOW_US, WALL_STEPS_MS, step } from './fault-steps.ts';
import type { Fault } from './types.ts';

/** Each call-back takes so much time; several faults add up. */
export function slowDown(process: SimProcess, fault: Fault): Undo {
  const costUs = step(SLOW_US, fault);
  process.callbackUs += costUs;
  return () => {
    process.callbackUs -= costUs;
  };
}

/** The wall clock is wrong for a while. */
export function jumpWall({ clock }: SimProcess, fault: Fault): Undo {
  const byMs = step(WALL_STEPS_MS, fault);
  clock.jumpWall(byMs);
  return () => clock.jumpWall(-byMs);
}

/** The clocks run at another rate, within the bound of the script. `place`: nodes, then clients. */
export function changeRate(
  field: FaultField,
  { process, place }: { readonly process: SimProcess; readonly place: number },
  fault: Fault,
): Undo {
  const { world } = field.cluster;
  const { clock, name } = process;
  const ppm = boundDrift(field.script.clocks, step(PPM_STEPS, fault));
  return field.share(
    `rate ${name}`,
    () => clock.setDrift(ppm, world.nowUs),
    () => clock.setDrift(scriptedDrift(field.script, place), world.nowUs),
  );
}
