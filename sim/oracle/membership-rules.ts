// Rules of the membership that one step of one node keeps or breaks (RAFT.md §10.4).

import type { Term } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { RaftEffect, Role } from '../../src/raft/events.ts';
import type { Core } from '../../src/raft/state.ts';
import type { Verdict } from './verdict.ts';

/** For a new life of a node. */
export function watchMembership(verdict: Verdict): HostWatch {
  let rules: MembershipRules | null = null;
  return {
    started: (core) => {
      rules = new MembershipRules(core, verdict);
    },
    stepped: (_event, effects) => rules?.stepped(effects),
    applied: () => {},
    installed: () => {},
  };
}

class MembershipRules {
  private readonly core: Core;
  private readonly verdict: Verdict;
  private role: Role;
  private term: Term;

  constructor(core: Core, verdict: Verdict) {
    this.core = core;
    this.verdict = verdict;
    this.role = core.role;
    this.term = core.hard.term;
  }

  stepped(effects: readonly RaftEffect[]): void {
    const { core, role, term } = this;
    if (core.isStopped) return;
    if (role === 'leader' && core.role !== 'leader' && core.hard.term === term) {
      this.checkFarewell(effects);
    }
    this.role = core.role;
    this.term = core.hard.term;
  }

  /** M-48: a leader that has taken itself out does not leave the others to find that out. */
  private checkFarewell(effects: readonly RaftEffect[]): void {
    const { core } = this;
    const { config, index } = core.configurations.latest;
    const { nodeId } = core.self;
    if (index > core.commitIndex || !config.retired.includes(nodeId)) return;
    const hasTold = effects.some(
      (effect) =>
        effect.type === 'send' &&
        (effect.message.type === 'timeoutNow' || effect.message.type === 'goodbye'),
    );
    if (hasTold || config.voters.length === 0) return;
    const what = `${nodeId} leads no more, for it has left, and tells nobody (§10.4)`;
    this.verdict.report('LIV-1', what);
  }
}
