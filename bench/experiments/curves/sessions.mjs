// What a cycle and a renewal cost as sessions are alive besides.

import {
  grow,
  leaderAddress,
  measurePoint,
  pointsAt,
  probePoint,
  sizesOf,
  warmUp,
  withCluster,
  withLoad,
  withProbe,
} from './curve.mjs';

const SIZES = [1, 100, 1_000, 10_000, 100_000];

async function measure(servers, settings) {
  const address = await leaderAddress(servers);
  return withLoad('idle-many', { address }, (idle) =>
    withProbe(servers, settings, async (probe) => {
      const figures = [];
      const { sessions: others } = await servers.waitAll();
      for (const size of sizesOf(SIZES, settings)) {
        await grow(servers, idle, size);
        if (figures.length === 0) await warmUp(idle, settings);
        const point = [
          ...(await measurePoint(servers, idle, settings, RENEWAL)),
          ...(await probePoint(servers, probe, settings)),
        ];
        const { sessions } = await servers.waitAll();
        if (sessions !== size + others) throw new Error(`${sessions} of ${size + others} alive`);
        figures.push(...pointsAt(point, size, 'sessions'));
      }
      return figures;
    }),
  );
}

const RENEWAL = { cycle: 'renewal', kinds: ['renewal'] };

/** Up to 100,000. */
export const sessionsCurve = {
  name: 'curves-sessions',
  about:
    'renewals, 64 of them on their way at a time, and cycles of 64 users, among other sessions',
  run: (settings) => withCluster(settings, (servers) => measure(servers, settings)),
};
