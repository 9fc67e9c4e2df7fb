// What a leader sends (RAFT.md §7.1, §7.4). Called at the end of every step: whatever the step
// changed, each follower gets what its progress allows. Appends wait for the term alone, never
// for our own disk: leader and followers write side by side (thesis §10.2.1).

import { assert, present } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import type { Index } from '../base/units.ts';
import type { Entry } from './entry.ts';
import { entryBytes } from './log.ts';
import { send } from './outbox.ts';
import type { Progress } from './progress.ts';
import { offerSnapshot } from './snapshot-sending.ts';
import type { Core, LeaderState } from './state.ts';

/**
 * The news of a commit waits this long for an Append that carries it. With a heartbeat of its own
 * for each commit, the nodes take 6 % more processor time for one user and 13 % for eight.
 */
const COMMIT_NEWS_US = 5_000;

/** Sends every follower what is due. */
export function replicate(core: Core): void {
  const { leader } = core;
  if (leader === null) return;
  const isNewsDue = core.nowUs >= leader.commitNewsUs;
  leader.commitNewsUs = isNewsDue ? Infinity : leader.commitNewsUs;
  for (const progress of leader.progress.values()) {
    if (progress.isLost) continue;
    const lacksLog = progress.next <= core.log.anchorIndex || progress.hasNoLog;
    if (progress.state !== 'snapshot' && lacksLog) {
      offerSnapshot(core, progress);
    } else if (progress.state === 'probe') probe(core, leader, progress);
    else if (progress.state === 'replicate') stream(core, leader, progress);
    if (lacksNews(core, progress)) tellCommit(core, leader, { progress, isNewsDue });
  }
}

/** Begins a quorum round and tells everybody: a heartbeat never waits for a disk. */
export function beginRound(core: Core, leader: LeaderState): number {
  const round = leader.rounds.begin(core.nowUs);
  leader.nextHeartbeatUs = core.nowUs + core.settings.heartbeatUs;
  for (const progress of leader.progress.values()) {
    progress.onRound(round);
    sendHeartbeat(core, leader, progress);
  }
  return round;
}

// One Append at a time, until one fits. When the entries are no longer in memory, an empty one
// finds the place as well, without the disk.
function probe(core: Core, leader: LeaderState, progress: Progress): void {
  if (progress.isPaused) return;
  progress.isPaused = true;
  progress.probeRound = leader.rounds.current;
  const { log, settings } = core;
  const entries = log.slice(progress.next, log.lastIndex, settings.appendBytesMax) ?? [];
  sendAppend(core, leader, { progress, entries });
}

function stream(core: Core, leader: LeaderState, progress: Progress): void {
  const { log, loader, settings } = core;
  const bytesMax = settings.appendBytesMax;
  while (progress.next <= log.lastIndex && !progress.inflights.isFull) {
    const stretch = { from: progress.next, last: log.lastIndex, bytesMax };
    const entries = loader.read(stretch);
    if (entries === null) break;
    sendAppend(core, leader, { progress, entries });
    const last = progress.next + entries.length - 1;
    progress.inflights.add(last, bytesOf(core, entries));
    progress.next = last + 1;
    progress.needsPing = false;
  }
  probes.sometimes('window-full', progress.next <= log.lastIndex && progress.inflights.isFull);
  if (!progress.needsPing) return;
  probes.reach('lost-window-probed');
  progress.needsPing = false;
  sendAppend(core, leader, { progress, entries: [] });
}

// A follower to which something is on its way learns of the commit with the next Append, or at the
// latest with the next heartbeat.
function lacksNews(core: Core, progress: Progress): boolean {
  if (progress.inflights.count > 0) return false;
  return progress.toldCommit < Math.min(progress.matchIndex, core.commitIndex);
}

// At once where others wait for the word: for the first entry of a term, for a configuration, and
// while leadership is being handed over. Otherwise when no Append brought it for a while; that
// deadline stands for all followers, and also for news that came after it was set.
function tellCommit(
  core: Core,
  leader: LeaderState,
  what: { progress: Progress; isNewsDue: boolean },
): void {
  const { progress, isNewsDue } = what;
  const urgentIndex = Math.max(leader.noopIndex, core.configurations.latest.index);
  const isUrgent = leader.handover !== null || progress.toldCommit < urgentIndex;
  if (isNewsDue || isUrgent) sendHeartbeat(core, leader, progress);
  else leader.commitNewsUs = Math.min(leader.commitNewsUs, core.nowUs + COMMIT_NEWS_US);
}

// The commit index is cut to what we know of its log: the rest of it may be of another leader
// (RAFT.md §7.3, INV-5).
function sendHeartbeat(core: Core, leader: LeaderState, progress: Progress): void {
  const commit = Math.min(progress.matchIndex, core.commitIndex);
  progress.toldCommit = Math.max(progress.toldCommit, commit);
  const { term } = core.hard;
  const round = leader.rounds.current;
  send(core, progress.member.nodeId, { type: 'heartbeat', term, commit, round });
}

function sendAppend(
  core: Core,
  leader: LeaderState,
  what: { progress: Progress; entries: readonly Entry[] },
): void {
  const { progress, entries } = what;
  const prevIndex: Index = progress.next - 1;
  assert(prevIndex >= core.log.anchorIndex, 'an Append joins what the log still has');
  const last = prevIndex + entries.length;
  progress.toldCommit = Math.max(progress.toldCommit, Math.min(core.commitIndex, last));
  send(core, progress.member.nodeId, {
    type: 'append',
    term: core.hard.term,
    prevIndex,
    prevTerm: present(core.log.termAt(prevIndex), 'the term before an Append'),
    entries,
    commit: core.commitIndex,
    round: leader.rounds.current,
  });
}

function bytesOf(core: Core, entries: readonly Entry[]): number {
  const first = entries[0];
  if (first === undefined) return 0;
  if (first.index >= core.log.firstInMemory) {
    return core.log.bytesOf(first.index, first.index + entries.length - 1);
  }
  return entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
}
