// Draws of waiting times. R is uniform in [E, 1.5 E) and new every time (RAFT.md §0).

import { probes } from '../base/probe.ts';
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

/** Starts the wait for silence, with a fresh draw: a short one while a fail-over is fast. */
export function armElectionTimer(core: Core): void {
  core.election.deadlineUs = core.nowUs + drawElectionUs(core);
}

/** Starts a wait of R, fast fail-over or not: something that takes its time is under way. */
export function armPatientTimer(core: Core): void {
  core.election.deadlineUs = core.nowUs + drawPatientUs(core);
}

/**
 * A candidate's own vote is on disk: now it waits for the others, whose disks take about as long
 * as ours did. Without that, short draws end every election of a slow disk before its votes come.
 */
export function armCandidateTimer(core: Core): void {
  const diskUs = core.nowUs - core.election.startedUs;
  core.election.deadlineUs = core.nowUs + diskUs + drawElectionUs(core);
}

/** The leader's process is gone for certain: an election may start soon. Liveness only. */
export function startFastFailover(core: Core): void {
  probes.reach('fast-fail-over');
  core.election.stickyUntilUs = 0;
  core.election.fastDraws = FAST_DRAWS;
  armElectionTimer(core);
}

function drawElectionUs(core: Core): MonoUs {
  if (core.election.fastDraws > 0) {
    core.election.fastDraws--;
    return drawUs(core, FAST_MIN_US, FAST_SPAN_US);
  }
  return drawPatientUs(core);
}

function drawPatientUs(core: Core): MonoUs {
  const { electionUs } = core.settings;
  return drawUs(core, electionUs, Math.floor(electionUs / 2));
}
