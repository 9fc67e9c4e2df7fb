// Stories of leaders that are lost, and of followers that fall behind.

import type { Stage } from './stage.ts';
import type { FaultKind } from './types.ts';

const DEATHS: readonly FaultKind[] = ['crash', 'powerLoss'];
/** Of the steps of a spike. */
const SPIKE_100_MS = 3;
const CUTS: readonly FaultKind[] = ['isolate', 'isolateIn', 'isolateOut', 'halves', 'cutPair'];

/** A tail that only an old leader has outlives a newer leader that nobody followed (Figure 8). */
export function forgottenTail(stage: Stage): void {
  if (stage.isHit(700, 'apart')) {
    stage.wishes = { knobs: { appendBytes: 1, electionMs: 500 }, net: { latencyUs: 1_000 } };
  }
  const awayMs = stage.drawn(650, 1_000, 'away');
  stage.strike('isolate', { forMs: awayMs });
  stage.clamour(2, 60);
  // What it still writes is to be cut while it is under way.
  if (stage.isHit(300, 'hangs')) {
    stage.strike('stallDisk', { afterMs: 5, forMs: awayMs + stage.drawn(20, 400, 'hangs') });
  }
  // The heir dies with what it wrote, before anybody else has it.
  const heirMs = stage.drawn(502, 530, 'heir');
  const deadMs = stage.drawn(900, 1_900, 'dead');
  const lingers = [stage.drawn(0, 2, 'linger'), stage.drawn(2, 6, 'last')] as const;
  stage.strike('powerLoss', { afterMs: heirMs, forMs: deadMs, arg: 1 + 2 * lingers[0] });
  const againMs = awayMs + stage.drawn(0, 100, 'again');
  const forMs = stage.drawn(1_000, 2_500, 'down');
  stage.strike('powerLoss', { afterMs: againMs, forMs, arg: 1 + 2 * lingers[1] });
}

/** A leader that nobody follows any more is asked by clients that still reach it. */
export function staleLeader(stage: Stage): void {
  const forMs = stage.drawn(600, 1_600, 'alone');
  stage.strike(stage.pick(['isolate', 'isolateIn', 'isolateOut', 'pause'], 'how'), { forMs });
  if (stage.isHit(300, 'hangs')) {
    stage.clamour(2, 60);
    stage.strike('stallDisk', { afterMs: 5, forMs: forMs + stage.drawn(20, 300, 'hangs') });
  }
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
export function deadlyWrites(stage: Stage): void {
  const gapMs = stage.drawn(300, 1_000, 'gap');
  for (let round = 0; round < stage.drawn(1, 3, 'rounds'); round++) {
    const afterMs = round * gapMs;
    stage.clamour(afterMs, 6);
    const forMs = stage.drawn(1, 700, `dead ${round}`);
    const kind = stage.pick(DEATHS, `death ${round}`);
    stage.strike(kind, { afterMs: afterMs + stage.drawn(0, 8, `when ${round}`), forMs, arg: 1 });
  }
}

/** Leader after leader is lost before it could finish, and comes back later (Figure 8). */
export function successions(stage: Stage): void {
  let afterMs = 0;
  for (let round = 0; round < stage.drawn(2, 4, 'rounds'); round++) {
    stage.clamour(afterMs, 40);
    const kind = stage.pick(['isolate', 'crash', 'isolateOut', 'powerLoss'], `loss ${round}`);
    const forMs = stage.drawn(200, 1_800, `lost ${round}`);
    const arg = stage.drawn(0, 1, `arg ${round}`);
    stage.strike(kind, { afterMs: afterMs + stage.drawn(5, 40, `at ${round}`), forMs, arg });
    afterMs += stage.drawn(150, 700, `gap ${round}`);
  }
}

/** Voters and candidates die while they vote, or are slow to write down how they voted. */
export function deadlyElection(stage: Stage): void {
  const target = stage.drawn(1, stage.shape.nodes, 'voter');
  if (stage.isHit(400, 'slow voter')) {
    stage.wishes = { knobs: { electionMs: stage.pick([150, 250], 'election') } };
    stage.strike('slowDisk', { target, forMs: 1_300, arg: 4 });
    stage.strike('crash', { afterMs: 20, forMs: stage.drawn(1, 40, 'vacant') });
    return stage.clamour(10, 400);
  }
  stage.strike(stage.pick(['crash', 'isolate', 'pause'], 'vacancy'), { forMs: 1_500 });
  for (let round = 0; round < stage.drawn(1, 3, 'rounds'); round++) {
    const voter = stage.drawn(1, stage.shape.nodes, `voter ${round}`);
    const afterMs = stage.drawn(10, 900, `when ${round}`);
    const forMs = stage.drawn(1, 60, `dead ${round}`);
    stage.strike(stage.pick(DEATHS, `death ${round}`), { target: voter, afterMs, forMs, arg: 1 });
  }
  stage.clamour(300, 600);
}

/** A follower is cut off, falls behind, comes back and finds the leader dead. */
export function returning(stage: Stage): void {
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  const forMs = stage.drawn(100, 1_500, 'away');
  stage.strike(stage.pick(CUTS, 'cut'), { target, forMs, arg: stage.drawn(0, 15, 'side') });
  stage.clamour(stage.drawn(0, forMs, 'work'), 100);
  const afterMs = forMs + stage.drawn(0, 60, 'return');
  const deadMs = stage.drawn(1, 900, 'dead');
  stage.strike(stage.pick(DEATHS, 'death'), { afterMs, forMs: deadMs, arg: 1 });
}

/** All that is under way to a follower is lost at once, and nothing else tells of it. */
export function lostWindow(stage: Stage): void {
  stage.wishes = { knobs: { inflightAppends: stage.drawn(1, 2, 'window') } };
  const afterMs = stage.drawn(0, 30, 'when');
  stage.clamour(0, 120);
  const target = stage.drawn(1, stage.shape.nodes, 'whose');
  stage.strike('loss', { target, afterMs, forMs: stage.drawn(20, 140, 'for'), arg: 3 });
}

/** Followers that were away ask for old entries at the same time, each for others. */
export function slowReaders(stage: Stage): void {
  const appendBytes = stage.pick([1, 300], 'appends');
  stage.wishes = { knobs: { tailBytes: 1, inflightAppends: 1, appendBytes } };
  const first = stage.drawn(1, stage.shape.nodes, 'first');
  stage.clamour(0, 250);
  for (const target of [first, first + 1]) {
    const afterMs = stage.drawn(0, 90, `away ${target - first}`);
    const kinds = ['spike', 'isolate', 'slowDisk', 'cutPair', 'reset'] as const;
    const kind = stage.pick(kinds, `how ${target - first}`);
    const forMs = stage.drawn(60, 200, `for ${target - first}`);
    const node = ((target - 1) % stage.shape.nodes) + 1;
    stage.strike(kind, { target: node, afterMs, forMs, arg: stage.drawn(0, 2, `arg ${target}`) });
  }
}

/** A node greets its peers over slow links, and is cut off or a newer one before they answered. */
export function slowGreeting(stage: Stage): void {
  const target = stage.drawnNode('who');
  const wayMs = 100;
  // A dial and its answer, the greeting and the answer to that: one way each.
  const dialledMs = 30;
  stage.strike('resetAll', { afterMs: 5 });
  stage.clamour(0, 3 * wayMs);
  if (stage.isHit(400, 'cut off')) {
    stage.wishes = { knobs: { electionMs: 500 } };
    const cutMs = dialledMs + 3 * wayMs + stage.drawn(5, wayMs - 10, 'cut');
    const givenUpMs = dialledMs + 2 * wayMs + 2_000;
    stage.strike('spike', { target, forMs: cutMs, arg: SPIKE_100_MS });
    stage.strike('isolate', { target, afterMs: cutMs, forMs: givenUpMs + 60 - cutMs });
    return stage.lasts(givenUpMs + 300);
  }
  const afterMs = dialledMs + stage.drawn(2 * wayMs, 3 * wayMs - 40, 'dies');
  stage.strike('spike', { target, forMs: afterMs + 1, arg: SPIKE_100_MS });
  stage.strike('crash', { target, afterMs, forMs: 1 });
}

/** A follower that is behind refuses, and what it said comes again when it no longer holds. */
export function lateRejections(stage: Stage): void {
  stage.wishes = { knobs: { appendBytes: 1, inflightAppends: 1 } };
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  stage.strike('isolate', { target, forMs: 260 });
  for (let place = 0; place < stage.drawn(2, 4, 'behind'); place++) {
    const afterMs = 130 + stage.drawn(0, 100, `work ${place}`);
    stage.ask('acquire', { client: place, key: place, afterMs, holdMs: 1 });
  }
  stage.strike('slowDisk', { target, forMs: 1_200, arg: 1 });
  stage.strike('duplicate', { target, afterMs: 240, forMs: 900, arg: 3 });
  // What was under way to it is gone, and so is who sent it.
  stage.strike('resetAll', { afterMs: 245 });
  stage.strike('crash', { afterMs: 250, forMs: stage.drawn(200, 1_000, 'dead') });
}
