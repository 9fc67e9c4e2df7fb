// Stories that are known to be dangerous, with all details drawn. Loose faults at random times
// rarely meet in such a way.

import type { Stage } from './stage.ts';
import type { FaultKind } from './types.ts';

/** Puts its faults and operations on the stage. */
export type Scene = (stage: Stage) => void;

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
const DEATHS: readonly FaultKind[] = ['crash', 'powerLoss'];
const CUTS: readonly FaultKind[] = ['isolate', 'isolateIn', 'isolateOut', 'halves', 'cutPair'];

/** A holder falls silent while others wait for its lock, perhaps with a new leader meanwhile. */
function silentHolder(stage: Stage): void {
  const holder = stage.drawnClient();
  const rival = holder + 1;
  stage.ask('acquire', { client: holder, holdMs: 3_000 });
  stage.ask('acquire', { client: rival, afterMs: stage.drawn(20, 900, 'rival') });
  const afterMs = stage.drawn(100, 900, 'silence');
  const silence = stage.pick(SILENCES, 'silence kind');
  if (stage.isHit(300, 'late answers')) hearLate(stage, holder, afterMs);
  else
    stage.strike(silence, { target: holder, afterMs, forMs: stage.drawn(1_100, 2_600, 'quiet') });
  if (stage.isHit(400, 'new leader')) {
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

/** A leader sleeps until another one was elected, wakes cut off, and still serves its clients. */
function wakingLeader(stage: Stage): void {
  const near = stage.drawnClient();
  const far = near + 1;
  const otherKey = stage.key + 1;
  stage.ask('acquire', { client: near, holdMs: 3_000 });
  stage.ask('acquire', { client: far, afterMs: 100 });
  const afterMs = stage.drawn(200, 500, 'when');
  const asleepMs = stage.drawn(580, 950, 'asleep');
  const isCut = stage.isHit(850, 'cut');
  const forMs = asleepMs + stage.drawn(300, 1_500, 'cut');
  if (isCut) stage.strike('halves', { afterMs, forMs, arg: 16 << near });
  stage.strike('pause', { afterMs: afterMs + 2, forMs: asleepMs });
  for (let round = 0; round < 4; round++) {
    const busyMs = afterMs + stage.drawn(100, asleepMs, `busy ${round}`);
    stage.ask('acquire', { client: far, key: otherKey, afterMs: busyMs, holdMs: 100 * round });
    const lookMs = afterMs + asleepMs + stage.drawn(-60, 450, `look ${round}`);
    stage.ask('inspect', { client: near, key: otherKey, afterMs: lookMs });
  }
}

/** A tail that only an old leader has outlives a newer leader that nobody followed (Figure 8). */
function forgottenTail(stage: Stage): void {
  if (stage.isHit(700, 'apart')) {
    stage.wishes = { knobs: { appendBytes: 1, electionMs: 500 }, net: { latencyUs: 1_000 } };
  }
  const awayMs = stage.drawn(650, 1_000, 'away');
  stage.strike('isolate', { forMs: awayMs });
  stage.clamour(2, 60);
  // The heir dies with what it wrote, before anybody else has it.
  const heirMs = stage.drawn(502, 530, 'heir');
  const deadMs = stage.drawn(900, 1_900, 'dead');
  const lingers = [stage.drawn(0, 2, 'linger'), stage.drawn(2, 6, 'last')] as const;
  stage.strike('powerLoss', { afterMs: heirMs, forMs: deadMs, arg: 1 + 2 * lingers[0] });
  const againMs = awayMs + stage.drawn(0, 100, 'again');
  const forMs = stage.drawn(1_000, 2_500, 'down');
  stage.strike('powerLoss', { afterMs: againMs, forMs, arg: 1 + 2 * lingers[1] });
}

/** A holder dies, its lock is to be granted onward. */
function deadHolder(stage: Stage): void {
  const holder = stage.drawnClient();
  stage.ask('acquire', { client: holder, holdMs: 2_000 });
  stage.ask('acquire', { client: holder + 1, afterMs: 100 });
  stage.ask('acquire', { client: holder + 2, afterMs: 150 });
  const forMs = stage.drawn(1, 2_500, 'dead');
  stage.strike('clientCrash', { target: holder, afterMs: stage.drawn(60, 600, 'death'), forMs });
  if (stage.isHit(300, 'again')) stage.strike('crash', { afterMs: 900, forMs: 200 });
}

/** A leader that nobody follows any more is asked by clients that still reach it. */
function staleLeader(stage: Stage): void {
  const forMs = stage.drawn(600, 2_200, 'alone');
  stage.strike(stage.pick(['isolate', 'isolateIn', 'isolateOut', 'pause'], 'how'), { forMs });
  for (let place = 0; place < 6; place++) {
    const kind = stage.pick(['inspect', 'inspect', 'tryAcquire', 'acquire'], `ask kind ${place}`);
    const afterMs = stage.drawn(0, forMs + 100, `ask at ${place}`);
    stage.ask(kind, { client: place, afterMs, holdMs: 1 });
  }
  if (stage.isHit(500, 'dies')) {
    const kind = stage.pick(DEATHS, 'death');
    const afterMs = forMs + stage.drawn(-30, 30, 'end');
    stage.strike(kind, { target: stage.drawnNode('dying'), afterMs, forMs: 100 });
  }
}

/** Leaders die right after they wrote, more than once. */
function deadlyWrites(stage: Stage): void {
  const gapMs = stage.drawn(300, 1_200, 'gap');
  for (let round = 0; round < stage.drawn(1, 3, 'rounds'); round++) {
    const afterMs = round * gapMs;
    stage.clamour(afterMs, 6);
    const forMs = stage.drawn(1, 700, `dead ${round}`);
    const kind = stage.pick(DEATHS, `death ${round}`);
    stage.strike(kind, { afterMs: afterMs + stage.drawn(0, 8, `when ${round}`), forMs, arg: 1 });
  }
}

/** Leader after leader is lost before it could finish, and comes back later (Figure 8). */
function successions(stage: Stage): void {
  let afterMs = 0;
  for (let round = 0; round < stage.drawn(2, 4, 'rounds'); round++) {
    stage.clamour(afterMs, 40);
    const kind = stage.pick(['isolate', 'crash', 'isolateOut', 'powerLoss'], `loss ${round}`);
    const forMs = stage.drawn(200, 1_800, `lost ${round}`);
    const arg = stage.drawn(0, 1, `arg ${round}`);
    stage.strike(kind, { afterMs: afterMs + stage.drawn(5, 40, `at ${round}`), forMs, arg });
    afterMs += stage.drawn(150, 900, `gap ${round}`);
  }
}

/** The power fails everywhere, or almost, while there is work. */
function darkness(stage: Stage): void {
  stage.clamour(0, 10);
  const kind = stage.pick(['powerLossAll', 'powerLossAll', 'crashAll'], 'kind');
  const forMs = stage.drawn(1, 300, 'dark');
  stage.strike(kind, { afterMs: stage.drawn(1, 10, 'when'), forMs, arg: stage.drawn(0, 3, 'arg') });
  if (stage.isHit(500, 'again')) {
    const afterMs = forMs + stage.drawn(20, 900, 'again');
    stage.strike(stage.pick(DEATHS, 'death'), { afterMs, forMs: 50, arg: 1 });
  }
}

/** Voters and candidates die while they vote. */
function deadlyElection(stage: Stage): void {
  stage.strike(stage.pick(['crash', 'isolate', 'pause'], 'vacancy'), { forMs: 2_000 });
  for (let round = 0; round < stage.drawn(1, 3, 'rounds'); round++) {
    const target = stage.drawn(1, stage.shape.nodes, `voter ${round}`);
    const afterMs = stage.drawn(10, 900, `when ${round}`);
    const forMs = stage.drawn(1, 60, `dead ${round}`);
    stage.strike(stage.pick(DEATHS, `death ${round}`), { target, afterMs, forMs, arg: 1 });
  }
  stage.clamour(300, 600);
}

/** A follower is cut off, falls behind, comes back and finds the leader dead. */
function returning(stage: Stage): void {
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  const forMs = stage.drawn(100, 1_500, 'away');
  stage.strike(stage.pick(CUTS, 'cut'), { target, forMs, arg: stage.drawn(0, 15, 'side') });
  stage.clamour(stage.drawn(0, forMs, 'work'), 100);
  const afterMs = forMs + stage.drawn(0, 60, 'return');
  const deadMs = stage.drawn(1, 900, 'dead');
  stage.strike(stage.pick(DEATHS, 'death'), { afterMs, forMs: deadMs, arg: 1 });
}

/** Connections break while requests are on their way, so that they are sent again. */
function lostAnswers(stage: Stage): void {
  for (let round = 0; round < 3; round++) {
    const afterMs = round * stage.drawn(60, 400, 'gap');
    stage.clamour(afterMs, 3);
    const kind = stage.pick(['clientReset', 'clientReset', 'clientStale'], `break ${round}`);
    const forMs = stage.drawn(5, 900, `hold ${round}`);
    const target = stage.drawn(0, stage.shape.clients - 1, `client ${round}`);
    stage.strike(kind, { target, afterMs: afterMs + stage.drawn(0, 4, `at ${round}`), forMs });
  }
  if (stage.isHit(500, 'leader')) stage.strike('crash', { afterMs: 3, forMs: 300, arg: 1 });
}

/** Waiters give up, are broken and ended while their lock changes hands. */
function restlessQueue(stage: Stage): void {
  stage.ask('acquire', { holdMs: stage.drawn(100, 600, 'hold') });
  for (let place = 0; place < 8; place++) {
    const kinds = ['acquire', 'acquire', 'acquireAll', 'cancel', 'release', 'break'] as const;
    const kind = stage.pick(kinds, `kind ${place}`);
    const afterMs = stage.drawn(20, 800, `at ${place}`);
    stage.ask(kind, { client: place, afterMs, holdMs: stage.drawn(1, 80, `hold ${place}`) });
  }
  if (stage.isHit(400, 'reset')) {
    stage.strike('clientReset', { target: stage.drawnClient(), afterMs: 300 });
  }
}

/** All of them, and how often each. */
export const SCENES: readonly (readonly [Scene, number])[] = [
  [silentHolder, 6],
  [deadHolder, 2],
  [staleLeader, 4],
  [wakingLeader, 7],
  [forgottenTail, 5],
  [deadlyWrites, 4],
  [successions, 3],
  [darkness, 2],
  [deadlyElection, 3],
  [returning, 3],
  [lostAnswers, 3],
  [restlessQueue, 3],
];
