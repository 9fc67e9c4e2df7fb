import { drawBoundsScript } from './draw-bounds.ts';
import { drawScript } from './draw.ts';
import type { Script } from './types.ts';

/** Ways to draw scripts, by name. */
export const DISTRIBUTIONS = {
  /** Everything that can go wrong, together. */
  wide: drawScript,
  /** Leases at the bound of what clocks may do. */
  bounds: (seed: number): Script => drawBoundsScript(seed, false),
  /** And where clocks leave it: then only fencing is promised. */
  beyond: (seed: number): Script => drawBoundsScript(seed, true),
} as const;

/** One of them. */
export type Distribution = keyof typeof DISTRIBUTIONS;
