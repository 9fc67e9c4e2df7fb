// Fail-over: the leader's process is killed or stopped, and clients ask for fresh locks at once.
// Nothing else goes on. Every grant that was acknowledged must be held in the end.

import { sleep } from '../../scripts/lib/local-cluster.mjs';
import { Crew } from '../lib/crew.mjs';
import { figure } from '../lib/figures.mjs';
import { withServers } from '../lib/servers.mjs';

const CLIENTS = 64;
/** Until clients are linked to the node that came back. */
const SETTLE_MS = 1_000;

async function holdsExactly(servers, count) {
  const leader = await servers.waitAll();
  if (leader.locks === count) return leader;
  throw new Error(`${count} locks were granted and not given back, ${leader.locks} are held`);
}

/** One trial; the node that led is back when this resolves. */
async function trial(servers, crew, { signal, number }) {
  const leader = await servers.waitAll();
  const pid = servers.pidOf(leader.id);
  const [{ value }] = await crew.all('trial', { pid, signal, number });
  if (signal === 'SIGSTOP') process.kill(pid, 'SIGCONT');
  else await servers.restart(leader.id);
  const { term } = await holdsExactly(servers, CLIENTS);
  if (!(term > leader.term)) throw new Error(`term ${term} after ${leader.term}`);
  await crew.all('giveBack');
  await holdsExactly(servers, 0);
  await sleep(SETTLE_MS);
  return value;
}

function failOver(name, signal, done) {
  return {
    name,
    about: `the leader ${done} (${signal}), ${CLIENTS} clients ask for a fresh lock each`,
    run: ({ directory, trials }) =>
      withServers(directory, async (servers) => {
        const { addresses } = servers;
        const crew = await Crew.start('fail-over', [{ addresses, clients: CLIENTS }]);
        try {
          const taken = [];
          for (let number = 0; number < trials; number++) {
            taken.push(await trial(servers, crew, { signal, number }));
          }
          await crew.close();
          const pick = (key) => taken.map((each) => each[key]);
          return [
            figure('next acquire of a fresh lock', 'ms', pick('nextMs'), { against: 'commit' }),
            figure('all clients served', 'ms', pick('lastMs')),
          ];
        } finally {
          crew.end();
        }
      }),
  };
}

/** By kill and by pause. */
export const failOvers = [
  failOver('kill', 'SIGKILL', 'is killed'),
  failOver('pause', 'SIGSTOP', 'is paused'),
];
