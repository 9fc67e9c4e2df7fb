// Every experiment, in the order in which they run.

import { checkpoints } from './checkpoints.mjs';
import { closedLoops } from './closed-loops.mjs';
import { coldStart } from './cold-start.mjs';
import { locksCurve } from './curves/locks.mjs';
import { logCurves } from './curves/log.mjs';
import { nodesCurve } from './curves/nodes.mjs';
import { sessionsCurve } from './curves/sessions.mjs';
import { waitersCurve } from './curves/waiters.mjs';
import { watchersCurves } from './curves/watchers.mjs';
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
  locksCurve,
  waitersCurve,
  sessionsCurve,
  ...watchersCurves,
  ...logCurves,
  nodesCurve,
  ...peers,
];
