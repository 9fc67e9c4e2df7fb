// Rules of elections that one step of one node keeps or breaks (RAFT.md §6): what delays an
// election, or deposes a leader that a quorum answers, shows here long before it shows as a cluster
// without a leader. Times are those of the node's own clock; what it heard is counted here anew.

import type { MonoUs, NodeId, Term } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { RaftEffect, RaftEvent, Role } from '../../src/raft/events.ts';
import { NO_ROUND } from '../../src/raft/messages.ts';
import type { PreVoteResponse, RaftMessage, Sender } from '../../src/raft/messages.ts';
import type { Core } from '../../src/raft/state.ts';
import { OfficeWatch } from './office-watch.ts';
import type { OracleName, Verdict } from './verdict.ts';

const LEADER_MESSAGES: ReadonlySet<RaftMessage['type']> = new Set<RaftMessage['type']>([
  'append',
  'heartbeat',
  'snapshotPart',
]);

/** What a node was before a step. */
interface Before {
  readonly term: Term;
  readonly role: Role;
  readonly deadlineUs: MonoUs;
}

/** For a new life of a node. */
export function watchElections(verdict: Verdict): HostWatch {
  let rules: ElectionRules | null = null;
  return {
    started: (core) => {
      rules = new ElectionRules(core, verdict);
    },
    stepped: (event, effects) => rules?.stepped(event, effects),
    applied: () => {},
    installed: () => {},
  };
}

class ElectionRules {
  private readonly core: Core;
  private readonly verdict: Verdict;
  private readonly office: OfficeWatch;
  private term: Term;
  private role: Role;
  private deadlineUs: MonoUs;
  private tickedUs: MonoUs;
  /** When it last heard of a leader, started, or woke from a stall. */
  private heardUs: MonoUs;

  constructor(core: Core, verdict: Verdict) {
    this.core = core;
    this.verdict = verdict;
    this.office = new OfficeWatch(core);
    this.term = core.hard.term;
    this.role = core.role;
    this.deadlineUs = core.election.deadlineUs;
    this.tickedUs = core.nowUs;
    this.heardUs = core.nowUs;
  }

  stepped(event: RaftEvent, effects: readonly RaftEffect[]): void {
    const { core, term, role, deadlineUs } = this;
    if (core.isStopped) return;
    const isStall = core.nowUs - this.tickedUs > core.settings.electionUs / 2;
    if (isStall || event.type === 'tick') this.tickedUs = core.nowUs;
    if (isStall) this.heardUs = core.nowUs;
    this.office.follow(event, isStall);
    if (event.type === 'message') {
      this.onMessage(event, { term, role, deadlineUs }, effects);
      if (!isStall) this.checkRequest(event, { term, role, deadlineUs });
    } else if (event.type === 'tick' && !isStall) this.checkOffice(role);
    const isCampaigning = core.role === 'preCandidate' || core.role === 'candidate';
    if (isCampaigning && core.leaderId !== null) {
      this.report('LIV-1', `asks for votes and still follows ${core.leaderId} (§6.3)`);
    }
    this.term = core.hard.term;
    this.role = core.role;
    this.deadlineUs = core.election.deadlineUs;
  }

  private onMessage(
    { from, message }: { readonly from: Sender; readonly message: RaftMessage },
    before: Before,
    effects: readonly RaftEffect[],
  ): void {
    const { core } = this;
    const isOfLeader = LEADER_MESSAGES.has(message.type);
    if (isOfLeader && message.term === core.hard.term) this.heardUs = core.nowUs;
    if (message.type === 'preVoteResponse') this.checkGrant(from, message, before);
    const isStale = isOfLeader && message.term < before.term;
    if ((isStale || message.type === 'preVoteRequest') && !isMember(core, from)) return;
    // Before its term is durable a node says nothing at all.
    const answer = answerTo(effects, from.nodeId);
    const isOwed = core.hard.isTermDurable && answer === null;
    if (isStale && isOwed) {
      this.report('LIV-1', `leaves ${from.nodeId} in the belief that term ${message.term} lasts`);
    }
    if (isStale && answer !== null && roundOf(answer) !== NO_ROUND) {
      this.report('INV-12', `names a round to ${from.nodeId} that is not of this term (§8)`);
    }
    if (message.type !== 'preVoteRequest') return;
    if (isOwed) {
      this.report('LIV-1', `does not answer the poll of ${from.nodeId} (§6.3)`);
    }
    const isSticky = effects.some(
      (effect) =>
        effect.type === 'send' &&
        effect.message.type === 'preVoteResponse' &&
        effect.message.reason === 'sticky',
    );
    if (isSticky) this.checkStickiness(from.nodeId);
  }

  /** A voter that does not know of our term yet helps as much as any other (§6.3). */
  private checkGrant(from: Sender, response: PreVoteResponse, before: Before): void {
    const { core } = this;
    const isOfPoll = response.poll === core.election.poll && core.role === 'preCandidate';
    const isCampaigning = before.role === 'preCandidate' && before.term === core.hard.term;
    if (!isOfPoll || !isCampaigning || !response.granted || !isMember(core, from)) return;
    if (core.election.votes.get(from.storeId) === true) return;
    this.report('LIV-1', `does not count that ${from.nodeId} would vote for it (§6.3)`);
  }

  /** What a request for a vote may change, and what not. */
  private checkRequest(
    { from, message }: { readonly from: Sender; readonly message: RaftMessage },
    before: Before,
  ): void {
    const { core } = this;
    const { hard, election, role } = core;
    if (message.type === 'preVoteRequest') {
      if (hard.term !== before.term) this.report('LIV-2', 'takes the term of a poll (§6.3)');
      if (role === before.role && election.deadlineUs !== before.deadlineUs) {
        this.report('LIV-2', 'waits longer for its leader because of a poll (§6.3)');
      }
    }
    if (message.type !== 'voteRequest' || message.transfer) return;
    const isIgnored = message.term > before.term && hard.term === before.term;
    if (isIgnored && before.role === 'follower') this.checkStickiness(from.nodeId);
    if (before.role === 'leader' && !isIgnored && message.term > before.term) {
      const isHealthy = this.office.silenceUs(core.nowUs) < core.settings.electionUs * 0.9;
      if (isHealthy) this.report('LIV-2', `is deposed by ${from.nodeId} while a quorum answers it`);
    }
    const isGranted = hard.vote?.storeId === from.storeId;
    const isFollower = before.role === 'follower' && role === 'follower';
    if (isFollower && !isGranted && election.deadlineUs !== before.deadlineUs) {
      this.report('LIV-1', `refuses ${from.nodeId} its vote, and waits longer itself (§6.4)`);
    }
  }

  /** a leader that is gone may be replaced after E, not after R. */
  private checkStickiness(by: NodeId): void {
    const { core } = this;
    const sinceUs = core.nowUs - this.heardUs;
    if (sinceUs <= core.settings.electionUs) return;
    this.report('LIV-1', `turns ${by} away ${sinceUs} us after it heard of a leader (§6.4)`);
  }

  /** CheckQuorum (§6.6): neither too late nor too early. */
  private checkOffice(roleBefore: Role): void {
    const { core, office } = this;
    const { electionUs } = core.settings;
    if (core.role === 'leader' && office.silenceUs(core.nowUs) > electionUs * 1.5) {
      this.report('LIV-2', `leads on, though no quorum answers since ${office.describe()}`);
    }
    const isDeposed = roleBefore === 'leader' && core.role !== 'leader' && !core.isStorageStuck;
    if (isDeposed && office.lastSilenceUs < electionUs * 0.9) {
      this.report('LIV-2', `steps down ${office.lastSilenceUs} us after a quorum answered`);
    }
  }

  private report(oracle: OracleName, what: string): void {
    this.verdict.report(oracle, `${this.core.self.nodeId} ${what}`);
  }
}

function answerTo(effects: readonly RaftEffect[], to: NodeId): RaftMessage | null {
  for (const effect of effects) {
    if (effect.type === 'send' && effect.to === to) return effect.message;
  }
  return null;
}

function roundOf(message: RaftMessage): number {
  const isAnswer = message.type === 'appendResponse' || message.type === 'heartbeatResponse';
  return isAnswer ? message.round : NO_ROUND;
}

function isMember(core: Core, { nodeId, storeId }: Sender): boolean {
  const { voters } = core.configurations.latest.config;
  return voters.some((member) => member.nodeId === nodeId && member.storeId === storeId);
}
