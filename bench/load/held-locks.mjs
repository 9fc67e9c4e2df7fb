// Locks that are taken and kept, by sessions that live longer than any run.

import { dialMany, forEach } from '../lib/by-hand.mjs';

/** A session may hold 10,000 names. */
const PER_SESSION = 10_000;
const LINKS = 4;
const TTL_MS = 600_000;

/** Links to the leader, at `address`. */
export async function prepare({ address }) {
  const links = await dialMany(address, LINKS);
  const sessions = [];
  let held = 0;
  return {
    /** Takes locks until it holds so many; how many commands that took. */
    async grow(count) {
      await Promise.all(sessions.map((session) => session.link.renew([session])));
      const before = { held, sessions: sessions.length };
      while (sessions.length * PER_SESSION < count) {
        sessions.push(await links[sessions.length % LINKS].openSession(TTL_MS));
      }
      await forEach(count - held, async (n) => {
        const at = before.held + n;
        const { decided } = sessions[Math.floor(at / PER_SESSION)].acquire(`held/${at}`);
        const { code } = await decided;
        if (code !== 'GRANTED') throw new Error(`held/${at} is not free: ${code}`);
      });
      held = count;
      return { commands: held - before.held + sessions.length - before.sessions };
    },
  };
}
