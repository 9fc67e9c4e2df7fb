// Everything that a node knows for consensus (RAFT.md §3). The files beside this one are the
// sentences of the protocol; each is a set of functions over this state. Nothing here is I/O.

import type { Index, MonoUs, NodeId, StoreId, Term } from '../base/units.ts';
import type { OutputBarrier } from './barrier.ts';
import type { Budget } from './budget.ts';
import type { ClusterConfig } from './config.ts';
import type { Configurations, Identity } from './configurations.ts';
import type { RaftEffect, RaftSettings, Role, SnapshotPoint } from './events.ts';
import type { HardState } from './hard-state.ts';
import type { Loader } from './loader.ts';
import type { Log } from './log.ts';
import type { PendingWrites } from './pending-writes.ts';
import type { Progress } from './progress.ts';
import type { Rounds } from './rounds.ts';

/** Deadlines and tallies of those who do not lead. */
export interface ElectionState {
  /** When silence becomes an election. Redrawn whenever it is armed. */
  deadlineUs: MonoUs;
  /** Until then a follower refuses votes: it has heard of a leader, or has just started. */
  stickyUntilUs: MonoUs;
  /** Pre-candidate: when to ask again, as a new poll. */
  repollUs: MonoUs;
  /** Pre-candidate: the next poll gets this time, and up to as much again. */
  repollSpanUs: MonoUs;
  /** Number of the current poll; answers to others are not counted. */
  poll: number;
  /** Candidate: when it asked its disk to keep the vote for itself. */
  startedUs: MonoUs;
  /** Since it heard a leader, one whose log lacks what ours has took it for a voter. */
  isCalled: boolean;
  /** Short draws left of a fast fail-over (RAFT.md §6.1). */
  fastDraws: number;
  /** Answers of voters in this poll or election, by data directory. Cleared with each new one. */
  readonly votes: Map<StoreId, boolean>;
}

/** Leadership is being handed over: nothing is appended until that succeeds or ends. */
export interface Handover {
  readonly target: NodeId;
  /** Requests to be answered when it is decided. */
  readonly ids: number[];
  readonly deadlineUs: MonoUs;
  /** When to ask the target, once it has everything: at first now, then with each heartbeat. */
  askUs: MonoUs;
  /** It was asked, and may be a candidate by now. */
  isAsked: boolean;
}

/** What only a leader has; made new with each election. */
export interface LeaderState {
  /** One for every other member of the latest configuration, by name. */
  readonly progress: Map<NodeId, Progress>;
  /** The configuration that `progress` was made for. */
  progressConfig: ClusterConfig;
  readonly rounds: Rounds;
  readonly budget: Budget;
  /** First entry of this term: once applied, the leader may answer (RAFT.md §8.1). */
  readonly noopIndex: Index;
  isReady: boolean;
  nextHeartbeatUs: MonoUs;
  /** When followers hear of a commit of which no Append told them; Infinity when none waits. */
  commitNewsUs: MonoUs;
  /** After a stall: the round that must be confirmed before anything is admitted; else 0. */
  admitRound: number;
  /** To whom leadership is being handed over; else null. */
  handover: Handover | null;
}

/** A transfer whose pieces come in, and what an answer to it needs. */
export interface Receiving {
  readonly from: NodeId;
  readonly term: Term;
  readonly transfer: number;
  /** Of the newest piece. */
  readonly round: number;
}

/** A complete checkpoint on its way into force (snapshot-receiving.ts). */
export interface Install {
  readonly point: SnapshotPoint;
  /** Who waits for an answer; null when its term is over. */
  readonly answer: Receiving | null;
  /** The log agrees with it and stays. Valid once the effect is out. */
  keepsSuffix: boolean;
  /** The `installSnapshot` effect is out. */
  isOut: boolean;
}

/** Checkpoints that go out and come in (RAFT.md §9). */
export interface Snapshots {
  /** Leader: transfers that the host was told to begin and not yet to end, by receiver. */
  readonly sending: Map<NodeId, number>;
  /** Number of the newest transfer of this process. */
  lastTransfer: number;
  receiving: Receiving | null;
  /** Invariant: null unless we are a follower; who installs takes part in no election. */
  install: Install | null;
}

/** What was last told to the host, so that only changes are. */
export interface Reported {
  role: Role;
  term: Term;
  leaderId: NodeId | null;
  config: ClusterConfig;
  isConfigCommitted: boolean;
  isRemoved: boolean;
}

/** The state of one node. Invariant: `leader` is set exactly while role is 'leader'. */
export interface Core {
  readonly self: Identity;
  readonly settings: RaftSettings;
  /** A whole number from 0 to 2^32 - 1. */
  readonly random: () => number;
  /** The payload of an entry that carries this configuration. */
  readonly encodeConfig: (config: ClusterConfig) => Uint8Array;
  /** Time of the current step. Invariant: never goes back. */
  nowUs: MonoUs;
  /** Last tick, or the last step that noticed that ticks had failed to come. */
  lastTickUs: MonoUs;

  readonly hard: HardState;
  readonly log: Log;
  readonly writes: PendingWrites;
  readonly configurations: Configurations;
  readonly loader: Loader;
  readonly barrier: OutputBarrier;

  role: Role;
  /** Whom we follow; ourselves while leading; null during elections and after a goodbye. */
  leaderId: NodeId | null;
  /** Known to be committed. Invariant: ≤ last index, never decreases. */
  commitIndex: Index;
  /** Applied by the host. Invariant: ≤ commitIndex, never decreases. */
  appliedIndex: Index;
  /** Last entry of the `apply` effect that is out; 0 when none is. */
  applyingIndex: Index;
  readonly election: ElectionState;
  leader: LeaderState | null;
  readonly snapshots: Snapshots;
  /** A write hangs: we neither lead nor campaign until it completes (RAFT.md §6.8). */
  isStorageStuck: boolean;
  /** The newest configuration without us that a member told us of; null when none did. */
  removedAt: Index | null;
  /** The cluster goes on without us. */
  isRemoved: boolean;
  /** After a fatal effect nothing happens any more. */
  isStopped: boolean;
  readonly reported: Reported;
  /** Collected by the step in progress. */
  effects: RaftEffect[];
}

/** Ends this node for good: the only effect of its last step. */
export function stopFatally(core: Core, code: 'LOG_CONFLICT' | 'LOG_LOST', message: string): void {
  core.isStopped = true;
  core.effects = [{ type: 'fatal', code, message }];
}
