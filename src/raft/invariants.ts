// Invariants of one node, executable (RAFT.md §1). Tests and the simulator call checkInvariants
// after every step, with what it returned after the step before. Those that speak of several
// nodes are in cluster-invariants.ts.

import { assert } from '../base/assert.ts';
import type { Index, Term } from '../base/units.ts';
import type { Role } from './events.ts';
import type { Ballot } from './hard-state.ts';
import type { Core, LeaderState } from './state.ts';

/** What the next check compares with. A restart begins with null. */
export interface CoreSnapshot {
  readonly term: Term;
  readonly vote: Ballot | null;
  readonly role: Role;
  readonly commitIndex: Index;
  readonly commitTerm: Term | null;
  readonly appliedIndex: Index;
  readonly applyingIndex: Index;
  readonly lastIndex: Index;
  readonly lastTerm: Term;
  readonly configIndex: Index;
}

/** Throws InvariantError naming what is broken; otherwise the snapshot for the next call. */
export function checkInvariants(core: Core, previous: CoreSnapshot | null): CoreSnapshot {
  checkLog(core);
  checkDisk(core);
  checkIndices(core);
  checkConfigurations(core);
  checkRole(core);
  checkInstall(core);
  if (core.leader !== null) checkLeader(core, core.leader);
  if (previous !== null) checkChange(core, previous);
  return snapshotOf(core);
}

function snapshotOf(core: Core): CoreSnapshot {
  const { hard, log } = core;
  return {
    term: hard.term,
    vote: hard.vote,
    role: core.role,
    commitIndex: core.commitIndex,
    commitTerm: log.termAt(core.commitIndex),
    appliedIndex: core.appliedIndex,
    applyingIndex: core.applyingIndex,
    lastIndex: log.lastIndex,
    lastTerm: log.lastTerm,
    configIndex: core.configurations.latest.index,
  };
}

// INV-10: indices are contiguous from the anchor on, terms do not decrease and are not ahead.
function checkLog({ log, hard }: Core): void {
  assert(log.lastTerm <= hard.term, 'INV-10: no entry is of a later term than ours');
  assert(log.lastIndex >= log.anchorIndex, 'INV-10: the log does not end before its anchor');
  assert(log.firstInMemory <= log.lastIndex + 1, 'INV-10: the tail ends at the last index');
  assert(log.firstInMemory > log.anchorIndex, 'INV-10: what was compacted is gone');
  for (let index = log.firstInMemory; index <= log.lastIndex; index++) {
    const entry = log.peek(index);
    assert(entry !== null && entry.index === index, 'INV-10: the tail has no gap');
    assert(entry.term === log.termAt(index), 'INV-10: the runs tell the terms of the entries');
    assert(entry.prevTerm === log.termAt(index - 1), 'INV-10: each entry names the term before');
    assert(entry.prevTerm <= entry.term, 'INV-10: terms do not decrease');
  }
}

// What is not durable can be written: it is in memory, and nothing else counts as durable.
function checkDisk({ log, writes }: Core): void {
  const { durableIndex, submittedIndex } = writes;
  assert(durableIndex <= submittedIndex, 'what is durable was submitted');
  assert(submittedIndex <= log.lastIndex, 'what was submitted and still counts is in the log');
  assert(log.firstInMemory <= durableIndex + 1, 'what is not durable is in memory');
  assert(durableIndex >= log.anchorIndex, 'the anchor is durable');
  assert(writes.isBusy || durableIndex === submittedIndex, 'an idle disk has all it was given');
}

// INV-9: applied ≤ commit ≤ last.
function checkIndices(core: Core): void {
  assert(core.commitIndex <= core.log.lastIndex, 'INV-9: what is committed is in the log');
  assert(core.appliedIndex <= core.commitIndex, 'INV-9: what is applied is committed');
  assert(core.applyingIndex <= core.commitIndex, 'INV-9: what is being applied is committed');
  assert(core.log.anchorIndex <= core.appliedIndex, 'what was compacted was applied');
}

// INV-11: the configuration in force is the latest of checkpoint and log, committed or not.
function checkConfigurations({ configurations, log }: Core): void {
  const { latest } = configurations;
  assert(latest.index <= log.lastIndex, 'INV-11: the configuration in force is in the log');
  let newest = 0;
  for (let index = log.firstInMemory; index <= log.lastIndex; index++) {
    if ((log.peek(index)?.config ?? null) !== null) newest = index;
  }
  assert(newest <= latest.index, 'INV-11: a configuration counts from its entry on');
  const isInMemory = latest.index >= log.firstInMemory;
  assert(!isInMemory || newest === latest.index, 'INV-11: and no longer than its entry is there');
}

// A role has exactly the state that belongs to it.
function checkRole(core: Core): void {
  const isLeader = core.role === 'leader';
  assert(isLeader === (core.leader !== null), 'only a leader has the state of a leader');
  assert(!isLeader || core.leaderId === core.self.nodeId, 'a leader follows itself');
  assert(
    isLeader || core.leaderId !== core.self.nodeId,
    'nobody points at itself after stepping down',
  );
  if (core.role !== 'candidate' && !isLeader) return;
  assert(core.hard.vote?.storeId === core.self.storeId, 'a candidate voted for itself');
}

// A checkpoint that is put in force replaces log and state: nothing is under way meanwhile.
function checkInstall(core: Core): void {
  const { install, sending } = core.snapshots;
  assert(
    install === null || core.role === 'follower',
    'whoever installs takes part in no election',
  );
  assert(sending.size === 0 || core.leader !== null, 'only a leader sends checkpoints');
  if (install?.isOut !== true) return;
  const { last } = install.point;
  assert(!core.writes.isBusy && core.applyingIndex === 0, 'nothing is out beside an install');
  assert(core.appliedIndex < last.index, 'INV-9: an install does not go back');
  const holdsLast = core.log.termAt(last.index) === last.term;
  assert(install.keepsSuffix === holdsLast, 'a log that does not agree goes as a whole');
  assert(
    !install.keepsSuffix || core.writes.durableIndex >= last.index,
    'a log that stays agrees on disk as well',
  );
}

// A leader's term is durable, and what it knows of others fits its log.
function checkLeader(core: Core, leader: LeaderState): void {
  const { log, hard, configurations, settings } = core;
  assert(hard.isVoteDurable, 'INV-7: whoever leads has its vote on disk');
  const noopTerm = leader.noopIndex < log.anchorIndex ? hard.term : log.termAt(leader.noopIndex);
  assert(noopTerm === hard.term, 'the no-op opens the term');
  for (const progress of leader.progress.values()) {
    progress.check(log.lastIndex);
    assert(progress.inflights.count <= settings.inflightAppendsMax, 'the window has a limit');
    assert(progress.heardRound <= leader.rounds.current, 'nobody answers a round to come');
  }
  for (const [to, transfer] of core.snapshots.sending) {
    const progress = leader.progress.get(to);
    assert(progress?.state === 'snapshot', 'a transfer that goes on has a receiver');
    assert(progress.transfer === transfer, 'one transfer at a time to each member');
  }
  const { flight } = leader.rounds;
  assert(flight === null || flight.round <= leader.rounds.current, 'a round out has begun');
  // Before that, what a predecessor committed may look uncommitted to us.
  if (core.commitIndex < leader.noopIndex) return;
  const pending = configurations.list().filter((each) => each.index > core.commitIndex);
  assert(pending.length <= 1, 'INV-11: one uncommitted configuration at most');
}

function checkChange(core: Core, previous: CoreSnapshot): void {
  const { hard, log } = core;
  // INV-7: the term never decreases, and a vote is given once per term.
  assert(hard.term >= previous.term, 'INV-7: the term never decreases');
  const isSameTerm = hard.term === previous.term;
  if (isSameTerm && previous.vote !== null) {
    assert(hard.vote?.storeId === previous.vote.storeId, 'INV-7: a vote is not taken back');
  }
  // INV-9: commit and applied never go back.
  assert(core.commitIndex >= previous.commitIndex, 'INV-9: the commit index never goes back');
  assert(core.appliedIndex >= previous.appliedIndex, 'INV-9: the applied index never goes back');
  assert(
    previous.commitIndex < log.anchorIndex ||
      log.termAt(previous.commitIndex) === previous.commitTerm,
    'INV-4: what was committed is not overwritten',
  );
  assert(
    core.appliedIndex <= Math.max(previous.appliedIndex, previous.applyingIndex) ||
      core.appliedIndex === log.anchorIndex,
    'INV-9: nothing is skipped but what a checkpoint brings',
  );
  // INV-2: a leader only adds to its log.
  if (isSameTerm && previous.role === 'leader' && core.role === 'leader') {
    assert(log.lastIndex >= previous.lastIndex, 'INV-2: a leader never cuts its log');
    assert(
      previous.lastIndex < log.anchorIndex || log.termAt(previous.lastIndex) === previous.lastTerm,
      'INV-2: a leader never overwrites its log',
    );
  }
}
