// What leaves a node must be true of its disk at that moment (RAFT.md §7.2).

import type { Index, NodeId } from '../../src/base/units.ts';
import type {
  Append,
  AppendResponse,
  Heartbeat,
  HeartbeatResponse,
  RaftMessage,
  SnapshotPartMessage,
  VoteRequest,
} from '../../src/raft/messages.ts';
import type { Commits } from './raft-commits.ts';
import type { Elections } from './raft-elections.ts';
import type { NodeHistory } from './raft-history.ts';
import type { LifeView } from './raft-view.ts';
import type { Verdict } from './verdict.ts';

/** Looks at every message as it leaves. */
export class MessageChecks {
  private readonly histories: ReadonlyMap<NodeId, NodeHistory>;
  private readonly lives: ReadonlyMap<NodeId, LifeView>;
  private readonly elections: Elections;
  private readonly commits: Commits;
  private readonly verdict: Verdict;
  /**
   * What nodes that never began were sent to the end, at most: they have it before they begin. A
   * later leader may send less, and the former one be told of what it sent.
   */
  private readonly newcomers = new Map<NodeId, Index>();

  constructor(parts: {
    readonly histories: ReadonlyMap<NodeId, NodeHistory>;
    readonly lives: ReadonlyMap<NodeId, LifeView>;
    readonly elections: Elections;
    readonly commits: Commits;
    readonly verdict: Verdict;
  }) {
    this.histories = parts.histories;
    this.lives = parts.lives;
    this.elections = parts.elections;
    this.commits = parts.commits;
    this.verdict = parts.verdict;
  }

  sent(life: LifeView, to: NodeId, message: RaftMessage): void {
    const { id, history, disk } = life;
    const { term, type } = message;
    if (term > history.sentTerm) history.sentTerm = term;
    if (term > disk.term) {
      const what = `${id} sends ${type} of term ${term}`;
      this.verdict.report('INV-7', `${what}; its disk knows of term ${disk.term}`);
    }
    switch (type) {
      case 'voteRequest':
        return this.voteRequest(life, message);
      case 'voteResponse':
        if (message.granted) this.grant(life, to, term);
        return;
      case 'append':
        return this.append(life, message);
      case 'appendResponse':
        if (message.ok) this.acknowledgement(life, to, message);
        return;
      case 'heartbeat':
        return this.heartbeat(life, to, message);
      case 'heartbeatResponse':
        return this.heartbeatResponse(life, message);
      case 'snapshotPart':
        return this.snapshotPart(life, to, message);
      case 'snapshotResponse':
        if (message.status === 'installed') this.acknowledgement(life, to, message);
        return;
      case 'timeoutNow':
        return this.timeoutNow(life, to);
      default:
        return;
    }
  }

  /** INV-7, M-68: whoever campaigns has its own vote on disk, or it could campaign twice. */
  private voteRequest(life: LifeView, { term }: VoteRequest): void {
    this.grant(life, life.id, term);
  }

  private grant({ id, history, disk }: LifeView, candidate: NodeId, term: number): void {
    this.verdict.expect(
      disk.term === term && disk.vote === candidate,
      'INV-7',
      () => `${id} tells of its vote for ${candidate} in term ${term} before it is on disk`,
    );
    history.grant(term, candidate);
  }

  private append(life: LifeView, { term, prevIndex, prevTerm, entries }: Append): void {
    const { id, mirror } = life;
    this.checkLeads(life, term);
    const first = entries[0];
    const last = entries[entries.length - 1];
    const isJoined =
      first === undefined ||
      (first.index === prevIndex + 1 && last?.index === prevIndex + entries.length);
    if (isJoined && mirror.termAt(prevIndex) === prevTerm) return;
    const what = `${id} sends ${entries.length} entries`;
    this.verdict.report('INV-10', `${what} that do not follow entry ${prevIndex}`);
  }

  /** INV-8: an acknowledgement covers what is on disk, and what the leader has. */
  private acknowledgement(
    life: LifeView,
    to: NodeId,
    { term, matchIndex }: Pick<AppendResponse, 'term' | 'matchIndex'>,
  ): void {
    const { id, mirror, disk } = life;
    if (matchIndex <= mirror.anchorIndex) return;
    const durable = disk.log.termAt(matchIndex);
    if (durable === null || durable !== mirror.termAt(matchIndex)) {
      const what = `${id} acknowledges entry ${matchIndex}`;
      this.verdict.report('INV-8', `${what}, which is not on its disk`);
    }
    const leader = this.lives.get(to);
    // One that was deposed while the answer was held back has the log of another by now.
    if (leader?.ledTerm !== term || leader.core.hard.term !== term) return;
    if (leader.mirror.covers(matchIndex, durable)) return;
    const what = `${id} acknowledges entry ${matchIndex}`;
    this.verdict.report('INV-8', `${what}, which is not what ${to} has there`);
  }

  /** INV-9, M-18: a follower is told only of what is known to be in its log. */
  private heartbeat(life: LifeView, to: NodeId, { term, commit }: Heartbeat): void {
    this.checkLeads(life, term);
    const { id, mirror } = life;
    if (commit <= mirror.anchorIndex) return;
    const history = this.histories.get(to);
    if (history?.disk.log.covers(commit, mirror.termAt(commit)) === true) return;
    if (history === undefined && commit <= (this.newcomers.get(to) ?? 0)) return;
    const what = `${id} tells ${to} that entry ${commit} is committed`;
    this.verdict.report('INV-9', `${what}; ${to} does not have it on disk`);
  }

  private heartbeatResponse({ id, mirror, disk }: LifeView, response: HeartbeatResponse): void {
    const { durableIndex } = response;
    if (durableIndex <= mirror.anchorIndex || disk.isInstalling) return;
    if (disk.log.termAt(durableIndex) === mirror.termAt(durableIndex)) return;
    this.verdict.report('INV-8', `${id} says falsely that entry ${durableIndex} is on its disk`);
  }

  /** INV-4: what a checkpoint contains is committed, up to its very end; the origin always is. */
  private snapshotPart(life: LifeView, to: NodeId, message: SnapshotPartMessage): void {
    const { term, part } = message;
    this.checkLeads(life, term);
    const { lastIndex, lastTerm } = part;
    if (part.isLast && !this.histories.has(to)) this.sendsAll(to, lastIndex);
    const { commits } = this;
    const { anchorIndex, anchorTerm } = life.mirror;
    const isOrigin = commits.isEmpty && lastIndex === anchorIndex && lastTerm === anchorTerm;
    if (isOrigin || commits.has(lastIndex, lastTerm)) return;
    const what = `${life.id} sends a checkpoint up to entry ${lastIndex} of term ${lastTerm}`;
    this.verdict.report('INV-4', `${what}, which is not committed`);
  }

  private sendsAll(to: NodeId, lastIndex: Index): void {
    this.newcomers.set(to, Math.max(lastIndex, this.newcomers.get(to) ?? 0));
  }

  /** M-49: whoever is to lead at once has the whole log, or it cannot. */
  private timeoutNow({ id, core, mirror }: LifeView, to: NodeId): void {
    if (core.leader?.handover?.target !== to) return;
    const { lastIndex, lastTerm } = mirror;
    if (this.histories.get(to)?.disk.log.covers(lastIndex, lastTerm) === true) return;
    this.verdict.report('LIV-1', `${id} hands over to ${to}, which lacks entry ${lastIndex}`);
  }

  private checkLeads({ id }: LifeView, term: number): void {
    const leader = this.elections.leaderOf(term);
    if (leader === id) return;
    this.verdict.report('INV-1', `${id} speaks as leader of term ${term}, which has ${leader}`);
  }
}
