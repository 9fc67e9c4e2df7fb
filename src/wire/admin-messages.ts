// What an operator asks of the leader, and who takes part, as he and the clients are told.

import type { Index, NodeId, StoreId } from '../base/units.ts';
import type { ReplicatedLimits } from '../locks/commands.ts';

/** What an operator asks of the leader beyond locks (RAFT.md §10, §11, §15.7). */
export type AdminStep =
  /** Dials the address, appends the learner, answers when it caught up. */
  | {
      readonly step: 'addMember';
      readonly nodeId: NodeId;
      readonly address: string;
      readonly isVoter: boolean;
      readonly expectedIndex: Index | null;
    }
  | { readonly step: 'promote'; readonly nodeId: NodeId; readonly expectedIndex: Index | null }
  | { readonly step: 'removeMember'; readonly nodeId: NodeId; readonly expectedIndex: Index | null }
  /** Adds `by` as a learner, waits for it, then changes places in one joint step. */
  | {
      readonly step: 'replace';
      readonly nodeId: NodeId;
      readonly by: { readonly nodeId: NodeId; readonly address: string };
      readonly expectedIndex: Index | null;
    }
  | { readonly step: 'transfer'; readonly to: NodeId | null }
  /** Takes a checkpoint that contains everything acknowledged so far, and holds it still. */
  | { readonly step: 'backupBegin' }
  /** Rows after this key ('' at first) of the backup that `backupBegin` named. */
  | { readonly step: 'backupRows'; readonly backupId: number; readonly after: string }
  | { readonly step: 'backupEnd'; readonly backupId: number }
  /** Only while the limits in force are the expected ones: what somebody else changed stays. */
  | {
      readonly step: 'setLimits';
      readonly expected: ReplicatedLimits;
      readonly limits: ReplicatedLimits;
      readonly by: string;
    };

/** One step of administration; the answer carries its requestId. */
export interface AdminMessage {
  readonly type: 'admin';
  readonly requestId: number;
  readonly step: AdminStep;
}

/** The change that is in the way of another one. */
export interface PendingChange {
  /** In words, with the ids of the nodes that it is about. */
  readonly change: string;
  /** The log's end when it was asked for, or its own entry. */
  readonly sinceIndex: Index;
}

/** A member as the leader knows it. */
export interface MemberView {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly address: string;
  /** leaving: a voter of the outgoing half only. */
  readonly role: 'voter' | 'learner' | 'joining' | 'leaving';
  readonly isConnected: boolean;
  readonly isCaughtUp: boolean;
  readonly matchIndex: Index;
}

/** Who takes part. */
export interface MembershipView {
  readonly configIndex: Index;
  readonly isCommitted: boolean;
  readonly isJoint: boolean;
  readonly members: readonly MemberView[];
  /** Names that left, and are never given again. */
  readonly retired: readonly NodeId[];
}

/** Pushed after the welcome and on every change: where the nodes are; the highest index wins. */
export interface MembersNews {
  readonly type: 'members';
  readonly configIndex: Index;
  readonly members: readonly { readonly nodeId: NodeId; readonly address: string }[];
}
