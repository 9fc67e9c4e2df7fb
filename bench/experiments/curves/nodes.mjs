// What a cycle costs a cluster of one, three and five nodes.

import { coldAndWarm } from '../../lib/figures.mjs';
import { cpuFigures, latencyFigures, measureRounds, rateFigure } from '../../lib/rounds.mjs';
import { PERCENTAGES, pointsAt, withCluster, withLoad, withProbe } from './curve.mjs';

const SIZES = [1, 3, 5];
const ALONE = { users: 1, sessions: 1 };

function followerFigure(rounds, size) {
  const of = ({ serverCpuSeconds, leaderCpuSeconds, cycles }) =>
    ((serverCpuSeconds - leaderCpuSeconds) * 1e6) / (size - 1) / cycles;
  return coldAndWarm('a follower, CPU a cycle', 'µs', rounds.map(of));
}

async function measure(servers, settings, size) {
  // The many stay connected while the one works: otherwise their sessions would end meanwhile, and
  // the log would grow by that.
  const [many, one] = await withProbe(servers, settings, async (probe) => [
    await measureRounds(servers, probe, settings),
    await withLoad('own-locks', { addresses: servers.addresses, ...ALONE }, (crew) =>
      measureRounds(servers, crew, settings),
    ),
  ]);
  const figures = [
    rateFigure(many, 'acquire + release'),
    ...cpuFigures(many),
    ...(size > 1 ? [followerFigure(many, size)] : []),
    ...latencyFigures(one, 'acquire', null, PERCENTAGES).map((each) => ({
      ...each,
      name: `1 user, ${each.name}`,
    })),
  ];
  return pointsAt(figures, size, 'nodes');
}

/** One, three, five. */
export const nodesCurve = {
  name: 'curves-nodes',
  about: '64 users over 4 sessions, then one user, by the number of nodes',
  async run(settings) {
    const figures = [];
    for (const size of SIZES) {
      const point = await withCluster(settings, (servers) => measure(servers, settings, size), {
        size,
      });
      figures.push(...point);
    }
    return figures;
  },
};
