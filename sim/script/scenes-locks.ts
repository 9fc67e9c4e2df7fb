// Stories of requests, waits and answers that cross each other on their way.

import type { Stage } from './stage.ts';

/** Connections break while requests are on their way, so that they are sent again. */
export function lostAnswers(stage: Stage): void {
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
export function restlessQueue(stage: Stage): void {
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

/** A waiter is silent when its wait is over, so that the leader ends it: perhaps when it is due. */
export function waitRunsOut(stage: Stage): void {
  const holder = stage.drawnClient();
  const waiter = holder + 1;
  const waitMs = stage.drawn(60, 350, 'wait');
  const askedMs = 40;
  const overMs = askedMs + waitMs;
  const isCrossed = stage.isHit(600, 'crossed');
  const releaseMs = overMs - stage.drawn(4, 40, 'release');
  stage.ask('acquire', { client: holder, holdMs: isCrossed ? releaseMs : 1_500 });
  // One that waits for two locks stands before the other waiter of the free one.
  const kind = isCrossed ? 'acquire' : 'acquireAll';
  stage.ask(kind, { client: waiter, afterMs: askedMs, arg: waitMs });
  const nextKey = isCrossed ? stage.key : stage.key + 1;
  stage.ask('acquire', { client: holder + 2, key: nextKey, afterMs: askedMs + 15, arg: 0 });
  const silence = stage.pick(['clientPause', 'clientIsolateOut', 'clientIsolate'], 'silence');
  const quietMs = waitMs + stage.drawn(60, 400, 'quiet');
  stage.strike(silence, { target: waiter, afterMs: askedMs + 12, forMs: quietMs });
  if (!isCrossed) return;
  const kinds = ['isolate', 'isolateOut', 'isolateIn'] as const;
  const afterMs = overMs - stage.drawn(45, 60, 'alone');
  stage.strike(stage.pick(kinds, 'how'), { afterMs, forMs: stage.drawn(120, 300, 'for') });
}

/** An acquire stands in a link that was given up, and arrives after the cancel that is for it. */
export function overtakenAcquire(stage: Stage): void {
  stage.wishes = { knobs: { ttlMs: 1_000 } };
  const client = stage.drawnClient();
  stage.ask('acquire', { client, holdMs: 5 });
  // A third of the lease without an answer, and the client makes a new link.
  const forMs = 333 + stage.drawn(10, 80, 'stale');
  stage.strike('clientStale', { target: client, afterMs: 60, forMs });
  const kind = stage.pick(['acquire', 'acquire', 'acquireAll'], 'kind');
  stage.ask(kind, { client, afterMs: 61, holdMs: 40, arg: 7 });
  stage.ask('acquire', { client: client + 1, afterMs: stage.drawn(0, 500, 'other'), holdMs: 100 });
}

/** A lock is broken while nobody can tell its holder. */
export function brokenUnseen(stage: Stage): void {
  const holder = stage.drawnClient();
  stage.ask('acquire', { client: holder, holdMs: 2_000 });
  const afterMs = stage.drawn(30, 200, 'apart');
  stage.strike('clientReset', { target: holder, afterMs });
  if (stage.isHit(800, 'cut')) {
    const forMs = stage.drawn(3, 60, 'for');
    stage.strike('clientIsolate', { target: holder, afterMs, forMs });
  }
  const breakMs = afterMs + stage.drawn(-2, 8, 'break');
  stage.ask('break', { client: holder + 1, afterMs: breakMs });
  stage.ask('acquire', { client: holder + 2, afterMs: 50 });
}

/** A waiter stands still while it is granted its lock, until its lease is over. */
export function sleepingWaiter(stage: Stage): void {
  stage.wishes = { knobs: { ttlMs: 1_000 } };
  const holder = stage.drawnClient();
  stage.ask('acquire', { client: holder, holdMs: stage.drawn(200, 600, 'hold'), arg: 0 });
  stage.ask('acquire', { client: holder + 1, afterMs: 40, holdMs: 30, arg: 0 });
  stage.ask('acquire', { client: holder + 2, afterMs: 60, holdMs: 30, arg: 0 });
  const afterMs = stage.drawn(60, 180, 'sleep');
  const forMs = stage.drawn(900, 1_400, 'for');
  stage.strike('clientPause', { target: holder + 1, afterMs, forMs });
}
