// How bad a fault is, from the mildest to the worst: `arg` of the fault chooses, and wraps around.

import { present } from '../../src/base/assert.ts';
import type { Fault } from './types.ts';

/** What each call-back of a slow process costs, in microseconds. */
export const SLOW_US = [200, 1_000, 5_000, 20_000, 50_000] as const;
/** By how much a wall clock is set forward or back. */
export const WALL_STEPS_MS = [1_000, -1_000, 60_000, -60_000, 86_400_000, -86_400_000] as const;
/** Rate errors of clocks that change, in parts per million; the script's bound applies. */
export const PPM_STEPS = [10_000, -10_000, 100_000, -100_000, 400_000, -400_000] as const;
/** What is added to the latency of a route by a spike. */
export const SPIKE_MS = [5, 20, 50, 100, 200, 400, 800] as const;
/** Bytes per second of a slow link. */
export const BANDWIDTHS = [64_000, 16_000, 4_000, 1_000] as const;
/** Of a thousand frames so many are lost, doubled or overtaken. */
export const PER_MILLE = [50, 200, 500, 900] as const;
/** What is added to every operation of a slow disk. */
export const DISK_MS = [1, 5, 20, 100, 300, 1_000] as const;
/** Half a period of a flapping connection. */
export const FLAP_MS = [10, 25, 60, 150, 400] as const;

/** The step that the fault chooses. */
export function step<T>(steps: readonly T[], { arg }: Fault): T {
  return present(steps[arg % steps.length], 'a step');
}
