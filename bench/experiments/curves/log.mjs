// What a cycle and a start cost as the log gets longer: entries since the last checkpoint, which a
// start applies again, and entries that stay behind it, which a start only verifies. Cycles are
// measured on warm nodes, starts in a cluster of their own, whose log begins without a warm-up.

import { cpuSeconds } from '../../../scripts/lib/measuring.mjs';
import { fetchStatus, until } from '../../../scripts/lib/local-cluster.mjs';
import { figure } from '../../lib/figures.mjs';
import { checkGrowth } from '../../lib/rounds.mjs';
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

const FILLERS = { users: 1_000, sessions: 4 };
const FILL_SECONDS = 0.25;
const START_MS = 120_000;

/** Makes entries until there are so many beyond `from`; how many there are. */
async function fill(servers, filler, from, size) {
  for (;;) {
    const before = await servers.waitAll();
    if (before.applied - from >= size) return before.applied - from;
    const [{ value }] = await filler.all('round', FILL_SECONDS);
    checkGrowth(before, await servers.waitAll(), value.commands);
  }
}

/** Fills the log up to each size and measures there. */
function atEachSize(servers, settings, { from, sizes, what }, measure) {
  const { addresses } = servers;
  return withLoad('own-locks', { addresses, ...FILLERS }, async (filler) => {
    const figures = [];
    for (const size of sizesOf(sizes, settings)) {
      const filled = await fill(servers, filler, from, size);
      settings.note(`${filled} when ${size} ${what} were measured`);
      figures.push(...pointsAt(await measure(), size, what));
    }
    return figures;
  });
}

/** A follower is killed and starts again, `rounds` times. */
async function measureStarts(servers, { rounds }) {
  const leader = await servers.waitAll();
  const { id, address } = servers.cluster.nodes.find((node) => node.id !== leader.id);
  const starts = { wallMs: [], cpuMs: [] };
  for (let n = 0; n < rounds; n++) {
    await servers.cluster.kill(id);
    const { applied } = await servers.cluster.waitLeader();
    const startMs = performance.now();
    await servers.restart(id);
    const isThere = async () => {
      const status = await fetchStatus(address);
      return status !== null && status.isReady && status.applied >= applied;
    };
    await until(`${id} to have ${applied}`, isThere, START_MS);
    starts.wallMs.push(performance.now() - startMs);
    starts.cpuMs.push((await cpuSeconds(servers.pidOf(id))) * 1_000);
  }
  return [
    figure('a node starts', 'ms', starts.wallMs),
    figure('a node starts, CPU', 'ms', starts.cpuMs),
  ];
}

/** So many changed rows make every node take a checkpoint; while a run lasts nothing else does. */
const ROWS = 10_000;
const SINCE = { dirtyRowsMax: ROWS, pauseRowsMax: 1_048_576, intervalMs: 3_600_000 };

/** Lets all nodes take a checkpoint; the first entry that none of them contains. */
async function takeCheckpoint(servers, holder) {
  const { checkpoint: before } = await servers.waitAll();
  await grow(servers, holder, ROWS);
  return until('every node to have a checkpoint', async () => {
    const statuses = await servers.cluster.statuses();
    const taken = statuses.map(({ checkpoint }) => checkpoint);
    return taken.length === servers.pids.length && Math.min(...taken) > before
      ? Math.max(...taken)
      : null;
  });
}

async function sinceCheckpoint(settings) {
  const what = 'entries since the last checkpoint';
  const sizes = [10_000, 100_000, 1_000_000];
  const measure = (body) =>
    withCluster(
      settings,
      async (servers) => {
        const address = await leaderAddress(servers);
        return withLoad('held-locks', { address }, (holder) => body(servers, holder));
      },
      { checkpoints: SINCE },
    );
  const cycles = await measure((servers, holder) =>
    withProbe(servers, settings, async (probe) => {
      const from = await takeCheckpoint(servers, holder);
      const point = () => probePoint(servers, probe, settings);
      return atEachSize(servers, settings, { from, sizes, what }, point);
    }),
  );
  const starts = await measure(async (servers, holder) => {
    const from = await takeCheckpoint(servers, holder);
    const point = () => measureStarts(servers, settings);
    return atEachSize(servers, settings, { from, sizes: [100, ...sizes], what }, point);
  });
  return [...cycles, ...starts];
}

const BEHIND = { trailingEntries: 1_000_000_000 };

async function behindCheckpoint(settings) {
  const what = 'entries behind the last checkpoint';
  const measure = (body) =>
    withCluster(
      settings,
      async (servers) => {
        const { applied: from } = await servers.waitAll();
        return body(servers, from);
      },
      { checkpoints: BEHIND },
    );
  // A warm-up makes a few hundred thousand entries.
  const cycles = await measure((servers, from) =>
    withProbe(servers, settings, (probe) => {
      const sizes = settings.isQuick ? [100, 10_000] : [500_000, 1_000_000, 2_000_000];
      const point = () => probePoint(servers, probe, settings);
      return atEachSize(servers, settings, { from, sizes, what }, point);
    }),
  );
  const starts = await measure((servers, from) => {
    const sizes = [100, 10_000, 100_000, 1_000_000];
    const point = () => measureStarts(servers, settings);
    return atEachSize(servers, settings, { from, sizes, what }, point);
  });
  return [...cycles, ...starts];
}

/** Up to a million entries and more. */
export const logCurves = [
  {
    name: 'curves-log',
    about: '64 users with locks of their own, and starts of a node, by entries to be applied again',
    run: sinceCheckpoint,
  },
  {
    name: 'curves-disk',
    about: '64 users with locks of their own, and starts of a node, by entries that are kept',
    run: behindCheckpoint,
  },
];
