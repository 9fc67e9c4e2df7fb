// Linearizable reads and keepalives (RAFT.md §8): a request is confirmed by a round that began
// after it arrived. One round is out, one gathers, so any number of requests costs two rounds.
// There are no leader-lease reads: they trade one round trip for a clock assumption.

import { probes } from '../base/probe.ts';
import { quorumValue } from './electorate.ts';
import { beginRound } from './replication.ts';
import type { Core, LeaderState } from './state.ts';

/** Requests that wait for the next round; more are refused at once. */
const READS_MAX = 262_144;

/** A request arrives. A leader that is not ready yet lets it wait (RAFT.md §14.1). */
export function onRead(core: Core, id: number): void {
  const { leader } = core;
  if (leader === null || leader.rounds.gathering.length >= READS_MAX) {
    core.effects.push({ type: 'readFailed', ids: [id] });
    return;
  }
  probes.sometimes('read-joins-late', leader.rounds.flight !== null);
  leader.rounds.gathering.push(id);
}

/** Begins due rounds, confirms what a quorum answered, releases what was applied. */
export function advanceReads(core: Core): void {
  const { leader } = core;
  if (leader === null) return;
  confirm(core, leader);
  const isDue = core.nowUs >= leader.nextHeartbeatUs;
  const mayGather = leader.isReady && leader.rounds.flight === null;
  if (isDue || (mayGather && leader.rounds.gathering.length > 0)) {
    beginRound(core, leader);
    if (isDue) allowPings(leader);
    // The round began after everything that gathers arrived. Reading at the commit index of this
    // moment is as right as at that of the arrival: it is not smaller.
    if (mayGather) takeOff(core, leader);
    confirm(core, leader);
  }
  release(core, leader);
}

function takeOff(core: Core, leader: LeaderState): void {
  const { rounds } = leader;
  if (rounds.gathering.length === 0) return;
  const { current: round, gathering: ids } = rounds;
  rounds.flight = { round, readIndex: core.commitIndex, ids };
  rounds.gathering = [];
}

function confirm(core: Core, leader: LeaderState): void {
  const { rounds } = leader;
  if (rounds.flight === null && leader.admitRound === 0) return;
  const heard = quorumValue(core, rounds.current, (progress) => progress.heardRound);
  if (leader.admitRound > 0 && heard >= leader.admitRound) leader.admitRound = 0;
  if (rounds.flight !== null && heard >= rounds.flight.round) {
    rounds.confirmed.push(rounds.flight);
    rounds.flight = null;
  }
}

function release(core: Core, leader: LeaderState): void {
  const { confirmed } = leader.rounds;
  while (confirmed[0] !== undefined && confirmed[0].readIndex <= core.appliedIndex) {
    core.effects.push({ type: 'readReady', ids: confirmed[0].ids });
    confirmed.shift();
  }
}

function allowPings(leader: LeaderState): void {
  for (const progress of leader.progress.values()) progress.mayPing = true;
}
