// Which configuration a change leads to, or why it leads nowhere. Pure: who leads, and whether it
// may be changed now, is decided in membership.ts (RAFT.md §10.1 … §10.3).
//
//   C ──addLearner, removal of learners──> C'                 one entry: no quorum changes
//   C ──change of voters──> joint(C, C_new) ──committed──> C_new

import type { NodeId } from '../base/units.ts';
import type { ClusterConfig, Member } from './config.ts';
import { findMember } from './configurations.ts';
import type { MembershipChange, MembershipRefusal } from './membership-change.ts';

/** Voters of a configuration; more cost every commit without tolerating more that matters. */
export const VOTERS_MAX = 7;
/** Voters and learners together. */
export const MEMBERS_MAX = 14;
/** Names that left, kept for ever: a configuration must fit into a frame. */
export const RETIRED_MAX = 1_024;

/** The configuration to append for a change of one that is not joint; or why there is none. */
export function configAfter(
  config: ClusterConfig,
  change: MembershipChange,
): ClusterConfig | MembershipRefusal {
  const problem =
    change.type === 'addLearner'
      ? problemOfAddition(config, change.member)
      : problemOfChange(config, change);
  if (problem !== null) return { code: 'INVALID', message: problem };
  if (change.type === 'change') return afterChange(config, change);
  return { ...config, learners: [...config.learners, change.member] };
}

/** What a joint configuration leads to; only now its outgoing voters have left for good. */
export function configAfterJoint(joint: ClusterConfig): ClusterConfig {
  const learners = [...joint.learners, ...joint.learnersNext];
  const staying = new Set(namesOf([...joint.voters, ...learners]));
  const gone = namesOf(joint.votersOutgoing).filter((nodeId) => !staying.has(nodeId));
  return {
    voters: joint.voters,
    votersOutgoing: [],
    learners,
    learnersNext: [],
    retired: [...joint.retired, ...gone],
  };
}

/** For messages: `voters n1, n2; learners n4`. */
export function describeConfig(config: ClusterConfig): string {
  const parts = [
    { what: 'voters', members: config.voters },
    { what: 'until it is committed also the voters', members: config.votersOutgoing },
    { what: 'learners', members: [...config.learners, ...config.learnersNext] },
  ];
  return parts
    .filter(({ members }) => members.length > 0)
    .map(({ what, members }) => `${what} ${namesOf(members).join(', ')}`)
    .join('; ');
}

type VoterChange = Extract<MembershipChange, { type: 'change' }>;

function afterChange(config: ClusterConfig, { promote, remove }: VoterChange): ClusterConfig {
  const promoted = config.learners.filter(({ nodeId }) => promote.includes(nodeId));
  const leaving = config.learners.filter(({ nodeId }) => remove.includes(nodeId));
  const learners = config.learners.filter(
    (member) => !promoted.includes(member) && !leaving.includes(member),
  );
  // A learner has no part in any quorum: it is gone with this entry, joint or not.
  const retired = [...config.retired, ...namesOf(leaving)];
  const voters = votersAfter(config, { promote, remove });
  const isSame = promoted.length === 0 && voters.length === config.voters.length;
  const votersOutgoing = isSame ? [] : config.voters;
  return { voters, votersOutgoing, learners, learnersNext: config.learnersNext, retired };
}

function votersAfter(
  config: ClusterConfig,
  { promote, remove }: Pick<VoterChange, 'promote' | 'remove'>,
): Member[] {
  const staying = config.voters.filter(({ nodeId }) => !remove.includes(nodeId));
  return [...staying, ...config.learners.filter(({ nodeId }) => promote.includes(nodeId))];
}

function problemOfAddition(config: ClusterConfig, { nodeId, storeId }: Member): string | null {
  const members = [...config.voters, ...config.learners];
  if (findMember(config, nodeId) !== null) return `${nodeId} is a member already.`;
  if (config.retired.includes(nodeId)) {
    return `${nodeId} was a member and left; names are never given again: choose a new one.`;
  }
  const twin = members.find((member) => member.storeId === storeId);
  if (twin !== undefined) {
    return `${nodeId} has the data directory of ${twin.nodeId}: start it with an empty one.`;
  }
  return members.length < MEMBERS_MAX
    ? null
    : `${nodeId} would be one too many: at most ${MEMBERS_MAX} members, and there are as many.`;
}

function problemOfChange(config: ClusterConfig, { promote, remove }: VoterChange): string | null {
  const named = [...promote, ...remove];
  if (named.length === 0) return 'The change names nobody.';
  const twice = named.find((nodeId, at) => named.indexOf(nodeId) !== at);
  if (twice !== undefined) return `${twice} is named twice.`;
  const stranger = named.find((nodeId) => findMember(config, nodeId) === null);
  if (stranger !== undefined) return `${stranger} is not a member.`;
  const voter = config.voters.find(({ nodeId }) => promote.includes(nodeId));
  if (voter !== undefined) return `${voter.nodeId} is a voter already.`;
  const voters = votersAfter(config, { promote, remove });
  if (voters.length === 0) return 'No voter would be left.';
  if (voters.length > VOTERS_MAX) {
    return `There would be ${voters.length} voters; at most ${VOTERS_MAX} are possible.`;
  }
  return config.retired.length + remove.length <= RETIRED_MAX
    ? null
    : `More than ${RETIRED_MAX} nodes would have left this cluster: move to a new one.`;
}

function namesOf(members: readonly Member[]): NodeId[] {
  return members.map(({ nodeId }) => nodeId);
}
