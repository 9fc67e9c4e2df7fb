// What a follower does with the messages of its leader (RAFT.md §7.3). Term and identity were
// checked before; the sender is the leader of the current term.

import { probes } from '../base/probe.ts';
import type { Index } from '../base/units.ts';
import { learnCommit } from './commit.ts';
import type { Entry } from './entry.ts';
import type { Append, Heartbeat, Sender } from './messages.ts';
import { startFastFailover } from './election-timer.ts';
import { send } from './outbox.ts';
import { becomeFollower, onLeaderContact } from './roles.ts';
import { stopFatally } from './state.ts';
import type { Core } from './state.ts';

/** Checks that the entries join our log, takes what is new, answers once it is durable. */
export function onAppend(core: Core, from: Sender, append: Append): void {
  if (!isWellFormed(append)) return;
  onLeaderContact(core, from.nodeId);
  const { log, snapshots } = core;
  const { prevIndex, entries, round } = append;
  // The log stands still until the checkpoint that takes its place is in force.
  probes.sometimes('append-while-installing', snapshots.install !== null);
  if (snapshots.install !== null) return;
  probes.sometimes('append-below-anchor', prevIndex < log.anchorIndex);
  // Below the commit index all logs are equal: there is nothing to compare, and a part that was
  // compacted away is no conflict (openraft 44381b0c).
  if (prevIndex >= core.commitIndex && log.termAt(prevIndex) !== append.prevTerm) {
    reject(core, from, append);
    return;
  }
  const lastNew = prevIndex + entries.length;
  const at = firstNewIndex(core, append);
  probes.sometimes('append-shorter-than-log', at > lastNew && lastNew < log.lastIndex);
  if (at <= lastNew && at <= core.commitIndex) {
    stopFatally(core, 'LOG_CONFLICT', conflictMessage(core, from, at));
    return;
  }
  if (at <= lastNew) take(core, entries, at - prevIndex - 1);
  // Not our last index: what we have beyond lastNew was not compared (copycat#265).
  learnCommit(core, Math.min(append.commit, lastNew));
  core.barrier.holdAck({
    to: from.nodeId,
    match: Math.max(lastNew, core.commitIndex),
    round,
    transfer: null,
  });
}

/** A leader never tells of more than it knows we had: if we have less, it is gone (§15.5). */
export function onHeartbeat(core: Core, from: Sender, heartbeat: Heartbeat): void {
  onLeaderContact(core, from.nodeId);
  const { log, hard, writes } = core;
  if (heartbeat.commit > log.lastIndex) {
    const message =
      `${from.nodeId} holds an acknowledgement of ours up to entry ${heartbeat.commit}, ` +
      `but our log ends at ${log.lastIndex}: this directory lost data. ` +
      `Remove this node, wipe its directory, add it under a new name.`;
    stopFatally(core, 'LOG_LOST', message);
    return;
  }
  learnCommit(core, heartbeat.commit);
  send(core, from.nodeId, {
    type: 'heartbeatResponse',
    term: hard.term,
    round: heartbeat.round,
    lastIndex: log.lastIndex,
    durableIndex: writes.durableIndex,
  });
}

/** The leader of this term stepped down in order to stop: no need to wait for silence. */
export function onGoodbye(core: Core, from: Sender): void {
  if (core.role !== 'follower') return;
  if (core.leaderId !== null && core.leaderId !== from.nodeId) return;
  probes.reach('goodbye-heard');
  becomeFollower(core, null);
  startFastFailover(core);
}

// First index whose entry we lack or have otherwise; one past the message when we have it all.
function firstNewIndex(core: Core, append: Append): Index {
  const { log } = core;
  let at = append.prevIndex + 1;
  for (const entry of append.entries) {
    if (at > log.lastIndex) break;
    if (at > log.anchorIndex && log.termAt(at) !== entry.term) break;
    at++;
  }
  return at;
}

// Cuts what conflicts and appends the rest: one act here, one batch on disk (openraft 9540c904).
// A shorter, delayed Append has nothing new and never comes here.
function take(core: Core, entries: readonly Entry[], skipped: number): void {
  const { log, writes, configurations } = core;
  const first = entries[skipped];
  if (first !== undefined && first.index <= log.lastIndex) {
    probes.reach('follower-truncates');
    probes.sometimes('durable-entries-truncated', first.index <= writes.durableIndex);
    log.truncateFrom(first.index);
    writes.onTruncate(first.index);
    configurations.truncateFrom(first.index);
  }
  for (let at = skipped; at < entries.length; at++) {
    const entry = entries[at];
    if (entry === undefined) break;
    log.append(entry);
    if (entry.config !== null) configurations.append(entry.index, entry.config);
  }
}

// The hint skips all of our entries of terms that the leader's log does not have there: one probe
// per term instead of one per entry (RAFT.md §7.5).
function reject(core: Core, from: Sender, append: Append): void {
  const { log } = core;
  probes.sometimes('append-conflicts', append.prevIndex <= log.lastIndex);
  const searchFrom = Math.min(append.prevIndex, log.lastIndex);
  const hintIndex = Math.max(log.lastIndexAtMost(searchFrom, append.prevTerm), core.commitIndex);
  send(core, from.nodeId, {
    type: 'appendResponse',
    term: core.hard.term,
    ok: false,
    matchIndex: 0,
    rejectedPrev: append.prevIndex,
    hintIndex,
    hintTerm: log.termAt(hintIndex) ?? 0,
    round: append.round,
  });
}

function conflictMessage(core: Core, from: Sender, at: Index): string {
  return (
    `${from.nodeId} sent another entry ${at} than the one that is committed here ` +
    `(up to ${core.commitIndex}): one of the two logs is wrong. Stop, and keep both directories.`
  );
}

// Between first and last the decoder checked the chain, and the log asserts it.
function isWellFormed(append: Append): boolean {
  const { entries, prevIndex, prevTerm, term } = append;
  const first = entries[0];
  const last = entries[entries.length - 1];
  if (first === undefined || last === undefined) return prevTerm <= term;
  return (
    first.index === prevIndex + 1 &&
    first.prevTerm === prevTerm &&
    last.index === prevIndex + entries.length &&
    last.term <= term
  );
}
