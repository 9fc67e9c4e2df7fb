// Handing leadership over (thesis §3.10; RAFT.md §11): nothing more is appended, the target gets
// what it lacks, and is then asked to campaign at once. Its higher term ends our office; until it
// comes we lead on, and if it does not come within E we go on as if nothing had been.
//
// The race that the order is about (HR#487): 1. A transfer begins. 2. A proposal is appended
// before anybody stops it. 3. The target, which was complete at 1, campaigns without it, and loses
// to those that have it. So the wish itself, in the step in which it arrives, closes the door.

import { probes } from '../base/probe.ts';
import type { NodeId } from '../base/units.ts';
import { findMember } from './configurations.ts';
import { isActive } from './electorate.ts';
import type { RaftEvent } from './events.ts';
import type { TransferRefusal } from './membership-change.ts';
import { send } from './outbox.ts';
import type { Core, LeaderState, Handover } from './state.ts';

/** Requests that wait for one transfer; more are refused. */
const WAITING_MAX = 64;

/** Somebody wants another leader: this one, or the best of the others. */
export function onTransfer(core: Core, event: Extract<RaftEvent, { type: 'transfer' }>): void {
  const { leader } = core;
  const { id, to } = event;
  if (leader === null) {
    const message = `${core.self.nodeId} does not lead; ${core.leaderId ?? 'nobody known'} does.`;
    decide(core, [id], { code: 'NOT_LEADER', message });
    return;
  }
  const { handover } = leader;
  if (handover !== null && (to === null || to === handover.target)) {
    join(core, handover, id);
    return;
  }
  const target = to ?? heirOf(core, leader);
  const problem = target === null ? 'No other voter answers.' : problemOf(core, leader, target);
  if (target === null || problem !== null) {
    decide(core, [id], { code: 'INVALID', message: problem ?? '' });
    return;
  }
  if (handover !== null) {
    const message = `${handover.target} was to lead, and is not: now ${target} is to.`;
    endTransfer(core, leader, { code: 'REPLACED', message });
  }
  beginTransfer(core, leader, { target, ids: [id] });
}

/** Closes the door to proposals, until the target leads or E is over. */
export function beginTransfer(
  core: Core,
  leader: LeaderState,
  { target, ids }: { readonly target: NodeId; readonly ids: readonly number[] },
): void {
  const { nowUs, settings } = core;
  const deadlineUs = nowUs + settings.electionUs;
  leader.handover = { target, ids: [...ids], deadlineUs, askUs: nowUs, isAsked: false };
}

/** Asks the target as soon as it has the whole log, and again; gives up after E. */
export function advanceTransfer(core: Core): void {
  const { leader, nowUs } = core;
  if (leader === null || leader.handover === null) return;
  const { handover } = leader;
  if (nowUs >= handover.deadlineUs) {
    probes.reach('transfer-not-taken');
    const message = `${handover.target} did not take over within an election time-out.`;
    endTransfer(core, leader, { code: 'TIMEOUT', message });
    return;
  }
  const hasAll = matchOf(leader, handover.target) === core.log.lastIndex;
  probes.sometimes('transfer-waits-for-log', !hasAll);
  if (!hasAll || nowUs < handover.askUs) return;
  handover.isAsked = true;
  handover.askUs = nowUs + core.settings.heartbeatUs;
  askToCampaign(core, handover.target);
}

/** Tells that node to campaign at once, whoever it still hears (RAFT.md §11). */
export function askToCampaign(core: Core, target: NodeId): void {
  send(core, target, { type: 'timeoutNow', term: core.hard.term });
}

/** Office ends. With a higher term, after the target was asked, the transfer has succeeded. */
export function concludeTransfer(core: Core, leader: LeaderState, isSucceeded: boolean): void {
  const { handover } = leader;
  if (handover === null) return;
  const hasWorked = isSucceeded && handover.isAsked;
  const message = `${core.self.nodeId} lost its office before ${handover.target} could take over.`;
  endTransfer(core, leader, hasWorked ? null : { code: 'NOT_LEADER', message });
}

/** The voter to hand over to: of those that answer, the one with most of our log. */
export function heirOf(core: Core, leader: LeaderState): NodeId | null {
  let best: NodeId | null = null;
  for (const { nodeId } of core.configurations.latest.config.voters) {
    const progress = leader.progress.get(nodeId);
    if (progress === undefined || !isActive(core, progress)) continue;
    if (best === null || matchOf(leader, nodeId) > matchOf(leader, best)) best = nodeId;
  }
  return best;
}

function join(core: Core, handover: Handover, id: number): void {
  if (handover.ids.length < WAITING_MAX) {
    handover.ids.push(id);
    return;
  }
  const message = `${WAITING_MAX} others wait for ${handover.target} to lead.`;
  decide(core, [id], { code: 'REPLACED', message });
}

function problemOf(core: Core, leader: LeaderState, target: NodeId): string | null {
  const { config } = core.configurations.latest;
  if (target === core.self.nodeId) return `${target} leads already.`;
  if (findMember(config, target) === null) return `${target} is not a member.`;
  if (!config.voters.some(({ nodeId }) => nodeId === target)) {
    return `${target} is not a voter: it cannot lead.`;
  }
  const progress = leader.progress.get(target);
  return progress !== undefined && isActive(core, progress)
    ? null
    : `${target} does not answer, or has lost its log: it cannot lead.`;
}

function matchOf(leader: LeaderState, target: NodeId): number {
  return leader.progress.get(target)?.countedMatch ?? 0;
}

function endTransfer(core: Core, leader: LeaderState, refusal: TransferRefusal | null): void {
  const ids = leader.handover?.ids ?? [];
  leader.handover = null;
  decide(core, ids, refusal);
}

function decide(core: Core, ids: readonly number[], refusal: TransferRefusal | null): void {
  for (const id of ids) core.effects.push({ type: 'transferDecided', id, refusal });
}
