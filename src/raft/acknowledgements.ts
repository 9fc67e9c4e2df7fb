// What a leader learns from answers (RAFT.md §7.4, §7.5, §15.5).

import { probes } from '../base/probe.ts';
import type { NodeId } from '../base/units.ts';
import { NO_ROUND } from './messages.ts';
import type { AppendResponse, HeartbeatResponse, Sender, SnapshotResponse } from './messages.ts';
import type { Progress } from './progress.ts';
import { failTransfer, isCurrentTransfer } from './snapshot-sending.ts';
import type { Core, LeaderState } from './state.ts';

/** An answer to an Append, in the current term. */
export function onAppendResponse(core: Core, from: Sender, response: AppendResponse): void {
  const { leader, log } = core;
  const progress = heardFrom(leader, from);
  if (leader === null || progress === null || response.round === NO_ROUND) return;
  if (response.ok) {
    if (response.matchIndex > log.lastIndex) return;
    noteRound(leader, progress, response.round);
    const wasSnapshot = progress.state === 'snapshot';
    progress.onAccepted(response.matchIndex, from.bootCount);
    probes.sometimes('ack-ends-transfer', wasSnapshot && progress.state === 'replicate');
    return;
  }
  if (isLogLoss(progress, from, response)) {
    excludeLost(core, progress, `it refused entry ${response.rejectedPrev}`);
    return;
  }
  noteRound(leader, progress, response.round);
  probes.sometimes('back-off-skips-entries', response.hintIndex + 1 < response.rejectedPrev);
  progress.onRejected({
    rejectedPrev: response.rejectedPrev,
    // A hint below our anchor says that even the anchor is not there.
    candidate:
      response.hintTerm > 0 && response.hintIndex >= log.anchorIndex
        ? log.lastIndexAtMost(response.hintIndex, response.hintTerm)
        : response.hintIndex,
  });
}

/** An answer to a heartbeat, in the current term. It also asks for what is missing (LIV-4). */
export function onHeartbeatResponse(core: Core, from: Sender, response: HeartbeatResponse): void {
  const { leader, log } = core;
  const progress = heardFrom(leader, from);
  if (leader === null || progress === null || response.round === NO_ROUND) return;
  if (progress.hasLost(response.round, response.durableIndex)) {
    excludeLost(core, progress, `its log on disk ends at ${response.durableIndex}`);
    return;
  }
  noteRound(leader, progress, response.round);
  if (progress.state === 'probe') {
    // What was on its way, or waited for a disk, when the probe left would ask for it once each.
    const isLater = response.round > progress.probeRound && core.nowUs >= progress.retryUs;
    if (isLater) progress.isPaused = false;
  } else if (progress.mayPing && progress.matchIndex < log.lastIndex) {
    progress.mayPing = false;
    progress.needsPing = true;
  }
}

/**
 * An answer to a piece of a checkpoint, in the current term. What is in force there counts like
 * any acknowledgement, whichever transfer brought it.
 */
export function onSnapshotResponse(core: Core, from: Sender, response: SnapshotResponse): void {
  const { leader, log } = core;
  const progress = heardFrom(leader, from);
  if (leader === null || progress === null || response.round === NO_ROUND) return;
  if (response.matchIndex > log.lastIndex) return;
  noteRound(leader, progress, response.round);
  const { transfer, status, sequence } = response;
  const isCurrent = isCurrentTransfer(core, from.nodeId, transfer);
  if (isCurrent) {
    const to = from.nodeId;
    core.effects.push({ type: 'snapshotAnswered', to, transfer, status, sequence });
  }
  if (status === 'installed') progress.onAccepted(response.matchIndex, from.bootCount);
  if (isCurrent && status === 'installed') {
    probes.sometimes('installed-below-anchor', progress.matchIndex < log.anchorIndex);
    progress.onInstalled();
  }
  if (isCurrent && status === 'refused') failTransfer(core, leader, progress);
}

/** The connections with a peer changed; what was on its way is probably lost. */
export function onPeerLink(core: Core, peer: NodeId, isUp: boolean): void {
  const progress = core.leader?.progress.get(peer);
  if (progress === undefined) return;
  if (isUp) progress.isPaused = false;
  else progress.onUnreachable();
}

// A member that did not lose its log.
function heardFrom(leader: LeaderState | null, from: Sender): Progress | null {
  const progress = leader?.progress.get(from.nodeId);
  return progress === undefined || progress.isLost ? null : progress;
}

function noteRound(leader: LeaderState, progress: Progress, round: number): void {
  const sentUs = leader.rounds.startOf(round);
  if (sentUs !== null) progress.onHeard(round, sentUs);
}

// A rejection of what was acknowledged is normal when it comes late: it was made before the
// acknowledgement (openraft#1500). Only a newer boot has no such excuse.
function isLogLoss(progress: Progress, from: Sender, response: AppendResponse): boolean {
  return (
    progress.matchIndex > 0 &&
    response.rejectedPrev <= progress.matchIndex &&
    from.bootCount > progress.matchBoot
  );
}

function excludeLost(core: Core, progress: Progress, what: string): void {
  progress.isLost = true;
  const { nodeId } = progress.member;
  core.effects.push({
    type: 'peerLostLog',
    peer: nodeId,
    message:
      `${nodeId} had acknowledged everything up to entry ${progress.matchIndex}, but ${what}. ` +
      `Its answers are not counted any more: remove it, wipe it, add it under a new name.`,
  });
}
