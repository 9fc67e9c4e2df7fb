// What curves share: one cluster that one thing grows in, and the same probe at every size.

import { Crew } from '../../lib/crew.mjs';
import { atSize } from '../../lib/figures.mjs';
import { checkGrowth, cpuFigures, latencyFigures, measureRounds } from '../../lib/rounds.mjs';
import { withServers } from '../../lib/servers.mjs';

/** Enough users for many commands to share a batch, so that it is commands that cost. */
export const PROBE = { users: 64, sessions: 4 };
export const PERCENTAGES = [50, 99];
/** Before the first size, so that growth is not told from code that gets warm. */
const WARM_SECONDS = 15;
const ELECTION_MS = 3_000;
/** So many of the sizes, the first ones, are in a quick run. */
const QUICK_SIZES = 2;

/**
 * Runs `body` with a cluster that is started for it. No election is measured here, and a machine
 * that has other things to do as well shall not cause one.
 */
export function withCluster({ directory }, body, { size = 3, checkpoints = {} } = {}) {
  return withServers(directory, body, {
    size,
    nodeOptions: { electionMs: ELECTION_MS, checkpoints },
  });
}

/** Sizes of this run. */
export function sizesOf(sizes, { isQuick }) {
  return isQuick ? sizes.slice(0, QUICK_SIZES) : sizes;
}

/** Where hand-spoken links go. */
export async function leaderAddress(servers) {
  const { id } = await servers.waitAll();
  return servers.cluster.nodes.find((node) => node.id === id).address;
}

/** Runs `body` with a program of load/ in a process of its own, which ends whatever happens. */
export async function withLoad(program, spec, body) {
  const crew = await Crew.start(program, [spec]);
  try {
    return await body(crew);
  } finally {
    crew.end();
  }
}

/** Runs `body` with users of own locks, after a while in which everything gets warm. */
export function withProbe(servers, settings, body) {
  return withLoad('own-locks', { addresses: servers.addresses, ...PROBE }, async (probe) => {
    await warmUp(probe, settings);
    return body(probe);
  });
}

/** Nothing is measured in it. */
export async function warmUp(crew, { isQuick, seconds }, method = 'round') {
  await crew.all(method, isQuick ? seconds : WARM_SECONDS);
}

/** Lets the load grow; the log must grow by what that took. */
export async function grow(servers, crew, size) {
  const before = await servers.waitAll();
  const [{ value }] = await crew.all('grow', size);
  checkGrowth(before, await servers.waitAll(), value.commands);
}

/** Processor time and latencies of one size; the first round of each lets things settle. */
export async function measurePoint(servers, crew, settings, { cycle = 'cycle', kinds }) {
  const rounds = await measureRounds(servers, crew, settings);
  return [
    ...cpuFigures(rounds, cycle),
    ...kinds.flatMap((kind) => latencyFigures(rounds, kind, null, PERCENTAGES)),
  ];
}

/** Of users with own locks. */
export function probePoint(servers, crew, settings) {
  return measurePoint(servers, crew, settings, { kinds: ['acquire'] });
}

/** Figures as points of their curves. */
export const pointsAt = (figures, size, sizes) =>
  figures.map((figure) => atSize(figure, size, sizes));
