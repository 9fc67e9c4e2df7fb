// Stories of what comes about only where several rare things meet: told here because loose faults,
// and scenes of one such thing, do not get there.

import type { Stage } from './stage.ts';

/** Clients wait and stand still; what they waited for is granted, and they wake when it is over. */
export function lateGrant(stage: Stage): void {
  stage.wishes = { knobs: { ttlMs: 1_000 } };
  const holder = stage.drawnClient();
  for (const heir of [1, 2]) {
    const key = stage.key + heir - 1;
    const holdMs = stage.drawn(250, 600, `hold ${heir}`);
    stage.ask('acquire', { client: holder, key, holdMs, arg: 0 });
    stage.ask('acquire', { client: holder + heir, key, afterMs: 40, holdMs: 20, arg: 0 });
    const afterMs = stage.drawn(80, 240, `sleep ${heir}`);
    const forMs = stage.drawn(980, 1_200, `for ${heir}`);
    stage.strike('clientPause', { target: holder + heir, afterMs, forMs });
  }
  stage.lasts(1_500);
}

/**
 * The state of a leader has lost rows that nothing writes again: no new member can take it. The
 * leader looks at each tick how far that one is, so that pieces are small and lines slow.
 */
export function unwelcomeState(stage: Stage): void {
  const often = { electionMs: 500, heartbeatMs: 15, ttlMs: 3_000, scrubMs: 0 };
  stage.wishes = {
    knobs: { ...often, checkpointRows: 1, trailingEntries: 1, partBytes: 1 },
    net: { latencyUs: 1_000, lossPerMille: 0 },
  };
  for (let client = 0; client < stage.shape.clients; client++) {
    stage.ask('acquire', { client, key: client, holdMs: 4_000, arg: 0 });
  }
  // An even arg: the node goes on; the bits above choose the row.
  for (let row = 0; row < 3; row++) {
    const arg = 8 * stage.drawn(0, 127, `row ${row}`);
    stage.strike('rotState', { afterMs: 250 + row, forMs: 3_000, arg });
  }
  stage.ask('addMember', { afterMs: 300, arg: stage.drawn(0, 1, 'voter') });
  stage.lasts(2_400);
}

/** A disk rots under a node that looks after it, while nothing else reads there. */
export function watchedDisk(stage: Stage): void {
  stage.wishes = { knobs: { scrubMs: 20, checkpointRows: stage.pick([0, 1, 4], 'rows') } };
  stage.clamour(0, 100);
  const target = stage.drawnNode('whose');
  const afterMs = stage.drawn(150, 300, 'when');
  const arg = 2 * stage.drawn(0, 511, 'what');
  const kind = stage.pick(['rotState', 'rotState', 'rotLog'], 'where');
  stage.strike(kind, { target, afterMs, forMs: stage.drawn(300, 900, 'for'), arg });
  stage.clamour(500, 300);
}

/** A crowd waits for the end of an embargo, and leaders change about when it comes. */
export function embargoEnds(stage: Stage): void {
  const deadMs = stage.pick([0, 0, 500], 'dead');
  const restores = stage.pick([1, 2], 'restores');
  const holdings = stage.pick([3, 5], 'holdings');
  stage.wishes = { knobs: { holdings, ttlMs: 1_000 }, past: { restores, deadMs, raisedMs: 0 } };
  for (let key = 0; key < stage.shape.keys; key++) {
    const client = stage.drawnClient();
    stage.ask('acquire', { client: client + key, key, holdMs: 30, arg: 0 });
    stage.ask('acquirePermits', { client: client + key, key, afterMs: 10, holdMs: 30, arg: 0 });
    stage.ask('tryAcquire', { client: key, key, afterMs: stage.drawn(0, 600, `try ${key}`) });
  }
  stage.ask('campaign', { client: 1, afterMs: 5, holdMs: 30, arg: 0 });
  const kind = stage.pick(['crash', 'pause', 'isolate', 'powerLoss'], 'how');
  const afterMs = stage.drawn(300, 1_400, 'when');
  stage.strike(kind, { afterMs, forMs: stage.drawn(100, 900, 'away') });
  stage.clamour(600, 800);
  stage.lasts(2_400);
}
