// What a cycle costs as other locks are held besides.

import {
  grow,
  leaderAddress,
  pointsAt,
  probePoint,
  sizesOf,
  withCluster,
  withLoad,
  withProbe,
} from './curve.mjs';

const SIZES = [0, 1_000, 10_000, 100_000, 1_000_000];

async function measure(servers, settings) {
  const address = await leaderAddress(servers);
  return withLoad('held-locks', { address }, (holder) =>
    withProbe(servers, settings, async (probe) => {
      const figures = [];
      for (const size of sizesOf(SIZES, settings)) {
        await grow(servers, holder, size);
        const { locks } = await servers.waitAll();
        if (locks !== size) throw new Error(`${locks} locks are held instead of ${size}`);
        const point = await probePoint(servers, probe, settings);
        figures.push(...pointsAt(point, size, 'locks held'));
      }
      return figures;
    }),
  );
}

/** Up to a million. */
export const locksCurve = {
  name: 'curves-locks',
  about: '64 users take and give back locks of their own while up to 1,000,000 others are held',
  run: (settings) => withCluster(settings, (servers) => measure(servers, settings)),
};
