// Every experiment, in the order in which they run.

import { checkpoints } from './checkpoints.mjs';
import { closedLoops } from './closed-loops.mjs';
import { coldStart } from './cold-start.mjs';
import { failOvers } from './fail-over.mjs';
import { idleSessionCounts } from './idle-sessions.mjs';
import { million } from './million.mjs';
import { mixedDay } from './mixed-day.mjs';
import { peers } from './peers.mjs';

/** `name`, `about`, and `run(settings)`, which resolves with figures. */
export const experiments = [
  ...closedLoops,
  mixedDay,
  ...idleSessionCounts,
  million,
  ...failOvers,
  coldStart,
  checkpoints,
  ...peers,
];
