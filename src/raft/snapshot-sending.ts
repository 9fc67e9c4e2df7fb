// What a leader does for a member that is behind its log (RAFT.md §7.4, §9). The host reads and
// paces the pieces; the core decides when a transfer begins, whether it still means anything, and
// when it is over. A transfer is known by (term, our store, its number).
//
// 1. What a member needs next was compacted, and it answered within E: sendSnapshot.
// 2. The host gives the pieces, each as an event; those of another transfer are dropped.
// 3. The member leaves the state `snapshot` by any acknowledgement that joins our log, by a
//    refusal, or by leaving the configuration; we leave it by losing our office. endTransfers sees
//    each of them the same way: the state that began the transfer is no more.

import { probes } from '../base/probe.ts';
import type { NodeId } from '../base/units.ts';
import { isActive } from './electorate.ts';
import type { SnapshotPart } from './messages.ts';
import { send } from './outbox.ts';
import type { Progress } from './progress.ts';
import type { Core, LeaderState } from './state.ts';

/** Begins a transfer to a member that answered lately; whoever is silent could not take it. */
export function offerSnapshot(core: Core, progress: Progress): void {
  if (!isActive(core, progress)) return;
  probes.reach('snapshot-needed');
  const { snapshots } = core;
  snapshots.lastTransfer++;
  const { nodeId } = progress.member;
  progress.becomeSnapshot(snapshots.lastTransfer);
  snapshots.sending.set(nodeId, snapshots.lastTransfer);
  core.effects.push({ type: 'sendSnapshot', to: nodeId, transfer: snapshots.lastTransfer });
}

/** True while that transfer to that member goes on. */
export function isCurrentTransfer(core: Core, to: NodeId, transfer: number): boolean {
  const progress = core.leader?.progress.get(to);
  if (progress === undefined || progress.isLost) return false;
  return progress.state === 'snapshot' && progress.transfer === transfer;
}

/** Tells the host which transfers are over, whatever ended them. */
export function endTransfers(core: Core): void {
  const { sending } = core.snapshots;
  if (sending.size === 0) return;
  for (const [to, transfer] of sending) {
    if (isCurrentTransfer(core, to, transfer)) continue;
    sending.delete(to);
    core.effects.push({ type: 'endSnapshot', to, transfer });
  }
}

/** The host has a piece to send. It waits for the term alone, as an Append does. */
export function onSnapshotPiece(core: Core, to: NodeId, part: SnapshotPart): void {
  const { leader, hard } = core;
  if (leader === null || !isCurrentTransfer(core, to, part.transfer)) return;
  send(core, to, {
    type: 'snapshotPart',
    term: hard.term,
    part,
    round: leader.rounds.current,
  });
}

/** The host gives a transfer up. */
export function onSnapshotAborted(core: Core, to: NodeId, transfer: number): void {
  const { leader } = core;
  const progress = leader?.progress.get(to);
  if (leader === null || progress === undefined || !isCurrentTransfer(core, to, transfer)) return;
  failTransfer(core, leader, progress);
}

/** Tries again by and by: not at once, or a member that always refuses would keep us busy. */
export function failTransfer(core: Core, leader: LeaderState, progress: Progress): void {
  probes.reach('transfer-fails');
  const retryUs = core.nowUs + core.settings.heartbeatUs;
  progress.onTransferFailed(leader.rounds.current, retryUs);
}
