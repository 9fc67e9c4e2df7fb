// Sessions that only stay alive: what they cost the leader. None may be lost.

import { cpuSeconds, residentMib } from '../../scripts/lib/measuring.mjs';
import { Crew } from '../lib/crew.mjs';
import { coldAndWarm, figure } from '../lib/figures.mjs';
import { Latencies } from '../lib/latencies.mjs';
import { checkGrowth, checkLeader } from '../lib/rounds.mjs';
import { withServers } from '../lib/servers.mjs';
import { shares } from '../lib/statistics.mjs';

const TTL_MS = 15_000;
/** How often a session is renewed. */
const RENEWAL_SECONDS = TTL_MS / 3_000;
const LINKS_MAX = 64;
/** Of what is wanted, in a quick run. */
const QUICK_SHARE = 0.01;

/** Specs for the processes of the load. */
function specsOf(servers, leader, { sessions, isCarried, processes }) {
  const { address } = servers.cluster.nodes.find(({ id }) => id === leader.id);
  const links = shares(Math.min(LINKS_MAX, sessions), processes);
  return shares(sessions, processes).map((count, n) => ({
    sessions: count,
    ttlMs: TTL_MS,
    first: n * sessions,
    ...(isCarried ? { address, links: links[n] } : { addresses: servers.addresses }),
  }));
}

async function openAll(servers, crew, leader) {
  const startMs = performance.now();
  const answers = await crew.all('open');
  const seconds = (performance.now() - startMs) / 1_000;
  const sum = (key) => answers.reduce((total, { value }) => total + value[key], 0);
  const after = await servers.waitAll();
  checkGrowth(leader, after, sum('commands'));
  return { opened: sum('opened'), perSecond: sum('opened') / seconds };
}

async function measureRound(servers, crew, { leader, opened, seconds }) {
  const pid = servers.pidOf(leader.id);
  await servers.takeStopMs();
  const [cpuBefore, startMs] = [await cpuSeconds(pid), performance.now()];
  const answers = await crew.all('round', seconds);
  const elapsed = (performance.now() - startMs) / 1_000;
  const cores = ((await cpuSeconds(pid)) - cpuBefore) / elapsed;
  const lost = answers.reduce((total, { value }) => total + value.lost, 0);
  const status = await servers.waitAll();
  if (lost > 0 || status.sessions !== opened) {
    throw new Error(`${lost} of ${opened} sessions lost, the leader has ${status.sessions}`);
  }
  checkLeader(leader, status);
  const texts = answers.map(({ value }) => value.renewals).filter((text) => text !== null);
  return {
    corePercent: cores * 100,
    renewalUs: (cores * 1e6 * RENEWAL_SECONDS) / opened,
    clientPercent: (answers.reduce((sum, each) => sum + each.cpuSeconds, 0) / elapsed) * 100,
    stopMs: await servers.takeStopMs(),
    renewals: Latencies.ofAll(texts),
  };
}

function figuresOf(rounds, { perSecond, emptyMib, fullMib, isCarried }) {
  const pick = (key) => rounds.map((each) => each[key]);
  const renewal = (percentage) =>
    coldAndWarm(
      `renewal p${percentage}`,
      'ms',
      rounds.map(({ renewals }) => renewals.percentile(percentage)),
      { against: percentage === 50 ? 'ws' : null },
    );
  return [
    figure('opened', '/s', [perSecond], { better: 'higher', against: 'disk' }),
    coldAndWarm('leader, of a core', '%', pick('corePercent')),
    coldAndWarm('leader, CPU a renewal', 'µs', pick('renewalUs')),
    coldAndWarm('clients, of a core', '%', pick('clientPercent')),
    ...(isCarried ? [renewal(50), renewal(99), renewal(99.9)] : []),
    figure('leader without them', 'MiB', [emptyMib]),
    figure('leader with them', 'MiB', [fullMib]),
    coldAndWarm('longest loop stop of a node', 'ms', pick('stopMs')),
  ];
}

async function measure(servers, settings, { sessions, isCarried }) {
  const empty = await servers.waitAll();
  const pid = servers.pidOf(empty.id);
  const emptyMib = await residentMib(pid);
  const { processes } = settings;
  const program = isCarried ? 'carriers' : 'idle-clients';
  const specs = specsOf(servers, empty, { sessions, isCarried, processes });
  const crew = await Crew.start(program, specs);
  try {
    const leader = await servers.waitAll();
    const { opened, perSecond } = await openAll(servers, crew, leader);
    const seconds = settings.isQuick
      ? settings.seconds
      : Math.max(settings.seconds, RENEWAL_SECONDS);
    const rounds = [];
    for (let n = 0; n <= settings.rounds; n++) {
      rounds.push(await measureRound(servers, crew, { leader, opened, seconds }));
    }
    const fullMib = await residentMib(pid);
    return figuresOf(rounds, { perSecond, emptyMib, fullMib, isCarried });
  } finally {
    crew.end();
  }
}

function idleSessions(name, wanted, isCarried = true) {
  const over = isCarried ? `over ${LINKS_MAX} links` : 'of clients with links of their own';
  return {
    name,
    about: `${wanted} sessions of ${TTL_MS / 1_000} s ${over}, kept alive`,
    run: (settings) => {
      const sessions = settings.isQuick ? Math.ceil(wanted * QUICK_SHARE) : wanted;
      return withServers(settings.directory, (servers) =>
        measure(servers, settings, { sessions, isCarried }),
      );
    },
  };
}

/** Few and many, over few links and many. */
export const idleSessionCounts = [
  idleSessions('sessions-1k', 1_000),
  idleSessions('sessions-10k', 10_000),
  idleSessions('sessions-100k', 100_000),
  idleSessions('sessions-5k-links', 5_000, false),
];
