// Stories of elections, and of those who listen to what happens.

import type { Stage } from './stage.ts';
import type { FaultKind } from './types.ts';

/** The leader of an election is lost, with the leader of the cluster or without. */
export function lostLeadership(stage: Stage): void {
  const first = stage.drawnClient();
  stage.ask('observe', { client: first + 2, afterMs: 0, holdMs: 2_400 });
  stage.ask('campaign', { client: first, afterMs: 10, holdMs: 3_000, arg: 0 });
  for (let place = 1; place < 3; place++) {
    const afterMs = stage.drawn(20, 300, `rival ${place}`);
    stage.ask('campaign', { client: first + place, afterMs, holdMs: 300, arg: 0 });
  }
  const ends: readonly FaultKind[] = ['clientCrash', 'clientPause', 'clientIsolate'];
  const kind = stage.pick([...ends, 'none'] as const, 'end');
  const afterMs = stage.drawn(150, 700, 'end');
  if (kind !== 'none') stage.strike(kind, { target: first, afterMs, forMs: 1_600 });
  else stage.ask('release', { client: first, afterMs, arg: 0 });
  for (let place = 0; place < 3; place++) {
    const client = first + stage.drawn(0, 2, `who ${place}`);
    const atMs = stage.drawn(60, 1_600, `proclaim ${place}`);
    stage.ask('proclaim', { client, afterMs: atMs });
  }
  if (stage.isHit(450, 'overtaken')) overtakenProclaim(stage, first, afterMs);
  if (stage.isHit(500, 'leader')) {
    const killed = stage.pick(['crash', 'powerLoss', 'isolate', 'pause'], 'leader');
    const atMs = Math.max(0, afterMs + stage.drawn(-100, 1_000, 'leader'));
    stage.strike(killed, { afterMs: atMs, forMs: stage.drawn(100, 1_200, 'leaderless') });
  }
}

/** What it proclaims stands in a link while its leadership is broken, and arrives after that. */
function overtakenProclaim(stage: Stage, client: number, afterMs: number): void {
  const brokenMs = Math.max(40, afterMs - stage.drawn(40, 100, 'broken'));
  stage.strike('clientStale', { target: client, afterMs: brokenMs - 12, forMs: 80 });
  stage.ask('proclaim', { client, afterMs: brokenMs - 8, arg: 0 });
  // From 32 on it is the election that is broken.
  stage.ask('break', { client: client + 1, afterMs: brokenMs, arg: 32 });
}

/** A watcher is away while much happens under several leaders, and listens on. */
export function longAbsence(stage: Stage): void {
  // With little room much is forgotten by then.
  stage.wishes = { knobs: { watchEvents: stage.pick([0, 0, 1, 12], 'kept') } };
  const watcher = stage.drawnClient();
  const kind = stage.pick(['watchName', 'watchPrefix', 'watchPrefix'], 'kind');
  const firstMs = stage.drawn(20, 300, 'first');
  stage.ask(kind, { client: watcher, holdMs: firstMs, arg: 0 });
  stage.clamour(5, 900);
  // Some listen to the very end.
  const lastMs = stage.pick([1_500, 8_000, 8_000], 'last');
  const backMs = firstMs + stage.drawn(20, 900, 'away');
  stage.ask(kind, { client: watcher, afterMs: backMs, holdMs: lastMs, arg: 0 });
  stage.ask('observe', { client: watcher + 1, holdMs: lastMs });
  const faults: readonly FaultKind[] = ['crash', 'isolate', 'pause', 'powerLoss', 'isolateOut'];
  const forMs = stage.drawn(200, 1_400, 'leaderless');
  const afterMs = stage.drawn(50, backMs, 'when');
  // Nobody leads for a while, and then perhaps the same one again.
  if (stage.isHit(450, 'apart')) scatter(stage, backMs + stage.drawn(20, 300, 'scattered'));
  else stage.strike(stage.pick(faults, 'fault'), { afterMs, forMs });
  if (stage.isHit(400, 'cut')) {
    const afterMs = backMs + stage.drawn(30, 300, 'cut');
    const cuts: readonly FaultKind[] = ['clientIsolate', 'clientReset', 'clientIsolateIn'];
    stage.strike(stage.pick(cuts, 'how'), { target: watcher, afterMs, forMs: 300 });
  }
}

/**
 * All nodes are cut off from each other, for long enough that a leader gives up its office. It has
 * work that nobody else has, and one node fewer comes back at first: so it leads again, mostly.
 */
function scatter(stage: Stage, afterMs: number): void {
  const forMs = stage.drawn(900, 1_400, 'apart');
  const down = stage.drawn(1, stage.shape.nodes, 'down');
  for (let target = 1; target <= stage.shape.nodes; target++) {
    if (target === down) stage.strike('crash', { target, afterMs, forMs: forMs + 600 });
    else stage.strike('isolate', { target, afterMs, forMs });
  }
  stage.clamour(afterMs + 5, 150);
}
