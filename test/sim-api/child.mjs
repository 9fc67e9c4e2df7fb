// Runs one of the programs of early.mjs in a world, in a process of its own, and prints what became
// of it: `child.mjs SIM PROGRAM CHECK`.

import { PROGRAMS } from './early.mjs';

const [sim, program, check] = process.argv.slice(2);
const { simulate } = await import(sim);

async function scenario(world) {
  const worker = world.run('worker', (own) => PROGRAMS[program](world, own));
  await worker.done;
  await world.sleep('1s');
}

const ending = await simulate({ seed: 1, report: false, check }, scenario).then(
  ({ traceHash }) => ({ traceHash }),
  ({ oracle, message }) => ({ oracle, message }),
);
console.log(JSON.stringify(ending));
process.exit();
