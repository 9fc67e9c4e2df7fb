// What an operator may ask of the membership and of leadership, and why it may be refused
// (RAFT.md §10.3, §11).

import type { NodeId } from '../base/units.ts';
import type { Member } from './config.ts';

/**
 * One change. Voters change through a joint configuration, whatever the number of those that come
 * and go; learners come and go by a single entry.
 */
export type MembershipChange =
  | { readonly type: 'addLearner'; readonly member: Member }
  /** Learners that become voters, and voters or learners that leave, in one step. */
  | {
      readonly type: 'change';
      readonly promote: readonly NodeId[];
      readonly remove: readonly NodeId[];
    };

/** Why nothing was appended. */
export interface MembershipRefusal {
  /**
   * NOT_LEADER: ask the leader. PENDING: another change, or a transfer, is not finished, or this
   * leader has not committed an entry of its term yet. CONFLICT: the configuration is not the
   * expected one. NOT_CAUGHT_UP: a learner does not keep up yet, or so few of the voters to be
   * answer that they could not decide anything. INVALID: never possible.
   */
  readonly code: 'NOT_LEADER' | 'PENDING' | 'CONFLICT' | 'NOT_CAUGHT_UP' | 'INVALID';
  readonly message: string;
}

/** Why leadership was not handed over. */
export interface TransferRefusal {
  /** NOT_LEADER: we do not lead. INVALID: that node cannot. TIMEOUT: it did not within E. */
  readonly code: 'NOT_LEADER' | 'INVALID' | 'TIMEOUT' | 'REPLACED';
  readonly message: string;
}
