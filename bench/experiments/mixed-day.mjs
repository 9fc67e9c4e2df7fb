// A mixed day, in short: everything at once (load/mixed.mjs).

import { Crew } from '../lib/crew.mjs';
import { costFigures, latencyFigures, measureRounds, rateFigure } from '../lib/rounds.mjs';
import { withServers } from '../lib/servers.mjs';

const USERS = 64;
const SESSIONS = 16;
const KINDS = [
  'own lock',
  'contended lock',
  'shared lock',
  'exclusive lock',
  'semaphore',
  'two locks',
  'attempt',
  'question',
  'session',
];

/** The mix. */
export const mixedDay = {
  name: 'mixed',
  about: `${USERS} users over ${SESSIONS} sessions: all kinds of locks, questions, a watch, guests`,
  run: (settings) =>
    withServers(settings.directory, async (servers) => {
      const { addresses } = servers;
      const crew = await Crew.start('mixed', [{ addresses, users: USERS, sessions: SESSIONS }]);
      try {
        const rounds = await measureRounds(servers, crew, { ...settings, waiters: USERS });
        await crew.close();
        return [
          rateFigure(rounds, 'turns'),
          ...KINDS.flatMap((kind) => latencyFigures(rounds, kind, 'commit')),
          ...costFigures(rounds),
        ];
      } finally {
        crew.end();
      }
    }),
};
