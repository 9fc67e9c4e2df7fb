import type { NodeId } from '../base/units.ts';
import type { Member } from '../raft/config.ts';
import { findMember, includes } from '../raft/configurations.ts';
import type { RaftStatus } from '../raft/events.ts';

/** What the desk looks at in the membership as it is at this moment. */
export class MembershipFacts {
  private readonly status: () => RaftStatus;

  constructor(status: () => RaftStatus) {
    this.status = status;
  }

  /** No change is under way, and a leader may begin one. */
  isSettled(): boolean {
    const { config, configIndex, commitIndex, isReady, role } = this.status();
    const isFinal = configIndex <= commitIndex && config.votersOutgoing.length === 0;
    return isFinal && (isReady || role !== 'leader');
  }

  /** The member of that name, in whatever part; null: none. */
  member(nodeId: NodeId): Member | null {
    return findMember(this.status().config, nodeId);
  }

  /** What this leader knows of it. */
  peer(nodeId: NodeId): RaftStatus['peers'][number] | undefined {
    return this.status().peers.find((each) => each.nodeId === nodeId);
  }

  /** Who lives at that address. */
  memberAt(address: string): Member | null {
    const { voters, votersOutgoing, learners } = this.status().config;
    const all = [...voters, ...votersOutgoing, ...learners];
    return all.find((each) => each.address === address) ?? null;
  }

  /** A voter of the incoming half. */
  isVoter(nodeId: NodeId): boolean {
    const { config } = this.status();
    const member = findMember(config, nodeId);
    return member !== null && includes(config.voters, member);
  }

  /** It was a member once. */
  isRetired(nodeId: NodeId): boolean {
    return this.status().config.retired.includes(nodeId);
  }
}
