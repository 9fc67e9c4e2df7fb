// Draws of waiting times. R is uniform in [E, 1.5 E) and new every time (RAFT.md §0).

import type { MonoUs } from '../base/units.ts';
import type { Core } from './state.ts';

/** A fast fail-over waits 20 to 150 ms. */
const FAST_MIN_US = 20_000;
const FAST_SPAN_US = 130_000;
/** The draw itself and the next three (RAFT.md §6.1). */
const FAST_DRAWS = 4;

/** A whole number from `least` up to, but not including, `least + span`. */
export function drawUs(core: Core, least: number, span: number): number {
  return least + Math.floor((core.random() / 0x1_0000_0000) * span);
}

/** Starts the wait for silence, with a fresh draw. */
export function armElectionTimer(core: Core): void {
  core.election.deadlineUs = core.nowUs + drawElectionUs(core);
}

/** The leader's process is gone for certain: an election may start soon. Liveness only. */
export function startFastFailover(core: Core): void {
  core.election.stickyUntilUs = 0;
  core.election.fastDraws = FAST_DRAWS;
  armElectionTimer(core);
}

function drawElectionUs(core: Core): MonoUs {
  if (core.election.fastDraws > 0) {
    core.election.fastDraws--;
    return drawUs(core, FAST_MIN_US, FAST_SPAN_US);
  }
  const { electionUs } = core.settings;
  return drawUs(core, electionUs, Math.floor(electionUs / 2));
}
