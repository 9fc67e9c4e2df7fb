// `holdfast/sim/register`: to be loaded before anything else (`node --import`, `setupFiles` of a
// test runner). Then references that other modules take while they load, such as
// `const now = Date.now`, are those that simulated worlds know, and find.

import { worldGlobals } from './api/globals/install.ts';
// It waits with Node's own setImmediate, which it takes while it loads.
import './world/world.ts';

worldGlobals.enter();
