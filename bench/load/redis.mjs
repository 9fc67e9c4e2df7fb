// The same users against one Redis: SET NX PX takes a lock, a script gives it back if it is still
// ours. There are no tokens, no waiters and no second machine: the least that a lock can cost.

import { connectRedis } from '../lib/resp.mjs';
import { runFor } from './closed-loop.mjs';

const TTL_MS = 15_000;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
end
return 0`;

/** `users` loops over `sessions` connections, on which commands are pipelined. */
export async function prepare({ port, users, sessions }) {
  const links = await Promise.all(Array.from({ length: sessions }, () => connectRedis(port)));
  const script = await links[0].ask('SCRIPT', 'LOAD', RELEASE);
  const steps = Array.from({ length: users }, (_, n) =>
    ownLock(links[n % sessions], script, `own/${process.pid}/${n}`),
  );
  return {
    round: (seconds) => runFor(seconds, steps),
    close: async () => links.forEach((link) => link.close()),
  };
}

function ownLock(link, script, name) {
  let turn = 0;
  return async (tally) => {
    const value = `${name}/${turn++}`;
    const askedMs = performance.now();
    const taken = await link.ask('SET', name, value, 'NX', 'PX', String(TTL_MS));
    const grantedMs = performance.now();
    if (taken !== 'OK') throw new Error(`${name} is not free: ${taken}`);
    const freed = await link.ask('EVALSHA', script, '1', name, value);
    if (freed !== 1) throw new Error(`${name} was not held`);
    tally.note('acquire', grantedMs - askedMs);
    tally.note('release', performance.now() - grantedMs);
    tally.commands += 2;
  };
}
