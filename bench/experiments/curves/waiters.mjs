// What it costs to pass a lock on, and to leave its queue and come back, as the queue gets longer.

import {
  leaderAddress,
  measurePoint,
  pointsAt,
  sizesOf,
  warmUp,
  withCluster,
  withLoad,
} from './curve.mjs';

const SIZES = [1, 10, 100, 1_000, 10_000];
/** A method of load/queues.mjs, what a cycle of it is called, and what is timed. */
const KINDS = [
  ['handOff', 'hand-off', ['hand-off']],
  ['fromTheHead', 'head that leaves and queues', []],
  ['fromTheMiddle', 'waiter that leaves and queues', ['leave']],
];

async function measureSize(servers, settings, size) {
  const address = await leaderAddress(servers);
  return withLoad('queues', { address, waiters: size }, async (crew) => {
    const figures = [];
    for (const [method, cycle, kinds] of KINDS) {
      if (size === SIZES[0]) await warmUp(crew, settings, method);
      const options = { ...settings, method };
      figures.push(...(await measurePoint(servers, crew, options, { cycle, kinds })));
    }
    await crew.close();
    return pointsAt(figures, size, 'waiters');
  });
}

/** Up to 10,000. */
export const waitersCurve = {
  name: 'curves-waiters',
  about: 'one hand-off after the other, and 64 that leave at a time, by the length of the queue',
  run: (settings) =>
    withCluster(settings, async (servers) => {
      const figures = [];
      for (const size of sizesOf(SIZES, settings)) {
        figures.push(...(await measureSize(servers, settings, size)));
      }
      return figures;
    }),
};
