// Admission: what a leader appends and what it refuses. A refusal is certain: nothing of it is in
// the log (INV-13). What was appended is decided by the log alone, whoever leads then.

import { assert } from '../base/assert.ts';
import { probes } from '../base/probe.ts';
import { appendOwn } from './appending.ts';
import type { Content } from './appending.ts';
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
  const { budget } = leader;
  const before = { client: budget.clientBytes, internal: budget.internalBytes };
  let accepted = 0;
  let refusal: Refusal | null = null;
  for (const proposal of proposals) {
    refusal = refusalOf(core, leader, proposal);
    if (refusal !== null) break;
    appendOwn(core, contentOf(proposal));
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
function refusalOf(core: Core, leader: LeaderState, proposal: Proposal): Refusal | null {
  if (proposal.type === 'config') return configRefusal(core, leader);
  if (proposal.type === 'noop') return null;
  const bytes = proposal.payload.length + ENTRY_OVERHEAD_BYTES;
  if (!leader.budget.admits(bytes, proposal.internal)) {
    probes.reach('uncommitted-limit-reached');
    return 'OVERLOADED';
  }
  leader.budget.charge(bytes, proposal.internal);
  return null;
}

// One change at a time, and none before an entry of our own term is committed: otherwise two
// configurations without a common quorum could be in use at once (INV-11; RAFT.md §10.3).
function configRefusal(core: Core, leader: LeaderState): Refusal | null {
  const isSettled =
    core.commitIndex >= leader.noopIndex && core.configurations.latest.index <= core.commitIndex;
  return isSettled ? null : 'UNAVAILABLE';
}

function contentOf(proposal: Proposal): Content {
  const { type, payload, config } = proposal;
  assert((type === 'config') === (config !== undefined), 'a config proposal brings its config');
  return { type, payload, config: config ?? null };
}
