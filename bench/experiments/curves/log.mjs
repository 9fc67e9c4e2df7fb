// What a cycle and a start cost as the log gets longer: entries since the last checkpoint, which a
// start applies again, and entries that stay behind it, which a start only verifies.

import { cpuSeconds } from '../../../scripts/lib/measuring.mjs';
import { fetchStatus, until } from '../../../scripts/lib/local-cluster.mjs';
import { figure } from '../../lib/figures.mjs';
import { checkGrowth } from '../../lib/rounds.mjs';
import { withServers } from '../../lib/servers.mjs';
import { pointsAt, probePoint, sizesOf, withLoad, withProbe } from './curve.mjs';

const SIZES = [100, 10_000, 100_000, 1_000_000];
const FILLERS = { users: 1_000, sessions: 4 };
const FILL_SECONDS = 0.25;
const START_MS = 120_000;

/** Settings of the checkpoints under which the log grows, and only it. */
const SINCE = { dirtyRowsMax: 1_048_576, pauseRowsMax: 1_048_576, intervalMs: 3_600_000 };
const BEHIND = { trailingEntries: 1_000_000_000 };

/** Makes entries until there are so many; how many there are. */
async function fill(servers, filler, from, size) {
  for (;;) {
    const before = await servers.waitAll();
    if (before.applied - from >= size) return;
    const [{ value }] = await filler.all('round', FILL_SECONDS);
    checkGrowth(before, await servers.waitAll(), value.commands);
  }
}

/** A follower is killed and starts again, `rounds` times. */
async function measureStarts(servers, rounds) {
  const leader = await servers.waitAll();
  const { id, address } = servers.cluster.nodes.find((node) => node.id !== leader.id);
  const starts = { wallMs: [], cpuMs: [] };
  for (let n = 0; n < rounds; n++) {
    servers.cluster.kill(id);
    const { applied } = await servers.cluster.waitLeader();
    await servers.cluster.processes.get(id).ended;
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

async function measure(servers, settings, sizes) {
  const { applied: from } = await servers.waitAll();
  const { addresses } = servers;
  return withLoad('own-locks', { addresses, ...FILLERS }, (filler) =>
    withProbe(servers, settings, async (probe) => {
      const figures = [];
      for (const size of sizesOf(SIZES, settings)) {
        await fill(servers, filler, from, size);
        const { applied } = await servers.waitAll();
        const point = [
          ...(await probePoint(servers, probe, settings)),
          ...(await measureStarts(servers, settings.rounds)),
        ];
        settings.note(`${size} ${sizes}: ${applied - from} before it was measured`);
        figures.push(...pointsAt(point, size, sizes));
      }
      return figures;
    }),
  );
}

function log(name, sizes, checkpoints) {
  return {
    name,
    about: `64 users take and give back locks of their own, and a node starts, by ${sizes}`,
    run: (settings) =>
      withServers(settings.directory, (servers) => measure(servers, settings, sizes), {
        nodeOptions: { checkpoints },
      }),
  };
}

/** Up to a million entries. */
export const logCurves = [
  log('curves-log', 'entries since the last checkpoint', SINCE),
  log('curves-disk', 'entries behind the last checkpoint', BEHIND),
];
