// What a cycle costs as watchers are told of it, or of something else.

import { figure } from '../../lib/figures.mjs';
import {
  PROBE,
  grow,
  leaderAddress,
  pointsAt,
  probePoint,
  sizesOf,
  warmUp,
  withCluster,
  withLoad,
} from './curve.mjs';

const SIZES = [0, 1, 10, 100, 1_000];
const EVENTS_PER_CYCLE = 2;
const CPU = 'leader, CPU a cycle';

/** What one event costs the leader for each that is told of it, beyond a cycle without watchers. */
function perTold(point, alone, size) {
  const base = alone.find(({ name }) => name === CPU).median;
  const { rounds } = point.find(({ name }) => name === CPU);
  const values = rounds.map((each) => (each - base) / (EVENTS_PER_CYCLE * size));
  return figure('leader, CPU an event told', 'µs', values);
}

async function measure(servers, settings, { prefix, isTold }) {
  const address = await leaderAddress(servers);
  const { addresses } = servers;
  const spec = { addresses, address, ...PROBE, prefix, isTold };
  return withLoad('watched', spec, async (crew) => {
    await warmUp(crew, settings);
    const figures = [];
    let alone = null;
    for (const size of sizesOf(SIZES, settings)) {
      await grow(servers, crew, size);
      const point = await probePoint(servers, crew, settings);
      alone ??= point;
      const told = isTold && size > 0 ? [perTold(point, alone, size)] : [];
      figures.push(...pointsAt([...point, ...told], size, 'watchers'));
    }
    return figures;
  });
}

function watchers(name, about, target) {
  return {
    name,
    about: `64 users take and give back locks of their own, ${about}`,
    run: (settings) => withCluster(settings, (servers) => measure(servers, settings, target)),
  };
}

/** Of everything, and of nothing that happens. */
export const watchersCurves = [
  watchers('curves-watchers', 'watchers are told of all of it', { prefix: '', isTold: true }),
  watchers('curves-watchers-apart', 'watchers of another prefix are told of nothing', {
    prefix: 'another/',
    isTold: false,
  }),
];
