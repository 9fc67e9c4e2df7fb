// Users with locks of their own, and watchers of them or of other locks, in one process: who is
// told too much takes the users' time too, and so they never run away from it. Every watcher must
// be told of every event exactly once.

import { dialMany } from '../lib/by-hand.mjs';
import { prepare as prepareUsers } from './own-locks.mjs';

const LINKS = 4;
/** A grant and a release. */
const EVENTS_PER_CYCLE = 2;
/** How long watchers may be behind in the end. */
const HEAR_MS = 30_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Watchers of `prefix` over links to the leader's `address`; `isTold`: users' locks begin so. */
export async function prepare({ addresses, address, users, sessions, prefix, isTold }) {
  const load = await prepareUsers({ addresses, users, sessions });
  const links = await dialMany(address, LINKS);
  const heard = [];
  return {
    /** Begins watches until there are so many. */
    async grow(count) {
      const begun = [];
      for (let n = heard.length; n < count; n++) {
        heard.push(0);
        begun.push(links[n % LINKS].watch(prefix, (events) => (heard[n] += events.length)));
      }
      await Promise.all(begun);
      return { commands: 0 };
    },
    async round(seconds) {
      const before = [...heard];
      const result = await load.round(seconds);
      const events = isTold ? result.cycles * EVENTS_PER_CYCLE : 0;
      const endMs = performance.now() + HEAR_MS;
      const isBehind = () => heard.some((count, n) => count - before[n] < events);
      while (isBehind() && performance.now() < endMs) await pause(1);
      const wrong = heard.findIndex((count, n) => count - before[n] !== events);
      if (wrong === -1) return result;
      throw new Error(`${events} events, watcher ${wrong} heard ${heard[wrong] - before[wrong]}`);
    },
  };
}
