// Other lock services, if they are installed, in the same run on the same disk: the same users,
// each with a lock of its own.

import { Crew } from '../lib/crew.mjs';
import { costFigures, latencyFigures, measureRounds, rateFigure } from '../lib/rounds.mjs';
import { startEtcd } from '../peers/etcd.mjs';
import { isInstalled, withPeer } from '../peers/peer.mjs';
import { startRedis } from '../peers/redis.mjs';

const SESSIONS_MAX = 64;
/** Users, and connections where they are not one for each of the first 64 users. */
const SIZES = [[1], [64], [1_000]];
/** Where many requests can be under way on one connection. */
const PIPELINED_SIZES = [...SIZES, [1_000, 4]];

async function measure(peer, program, { users, sessions, settings }) {
  const crew = await Crew.start(program, [{ port: peer.port, users, sessions }]);
  try {
    const rounds = await measureRounds(peer, crew, settings);
    await crew.close();
    return [
      rateFigure(rounds, 'acquire + release'),
      ...latencyFigures(rounds, 'acquire', 'disk'),
      ...latencyFigures(rounds, 'release', 'disk'),
      ...costFigures(rounds),
    ];
  } finally {
    crew.end();
  }
}

function peerExperiments(name, { program, about, start, sizes }) {
  return sizes.map(([users, wanted = SESSIONS_MAX]) => {
    const sessions = Math.min(users, wanted);
    const over = sessions < Math.min(users, SESSIONS_MAX) ? `-over-${sessions}` : '';
    return {
      name: `${name}-${users}${over}`,
      about: `${about}; users: ${users}, connections: ${sessions}`,
      async run(settings) {
        if (!isInstalled(program)) {
          settings.note(`skipped: ${program} is not installed`);
          return [];
        }
        return withPeer(settings.directory, start, (peer) =>
          measure(peer, name, { users, sessions, settings }),
        );
      },
    };
  });
}

/** All sizes of all peers. */
export const peers = [
  ...peerExperiments('redis', {
    program: 'redis-server',
    about: 'one Redis, fsync before every answer',
    start: startRedis,
    sizes: PIPELINED_SIZES,
  }),
  ...peerExperiments('etcd', {
    program: 'etcd',
    about: 'three nodes of etcd, JSON gateway of the leader',
    start: startEtcd,
    sizes: SIZES,
  }),
];
