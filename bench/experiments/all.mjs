// Every experiment, in the order in which they run.

import { closedLoops } from './closed-loops.mjs';

/** `name`, `about`, and `run(settings)`, which resolves with figures. */
export const experiments = [...closedLoops];
