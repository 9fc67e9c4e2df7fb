// When which fault comes: drawn from a seed before anything starts, so that it can be printed, and
// run again.
//
// The kinds are dealt like cards: each of them once before any comes again. Those that end a node's
// process stay out of the last third of the time: there every process lives long enough to tell
// whether its memory grows.

import { drawer, shuffled } from './soak-draw.mjs';

/**
 * What can be done to the cluster and its clients. `lengthMs`: between these, how long the fault
 * lasts. The election time-out of the nodes is 500 ms, the TTL of the clients that are harmed 3 s.
 */
export const FAULT_KINDS = {
  'kill-leader': { lengthMs: [200, 3_000], isEndOfNode: true },
  'kill-follower': { lengthMs: [200, 5_000], isEndOfNode: true },
  'pause-leader-short': { lengthMs: [50, 350], isEndOfNode: false },
  'pause-leader-long': { lengthMs: [1_000, 4_000], isEndOfNode: false },
  'pause-follower-short': { lengthMs: [50, 350], isEndOfNode: false },
  'pause-follower-long': { lengthMs: [1_000, 8_000], isEndOfNode: false },
  'rolling-restart': { lengthMs: [0, 0], isEndOfNode: true },
  transfer: { lengthMs: [0, 0], isEndOfNode: false },
  replace: { lengthMs: [0, 0], isEndOfNode: true },
  'client-kill': { lengthMs: [0, 0], isEndOfNode: false },
  'client-pause': { lengthMs: [4_500, 8_000], isEndOfNode: false },
  burst: { lengthMs: [1_000, 4_000], isEndOfNode: false },
};

/** From the beginning of a fault to that of the next one, unless the run is too short for that. */
const SPACING_MS = 35_000;
const LAST_END_OF_NODE = 2 / 3;

/** `chance` decides whatever else is to be chosen when the fault comes. */
export function drawSchedule({ seed, totalMs, kinds = Object.keys(FAULT_KINDS) }) {
  if (kinds.length === 0) return [];
  const draw = drawer(seed);
  const spacingMs = Math.min(SPACING_MS, totalMs / (kinds.length + 1));
  const faults = [];
  let deck = [];
  for (let atMs = spacingMs; atMs < totalMs - spacingMs / 2; atMs += spacingMs) {
    const isLate = atMs > totalMs * LAST_END_OF_NODE;
    const allowed = kinds.filter((kind) => !isLate || !FAULT_KINDS[kind].isEndOfNode);
    if (allowed.length === 0) break;
    deck = deck.filter((kind) => allowed.includes(kind));
    if (deck.length === 0) deck = shuffled(allowed, draw);
    const kind = deck.pop();
    const [least, most] = FAULT_KINDS[kind].lengthMs;
    faults.push({
      number: faults.length + 1,
      kind,
      atMs: Math.round(atMs + (draw() * spacingMs) / 4),
      lengthMs: Math.round(least + draw() * (most - least)),
      chance: draw(),
    });
  }
  return faults;
}
