// A checkpoint comes from the leader and takes the place of our log, or of its beginning
// (RAFT.md §9). Pieces are stored aside by the host; nothing is in force until all are there and
// verified. From then on:
//
// 1. The install waits until no batch and no apply is out. Meanwhile nothing new is handed out, and
//    Appends are dropped: log and state stand still. If the log holds the last entry of the
//    checkpoint, it is written up to there first, so that log on disk and in memory agree on it;
//    and so is what was applied, for our own checkpoint that is under way is waiting for it.
// 2. If commits reach that entry first, the checkpoint is discarded: we are there already.
// 3. installSnapshot goes out: one batch on disk puts it in force and deletes the log, or what of
//    the log it contains. Now memory shows the log before, the disk that or the one after, and a
//    crash leaves one of the two, never a mixture.
// 4. Its answer comes: memory follows, and only now anything is said that depends on it.
//
// Between 3 and 4 we go on speaking for the log before. That is true on either disk:
// - Heartbeat answers: what the leader of this term knows us to have equals its own log; all of it
//   that lies at or below the checkpoint is in the checkpoint, and if any of it lies above, our
//   log holds the last entry of the checkpoint, and stays.
// - Votes are judged by the log before. What was committed without us needs no vote of ours, and
//   we acknowledged nothing of the checkpoint yet.
// - Acknowledgements that wait for the disk: no batch is out, so none is released before 4; after
//   it, those at or below the checkpoint are true, for it contains what the leader sent.
// - Whoever installs does not campaign (it would offer a log that is about to go), so that it
//   can not become leader in between.
// A term that changes in between changes nothing: what a checkpoint contains was committed, and
// is in the log of every later leader. Only the answer is for the term that asked.

import { assert } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import type { Index } from '../base/units.ts';
import type { EntryId, RaftEvent, SnapshotPoint } from './events.ts';
import { NO_ROUND } from './messages.ts';
import type { Sender, SnapshotPartMessage, SnapshotResponse } from './messages.ts';
import { send } from './outbox.ts';
import { becomeFollower, onLeaderContact } from './roles.ts';
import { stopFatally } from './state.ts';
import type { Core, Install, Receiving } from './state.ts';

/** A piece from the leader of this term: to the host, unless we have what it brings. */
export function onSnapshotPart(core: Core, from: Sender, message: SnapshotPartMessage): void {
  onLeaderContact(core, from.nodeId);
  const { snapshots, hard } = core;
  const { part, round } = message;
  // The sender repeats it; by then the install is over.
  probes.sometimes('piece-while-installing', snapshots.install !== null);
  if (snapshots.install !== null) return;
  const last = { index: part.lastIndex, term: part.lastTerm };
  if (stopsForConflict(core, last)) return;
  const receiving = { from: from.nodeId, term: hard.term, transfer: part.transfer, round };
  if (last.index <= core.commitIndex) {
    probes.reach('snapshot-not-needed');
    if (snapshots.receiving !== null) core.effects.push({ type: 'discardSnapshot' });
    snapshots.receiving = null;
    answerInstalled(core, receiving, core.commitIndex);
    return;
  }
  snapshots.receiving = receiving;
  core.effects.push({ type: 'storePart', from, term: hard.term, part });
}

/** A piece of an earlier term: its sender shall hear of ours. */
export function refuseStalePart(core: Core, from: Sender, message: SnapshotPartMessage): void {
  send(core, from.nodeId, {
    ...refusal(core, message.part.transfer),
    round: NO_ROUND,
  });
}

/** The host stored a piece, or all of them, or found that they are no checkpoint. */
export function onPartStored(core: Core, event: Extract<RaftEvent, { type: 'partStored' }>): void {
  const { snapshots, hard } = core;
  const { receiving } = snapshots;
  const { from, transfer, status, sequence, point } = event;
  const isCurrent =
    receiving?.from === from &&
    receiving.term === event.term &&
    receiving.term === hard.term &&
    receiving.transfer === transfer;
  if (status === 'complete') {
    assert(point !== null, 'a complete checkpoint says what it contains');
    snapshots.receiving = null;
    prepareInstall(core, point, isCurrent ? receiving : null);
    return;
  }
  if (!isCurrent) return;
  const { round } = receiving;
  if (status === 'refused') snapshots.receiving = null;
  send(core, from, { ...refusal(core, transfer), status, sequence, round });
}

/** Puts a complete checkpoint in force when nothing is out that it would overtake. */
export function advanceInstall(core: Core): void {
  const { snapshots, log } = core;
  const { install } = snapshots;
  if (install === null || install.isOut) return;
  const { last } = install.point;
  if (stopsForConflict(core, last)) return;
  if (last.index <= core.commitIndex) {
    probes.reach('install-overtaken-by-commit');
    snapshots.install = null;
    core.effects.push({ type: 'discardSnapshot' });
    answerInstalled(core, install.answer, core.commitIndex);
    return;
  }
  const isBusy = core.applyingIndex !== 0 || core.writes.isBusy;
  if (isBusy || !core.hard.isTermDurable || needsWriteFirst(core, install)) return;
  install.isOut = true;
  install.keepsSuffix = log.termAt(last.index) === last.term;
  const { point, keepsSuffix } = install;
  core.effects.push({ type: 'installSnapshot', point, keepsSuffix });
}

/** False while a batch would get in the way of an install (step 1). */
export function mayPersist(core: Core): boolean {
  const { install } = core.snapshots;
  return install === null || (!install.isOut && needsWriteFirst(core, install));
}

/** The checkpoint is in force, on disk and in the state machine: memory follows (step 4). */
export function onSnapshotInstalled(core: Core, point: SnapshotPoint): void {
  const { snapshots, log, writes, configurations } = core;
  const { install } = snapshots;
  const { last, config, configIndex } = point;
  assert(install?.isOut === true, 'an install is answered once');
  assert(install.point.last.index === last.index, 'the answer is to the install that is out');
  snapshots.install = null;
  probes.sometimes('install-keeps-suffix', install.keepsSuffix && log.lastIndex > last.index);
  probes.sometimes('install-drops-log', !install.keepsSuffix && log.lastIndex > log.anchorIndex);
  if (install.keepsSuffix) {
    log.compactTo(last);
    configurations.compactTo(last.index);
  } else {
    assert(core.commitIndex < last.index, 'nothing committed is dropped (INV-4)');
    log.restartAt(last);
    writes.restartAt(last.index);
    configurations.restartAt({ index: configIndex, config });
  }
  core.appliedIndex = last.index;
  core.commitIndex = Math.max(core.commitIndex, last.index);
  answerInstalled(core, install.answer, last.index);
}

function prepareInstall(core: Core, point: SnapshotPoint, answer: Receiving | null): void {
  const { snapshots } = core;
  assert(snapshots.install === null, 'one checkpoint is installed at a time');
  if (core.role === 'leader') {
    // Elected while the host was still storing: our log has all of it.
    core.effects.push({ type: 'discardSnapshot' });
    return;
  }
  if (core.role !== 'follower') becomeFollower(core, null);
  snapshots.install = { point, answer, keepsSuffix: false, isOut: false };
  probes.sometimes('install-waits', core.applyingIndex !== 0 || core.writes.isBusy);
}

// The log holds the last entry of the checkpoint, but the disk does not yet. Or the disk lacks what
// is applied: our own checkpoint may be waiting for that, and the install waits for it.
function needsWriteFirst(core: Core, { point }: Install): boolean {
  const { log, writes } = core;
  const { index, term } = point.last;
  return writes.durableIndex < (log.termAt(index) === term ? index : core.appliedIndex);
}

// What is committed here is committed everywhere, or one of the two is wrong (INV-5).
function stopsForConflict(core: Core, last: EntryId): boolean {
  if (last.index > core.commitIndex) return false;
  const known = core.log.termAt(last.index);
  if (known === null || known === last.term) return false;
  const message =
    `A checkpoint ends with entry ${last.index} of term ${last.term}, but here that entry is ` +
    `committed in term ${known}: one of the two is wrong. Stop, and keep both directories.`;
  stopFatally(core, 'LOG_CONFLICT', message);
  return true;
}

// As an acknowledgement of entries: it leaves when everything up to `match` is durable (INV-8).
function answerInstalled(core: Core, asked: Receiving | null, match: Index): void {
  if (asked === null || asked.term !== core.hard.term) return;
  const { from: to, round, transfer } = asked;
  core.barrier.holdAck({ to, match, round, transfer });
}

function refusal(core: Core, transfer: number): SnapshotResponse {
  return {
    type: 'snapshotResponse',
    term: core.hard.term,
    transfer,
    status: 'refused',
    sequence: -1,
    matchIndex: 0,
    round: NO_ROUND,
  };
}
