// Entry of the simulator's program, which scripts/sim.mjs starts.

import { main } from './main.ts';

process.exitCode = await main(process.argv.slice(2));
