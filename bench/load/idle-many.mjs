// Sessions that do nothing, and renewals of them as fast as they are answered: so many are on their
// way however many sessions there are.

import { dialMany, forEach } from '../lib/by-hand.mjs';
import { runFor } from './closed-loop.mjs';

const LINKS = 4;
/** Sessions in one message. */
const RENEWED_TOGETHER = 16;
/** Longer than any run. */
const TTL_MS = 600_000;

/** Links to the leader, at `address`. */
export async function prepare({ address }) {
  const links = await dialMany(address, LINKS);
  const sessionsOf = links.map(() => []);
  let opened = 0;
  return {
    /** Opens sessions until there are so many; how many commands that took. */
    async grow(count) {
      const before = opened;
      await forEach(count - before, async (n) => {
        const at = (before + n) % LINKS;
        sessionsOf[at].push(await links[at].openSession(TTL_MS));
      });
      opened = count;
      return { commands: count - before };
    },
    /** A cycle is the renewal of one session; each session gets its turn. */
    round: (seconds) =>
      runFor(
        seconds,
        links.flatMap((link, n) => renewing(link, sessionsOf[n])),
      ),
  };
}

function renewing(link, sessions) {
  if (sessions.length === 0) return [];
  let next = 0;
  const some = () =>
    Array.from({ length: RENEWED_TOGETHER }, () => sessions[next++ % sessions.length]);
  return [
    async (tally) => {
      const askedMs = performance.now();
      await link.renew(some());
      tally.note('renewal', performance.now() - askedMs);
      // The loop counts one.
      tally.cycles += RENEWED_TOGETHER - 1;
    },
  ];
}
