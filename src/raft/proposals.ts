// Admission: what a leader appends and what it refuses. A refusal is certain: nothing of it is in
// the log (INV-13). What was appended is decided by the log alone, whoever leads then.

import { probes } from '../base/probe.ts';
import { appendOwn } from './appending.ts';
import type { Proposal, Refusal } from './events.ts';
import { ENTRY_OVERHEAD_BYTES } from './log.ts';
import type { Core, LeaderState } from './state.ts';

/** Appends as many of the proposals as may be, in order, and tells the host which. */
export function onPropose(core: Core, proposals: readonly Proposal[]): void {
  const { leader, log, hard } = core;
  const firstIndex = log.lastIndex + 1;
  const { accepted, refusal } =
    leader === null
      ? { accepted: 0, refusal: 'NOT_LEADER' as const }
      : admit(core, leader, proposals);
  core.effects.push({ type: 'proposed', term: hard.term, firstIndex, accepted, refusal });
}

interface Admission {
  readonly accepted: number;
  readonly refusal: Refusal | null;
}

function admit(core: Core, leader: LeaderState, proposals: readonly Proposal[]): Admission {
  // After a stall we may have been deposed without noticing: not before a round is confirmed.
  probes.sometimes('nothing-admitted-after-stall', leader.admitRound > 0);
  if (leader.admitRound > 0) return { accepted: 0, refusal: 'UNAVAILABLE' };
  // What is handed over must not change any more: the target would never have all of it (§11).
  probes.sometimes('nothing-admitted-while-handing-over', leader.handover !== null);
  if (leader.handover !== null) return { accepted: 0, refusal: 'NOT_LEADER' };
  const { budget } = leader;
  const before = { client: budget.clientBytes, internal: budget.internalBytes };
  let accepted = 0;
  let refusal: Refusal | null = null;
  for (const proposal of proposals) {
    refusal = refusalOf(leader, proposal);
    if (refusal !== null) break;
    const { type, payload, record } = proposal;
    appendOwn(core, { type, payload, config: null, record });
    accepted++;
  }
  budget.note({
    lastIndex: core.log.lastIndex,
    clientBytes: budget.clientBytes - before.client,
    internalBytes: budget.internalBytes - before.internal,
  });
  return { accepted, refusal };
}

// Charges the budget when it finds nothing against the proposal.
function refusalOf(leader: LeaderState, proposal: Proposal): Refusal | null {
  if (proposal.type === 'noop') return null;
  const bytes = proposal.payload.length + ENTRY_OVERHEAD_BYTES;
  if (!leader.budget.admits(bytes, proposal.internal)) {
    probes.reach('uncommitted-limit-reached');
    return 'OVERLOADED';
  }
  leader.budget.charge(bytes, proposal.internal);
  return null;
}
