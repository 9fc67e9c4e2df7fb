// Closed loops: users on own locks, waiters on one lock, readers and writers.

import { Crew } from '../lib/crew.mjs';
import { costFigures, latencyFigures, measureRounds, rateFigure } from '../lib/rounds.mjs';
import { withServers } from '../lib/servers.mjs';
import { shares } from '../lib/statistics.mjs';

const SESSIONS_MAX = 64;
/** The compilers of three nodes and a client have done their work by then, at one user too. */
const WARM_SECONDS = 30;

/**
 * Runs a program of load/ against a cluster of its own; `figures` makes figures of the rounds.
 * `settings.waiters`: how many requests wait in queues at a time.
 */
async function closedLoop(settings, program, specs, figures) {
  return withServers(settings.directory, async (servers) => {
    const { addresses } = servers;
    const crew = await Crew.start(
      program,
      specs.map((spec) => ({ addresses, ...spec })),
    );
    try {
      const rounds = await measureRounds(servers, crew, settings);
      await crew.close();
      return [...figures(rounds), ...costFigures(rounds)];
    } finally {
      crew.end();
    }
  });
}

const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

/**
 * U users share min(U, 64) sessions, each on links of its own, or as many as are given. The cold
 * round takes `coldSeconds`, if they are given.
 */
function ownLocks(name, users, { over = SESSIONS_MAX, coldSeconds = null } = {}) {
  const sessions = Math.min(users, over);
  return {
    name,
    about: `${counted(users, 'user')} with locks of their own, ${counted(sessions, 'session')}`,
    run: (settings) => {
      const processes = Math.min(settings.processes, sessions);
      const [usersOf, sessionsOf] = [shares(users, processes), shares(sessions, processes)];
      const specs = usersOf.map((count, n) => ({ users: count, sessions: sessionsOf[n] }));
      const isWarm = coldSeconds !== null && !settings.isQuick;
      const ownSettings = isWarm ? { ...settings, coldSeconds } : settings;
      return closedLoop(ownSettings, 'own-locks', specs, (rounds) => [
        rateFigure(rounds, 'acquire + release'),
        ...latencyFigures(rounds, 'acquire', 'commit'),
        ...latencyFigures(rounds, 'release', 'commit'),
      ]);
    },
  };
}

const handOff = {
  name: 'hand-off',
  about: '16 waiters on one lock, each with a session of its own, from release to the next grant',
  run: (settings) =>
    closedLoop({ ...settings, waiters: 16 }, 'hand-off', [{ users: 16 }], (rounds) => [
      rateFigure(rounds, 'hand-offs'),
      ...latencyFigures(rounds, 'hand-off', 'commit'),
    ]),
};

const readersWriters = {
  name: 'readers-writers',
  about: '64 users over 13 locks, nine of ten requests shared, held for a turn of the event loop',
  run: (settings) => {
    const spec = { users: 64, sessions: SESSIONS_MAX, locks: 13 };
    return closedLoop({ ...settings, waiters: 64 }, 'readers-writers', [spec], (rounds) => [
      rateFigure(rounds, 'acquire + release'),
      ...latencyFigures(rounds, 'read', 'commit'),
      ...latencyFigures(rounds, 'write', 'commit'),
    ]);
  },
};

/** All of them. */
export const closedLoops = [
  ownLocks('users-1', 1),
  ownLocks('users-1-warm', 1, { coldSeconds: WARM_SECONDS }),
  ownLocks('users-16', 16),
  ownLocks('users-64', 64),
  ownLocks('users-64-over-4', 64, { over: 4 }),
  ownLocks('users-256', 256),
  ownLocks('users-1000', 1_000),
  ownLocks('users-1000-over-4', 1_000, { over: 4 }),
  handOff,
  readersWriters,
];
