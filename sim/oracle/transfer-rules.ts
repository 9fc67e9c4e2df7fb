// Rules of a hand-over that one step of one node keeps or breaks (RAFT.md §11). One that fails is
// no harm to safety, and leadership that does not move soon moves later: what is wrong shows only
// here. Times are those of the node's own clock, measured anew.

import type { MonoUs, Term } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { RaftEffect, RaftEvent } from '../../src/raft/events.ts';
import type { Core, Handover } from '../../src/raft/state.ts';
import type { OracleName, Verdict } from './verdict.ts';

/** For a new life of a node. */
export function watchHandOvers(verdict: Verdict): HostWatch {
  let rules: HandOverRules | null = null;
  return {
    started: (core) => {
      rules = new HandOverRules(core, verdict);
    },
    stepped: (event, effects) => rules?.stepped(event, effects),
    applied: () => {},
    installed: () => {},
  };
}

class HandOverRules {
  private readonly core: Core;
  private readonly verdict: Verdict;
  private handover: Handover | null = null;
  private begunUs: MonoUs = 0;
  private lastIndex = 0;
  private term: Term;
  /** The term in which it campaigns because its leader asked it to; 0: none. */
  private askedTerm: Term = 0;

  constructor(core: Core, verdict: Verdict) {
    this.core = core;
    this.verdict = verdict;
    this.term = core.hard.term;
  }

  stepped(event: RaftEvent, effects: readonly RaftEffect[]): void {
    const { core } = this;
    if (core.isStopped) return;
    this.checkLeader(core.leader?.handover ?? null);
    this.noteAsked(event);
    if (this.askedTerm === core.hard.term) this.checkCampaign(effects);
    this.term = core.hard.term;
  }

  /** What is handed over stands still (M-50), and not for ever (N-31). */
  private checkLeader(handover: Handover | null): void {
    const { core } = this;
    const { lastIndex } = core.log;
    if (handover !== this.handover) {
      this.handover = handover;
      this.begunUs = core.nowUs;
    } else if (handover !== null) {
      const { target } = handover;
      if (lastIndex > this.lastIndex) {
        this.report('LIV-1', `appends entry ${lastIndex} while it hands over to ${target}`);
      }
      const sinceUs = core.nowUs - this.begunUs;
      if (sinceUs > core.settings.electionUs * 1.5) {
        this.report('LIV-3', `admits nothing for ${sinceUs} us, for ${target} does not take over`);
      }
    }
    this.lastIndex = lastIndex;
  }

  private noteAsked(event: RaftEvent): void {
    const { hard, role } = this.core;
    const isAsked = event.type === 'message' && event.message.type === 'timeoutNow';
    if (isAsked && role === 'candidate' && hard.term > this.term) this.askedTerm = hard.term;
  }

  /** N-30: those that hear the leader would turn away anybody else. */
  private checkCampaign(effects: readonly RaftEffect[]): void {
    for (const effect of effects) {
      if (effect.type !== 'send' || effect.message.type !== 'voteRequest') continue;
      if (effect.message.transfer) continue;
      this.report('LIV-1', 'does not say that its leader asked it to campaign');
    }
  }

  private report(oracle: OracleName, what: string): void {
    this.verdict.report(oracle, `${this.core.self.nodeId} ${what} (§11)`);
  }
}
