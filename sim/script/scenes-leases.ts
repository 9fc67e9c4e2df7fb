// Stories of leases that run out while somebody cannot tell, or tells the wrong one.

import type { Stage } from './stage.ts';
import type { FaultKind } from './types.ts';

const SILENCES: readonly FaultKind[] = [
  'clientIsolate',
  'clientIsolate',
  'clientIsolateIn',
  'clientIsolateOut',
  'clientPause',
  'clientPause',
  'clientStale',
  'clientSlow',
];

/** A holder falls silent while others wait for its lock, perhaps with a new leader meanwhile. */
export function silentHolder(stage: Stage): void {
  const holder = stage.drawnClient();
  const rival = holder + 1;
  stage.ask('acquire', { client: holder, holdMs: 3_000 });
  stage.ask('acquire', { client: rival, afterMs: stage.drawn(20, 900, 'rival') });
  const afterMs = stage.drawn(100, 700, 'silence');
  const silence = stage.pick(SILENCES, 'silence kind');
  if (stage.isHit(300, 'late answers')) hearLate(stage, holder, afterMs);
  else
    stage.strike(silence, { target: holder, afterMs, forMs: stage.drawn(1_100, 2_000, 'quiet') });
  if (stage.isHit(400, 'wrong clocks')) setClocks(stage, holder, afterMs);
  else if (stage.isHit(400, 'new leader')) {
    const kind = stage.pick(['crash', 'isolate', 'pause', 'powerLoss'], 'leader fault');
    const atMs = afterMs + stage.drawn(-200, 900, 'leader fault');
    stage.strike(kind, { afterMs: Math.max(0, atMs), forMs: stage.drawn(1, 1_500, 'leaderless') });
  }
}

/** Answers come late, and no request gets out any more when they do. */
function hearLate(stage: Stage, target: number, afterMs: number): void {
  const forMs = stage.drawn(60, 700, 'deaf');
  const overlapMs = stage.drawn(0, Math.min(forMs, 300), 'overlap');
  stage.strike('clientIsolateIn', { target, afterMs, forMs });
  const muteMs = afterMs + forMs - overlapMs;
  stage.strike('clientIsolateOut', { target, afterMs: muteMs, forMs: 2_000 });
}

/** The wall clock of the holder is set back, or that of the leader forward: by 1 s or much more. */
function setClocks(stage: Stage, target: number, silentMs: number): void {
  const afterMs = silentMs + stage.drawn(0, 500, 'set');
  const step = 2 * stage.drawn(0, 2, 'step');
  if (stage.isHit(500, 'whose')) stage.strike('wallJump', { afterMs, forMs: 3_000, arg: step });
  else stage.strike('clientWallJump', { target, afterMs, forMs: 3_000, arg: step + 1 });
}

/** A holder dies, its lock is to be granted onward. */
export function deadHolder(stage: Stage): void {
  const holder = stage.drawnClient();
  stage.ask('acquire', { client: holder, holdMs: 2_000 });
  stage.ask('acquire', { client: holder + 1, afterMs: 100 });
  stage.ask('acquire', { client: holder + 2, afterMs: 150 });
  const forMs = stage.drawn(1, 1_500, 'dead');
  stage.strike('clientCrash', { target: holder, afterMs: stage.drawn(60, 400, 'death'), forMs });
  if (stage.isHit(300, 'again')) stage.strike('crash', { afterMs: 900, forMs: 200 });
}

/** A lease runs out while its leader cannot do anything about it, and stays the leader. */
export function expiryInDoubt(stage: Stage): void {
  stage.wishes = { knobs: { electionMs: 500, ttlMs: 1_000 } };
  const target = stage.drawnClient();
  stage.ask('acquire', { client: target, holdMs: 3_000 });
  stage.ask('acquire', { client: target + 1, afterMs: 50 });
  const silentMs = stage.drawn(40, 200, 'silence');
  const silences = ['clientCrash', 'clientIsolateOut', 'clientPause', 'clientIsolateOut'] as const;
  const silence = stage.pick(silences, 'silence kind');
  const quietMs = stage.drawn(800, 1_200, 'quiet');
  stage.strike(silence, { target, afterMs: silentMs, forMs: quietMs, arg: 1 });
  // The last renewal was up to a third of a lease ago.
  const afterMs = silentMs + stage.drawn(560, 800, 'when');
  if (stage.isHit(500, 'stands still')) {
    return stage.strike('pause', { afterMs, forMs: stage.drawn(280, 470, 'still') });
  }
  // Clients reach it, or nobody does.
  const kind = stage.pick(['halves', 'halves', 'isolate'], 'alone');
  stage.strike(kind, { afterMs, forMs: stage.drawn(150, 470, 'alone for') });
}

/** A session is opened, but the answer comes so late that its lease is old, or over. */
export function lateOpening(stage: Stage): void {
  const target = stage.drawnClient();
  stage.wishes = { knobs: { ttlMs: 1_000 } };
  stage.strike('clientCrash', { target, forMs: 5 });
  stage.ask('acquire', { client: target, afterMs: 30, holdMs: 3_000 });
  stage.ask('acquire', { client: target + 1, afterMs: 500 });
  const afterMs = stage.drawn(27, 31, 'deaf from');
  if (stage.isHit(300, 'over')) {
    const forMs = stage.drawn(900, 1_300, 'stands still');
    return stage.strike('clientPause', { target, afterMs: 31, forMs });
  }
  // The answer is lost, and the same question asked again.
  const deafMs = stage.drawn(60, 450, 'deaf');
  stage.strike('clientIsolateIn', { target, afterMs, forMs: deafMs });
  stage.strike('clientReset', { target, afterMs: afterMs + deafMs - 3 });
  const muteMs = afterMs + deafMs + stage.drawn(40, 330, 'mute');
  stage.strike('clientIsolate', { target, afterMs: muteMs, forMs: 2_000 });
}

/** A leader sleeps until another one was elected, wakes cut off, and still serves its clients. */
export function wakingLeader(stage: Stage): void {
  const near = stage.drawnClient();
  const far = near + 1;
  const otherKey = stage.key + 1;
  const isQuick = stage.isHit(600, 'quick');
  if (isQuick) stage.wishes = { knobs: { electionMs: 250, ttlMs: 1_000 } };
  stage.ask('acquire', { client: near, holdMs: 3_000 });
  stage.ask('acquire', { client: far, afterMs: 100 });
  const afterMs = stage.drawn(200, 400, 'when');
  const asleepMs = isQuick ? stage.drawn(430, 700, 'asleep') : stage.drawn(580, 900, 'asleep');
  const forMs = asleepMs + stage.drawn(300, 1_400, 'cut');
  if (stage.isHit(850, 'cut')) stage.strike('halves', { afterMs, forMs, arg: 16 << near });
  stage.strike('pause', { afterMs: afterMs + 2, forMs: asleepMs });
  for (let round = 0; round < 4; round++) {
    const busyMs = afterMs + stage.drawn(100, asleepMs, `busy ${round}`);
    stage.ask('acquire', { client: far, key: otherKey, afterMs: busyMs, holdMs: 100 * round });
    const lookMs = afterMs + asleepMs + stage.drawn(-60, 450, `look ${round}`);
    stage.ask('inspect', { client: near, key: otherKey, afterMs: lookMs });
  }
}

/** It sleeps, and wakes before the answers to an old question come, which clients now join. */
export function oldAnswers(stage: Stage): void {
  const near = stage.drawnClient();
  const otherKey = stage.key + 1;
  const knobs = { electionMs: 250, heartbeatMs: 25, ttlMs: 1_000 };
  stage.wishes = { knobs, net: { latencyUs: 5_000, jitterUs: 50, tailOneIn: 0 } };
  const afterMs = 120;
  const asleepMs = stage.drawn(430, 700, 'asleep');
  for (let round = 0; round < 6; round++) {
    // Whatever they ask and renew then has a round on its way most of the time.
    const askMs = afterMs + stage.drawn(-25, 0, `ask ${round}`);
    stage.ask('inspect', { client: near, key: otherKey, afterMs: askMs });
    const busyMs = afterMs + stage.drawn(280, asleepMs, `busy ${round}`);
    stage.ask('acquire', { client: near + 1, key: otherKey, afterMs: busyMs, holdMs: 30 * round });
    // Nobody knows of a new leader yet, and whoever renews asks the old one.
    const lookMs = afterMs + stage.drawn(5, 230, `look ${round}`);
    stage.ask('inspect', { client: near, key: otherKey, afterMs: lookMs });
  }
  const forMs = asleepMs + stage.drawn(15, 200, 'stale');
  for (let peer = 0; peer < stage.shape.nodes - 1; peer++) {
    stage.strike('stale', { afterMs, forMs, arg: peer });
  }
  stage.strike('pause', { afterMs: afterMs + 1, forMs: asleepMs });
}

/** The new leader falls silent when the old one wakes, who knows no session opened since. */
export function twoLeaders(stage: Stage): void {
  stage.wishes = { knobs: { electionMs: 250, ttlMs: 1_000 } };
  const asleepMs = stage.drawn(580, 760, 'asleep');
  stage.strike('isolate', { forMs: asleepMs + stage.drawn(260, 900, 'alone') });
  stage.strike('pause', { afterMs: 2, forMs: asleepMs });
  for (let place = 0; place < 3; place++) {
    stage.strike('clientCrash', { target: place, afterMs: 20, forMs: 100 });
    const afterMs = stage.drawn(150, 480, `new ${place}`);
    stage.ask('acquire', { client: place, afterMs, key: place, holdMs: 2_000 });
  }
  const afterMs = asleepMs + stage.drawn(-60, 60, 'new leader');
  stage.strike('pause', { afterMs, forMs: stage.drawn(200, 450, 'silent') });
}

/** A holder is busy when it has had its lock long enough: its thread keeps the lease no longer. */
export function busyBeyondLimit(stage: Stage): void {
  stage.wishes = { knobs: { ttlMs: 1_000, threads: 6 } };
  const holder = stage.drawnClient();
  const holdMs = stage.drawn(400, 1_000, 'hold');
  stage.ask('acquireBriefly', { client: holder, holdMs, arg: 0 });
  stage.ask('acquire', { client: holder + 1, afterMs: 50, arg: 0 });
  const afterMs = stage.drawn(20, 180, 'busy');
  const forMs = stage.drawn(800, 2_000, 'for');
  stage.strike('clientBlock', { target: holder, afterMs, forMs });
}
