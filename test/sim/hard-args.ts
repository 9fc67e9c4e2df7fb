import type { FaultKind } from '../../sim/script/types.ts';

/** The variant of a fault that strikes hard, where it is not the first one. */
export const HARD_ARGS: Readonly<Partial<Record<FaultKind, number>>> = {
  slowNode: 3,
  clockRate: 0,
  slowDisk: 3,
  clientSlow: 3,
  clientClockRate: 0,
  spike: 4,
  slowLink: 3,
};
