import type { Identity } from '../raft/configurations.ts';
import type { Member } from '../raft/config.ts';
import type { RaftStatus } from '../raft/events.ts';
import type { MemberView, MembershipView } from '../wire/client-messages.ts';

/** Who takes part, as this node knows it; how far the others are only a leader can tell. */
export function membershipView(
  status: RaftStatus,
  self: Identity,
  isConnected: (nodeId: string) => boolean,
): MembershipView {
  const { config, configIndex, commitIndex } = status;
  const view = (role: MemberView['role']) => (member: Member) =>
    memberView({ status, self, isConnected }, member, role);
  const isLeaving = ({ nodeId }: Member): boolean => !config.voters.some(named(nodeId));
  return {
    configIndex,
    isCommitted: configIndex <= commitIndex,
    isJoint: config.votersOutgoing.length > 0,
    members: [
      ...config.voters.map((member) => {
        const { nodeId } = member;
        const isNew =
          config.votersOutgoing.length > 0 && !config.votersOutgoing.some(named(nodeId));
        return view(isNew ? 'joining' : 'voter')(member);
      }),
      ...config.votersOutgoing.filter(isLeaving).map(view('leaving')),
      ...[...config.learners, ...config.learnersNext].map(view('learner')),
    ],
    retired: config.retired,
  };
}

function memberView(
  from: {
    readonly status: RaftStatus;
    readonly self: Identity;
    readonly isConnected: (nodeId: string) => boolean;
  },
  { nodeId, storeId, address }: Member,
  role: MemberView['role'],
): MemberView {
  const { status, self, isConnected } = from;
  const isSelf = nodeId === self.nodeId;
  const peer = status.peers.find(named(nodeId));
  return {
    nodeId,
    storeId,
    address,
    role,
    isConnected: isSelf || isConnected(nodeId),
    isCaughtUp: isSelf || peer?.isCaughtUp === true,
    matchIndex: isSelf ? status.durableIndex : (peer?.matchIndex ?? 0),
  };
}

function named(nodeId: string): (member: { readonly nodeId: string }) => boolean {
  return (member) => member.nodeId === nodeId;
}
