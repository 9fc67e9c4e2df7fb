// What the replica host offers to whoever carries requests to it: the ws endpoint, HTTP, an
// embedding program, the simulator. Call-backs only; none runs inside the call that asked.

import type { ErrorCode } from '../base/error.ts';
import type { Index, NodeId, Revision, SessionId } from '../base/units.ts';
import type { Applied, Outcome } from '../locks/outcomes.ts';
import type { Command, ReplicatedLimits } from '../locks/commands.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import type { Entry } from '../raft/entry.ts';
import type { RaftEffect, RaftEvent, RaftSettings, RaftStart } from '../raft/events.ts';
import type { Core } from '../raft/state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import type { KeyValue, SlotFile } from '../ports/storage.ts';
import type { Transport } from '../ports/transport.ts';
import type {
  AdminStep,
  FoundingStep,
  KeepAliveResult,
  NodeStatus,
  Query,
  QueryResult,
  Refused,
  SessionNews,
  WatchEvent,
  WatchTarget,
} from '../wire/client-messages.ts';
import type { CommandRequest } from '../wire/payloads.ts';
import type { CheckpointSettings } from './checkpoint-settings.ts';
import type { ScrubSettings } from './scrub.ts';
import type { WatchLogLimits } from './watch-log.ts';

/** All that a host reaches the world through. */
export interface HostPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly keyValue: KeyValue;
  readonly slots: readonly [SlotFile, SlotFile];
  readonly logger: Logger;
  /** The simulator judges through it, a server counts. */
  readonly watch?: HostWatch;
}

/**
 * Looks over the shoulder of one life of a node. It must change nothing, and must not throw: what
 * it finds is for whoever watches.
 */
export interface HostWatch {
  /** A replica begins with what recovery read. */
  started(core: Core, start: RaftStart, machine: LockMachine): void;
  /** One step of the core is done; its effects are about to be carried out, in this order. */
  stepped(event: RaftEvent, effects: readonly RaftEffect[]): void;
  /** The entry is in the machine. `command` is null for one that is none, or cannot be read. */
  applied(entry: Entry, command: Command | null, applied: Applied | null): void;
  /** A checkpoint from another node took the place of the state; the old machine is no more. */
  installed(machine: LockMachine, appliedIndex: Index): void;
  /** A request did not come to the log, or left it with a fate that nobody here knows. */
  refused?(code: HostReply['outcome']['code']): void;
  /** A renewal was answered. */
  keptAlive?(code: KeepAliveResult['code']): void;
}

/** Limits of replication that may be set, for tests that need small ones (RAFT.md §0). */
export type ReplicationLimits = Omit<RaftSettings, 'heartbeatUs' | 'electionUs'>;

/** Everything a node is told; from cluster.config.json in production. */
export interface HostSettings {
  readonly nodeId: NodeId;
  readonly clusterName: string;
  /** The file's nodes: who to dial until the log says otherwise. */
  readonly nodes: readonly { readonly id: NodeId; readonly address: string }[];
  readonly heartbeatMs: number;
  readonly electionMs: number;
  /** Limits for a cluster founded here. */
  readonly limits: ReplicatedLimits;
  /** Below this many free bytes the leader answers OVERLOADED. */
  readonly reserveBytes: number;
  /** Undecided commands of one client link, then the link is paused. */
  readonly linkCommandsMax: number;
  readonly linkBytesMax: number;
  /** Overrides of the values of RAFT.md §0. */
  readonly replication?: Partial<ReplicationLimits>;
  /** How much of the past is kept for watchers who come back, for tests that need little. */
  readonly watchLog?: WatchLogLimits;
  /** When checkpoints are taken and how much of the log is kept, for tests that need little. */
  readonly checkpoints?: Partial<CheckpointSettings>;
  /** How fast the disk is read for damage. */
  readonly scrub?: ScrubSettings;
  /** Newest set of commands that this node uses and announces; for tests of upgrades. */
  readonly commandSet?: number;
  /** For display in status. */
  readonly pid: number;
  readonly version: string;
}

/** Why a host ended by itself; a stop that was asked for has code 0. */
export interface HostExit {
  readonly exitCode: number;
  readonly message: string;
}

/** A command's fate; `revision` is the applied index that it reflects, 0 when refused. */
export interface HostReply {
  readonly revision: Revision;
  readonly outcome: Outcome | Refused;
}

/** A query's result as of `revision`. */
export interface HostAnswer {
  readonly revision: Revision;
  readonly result: QueryResult;
}

/** Hears the events of some locks. Never called from within `watch`. */
export interface WatchListener {
  /** Once, before all events; `isComplete` as in WatchingMessage. */
  onStart(revision: Revision, isComplete: boolean): void;
  /** All of one entry, in the order of the log, without a gap. None: nothing up to there. */
  onEvents(revision: Revision, events: readonly WatchEvent[]): void;
  /** The last call: this node does not lead (any more), or cannot serve it. */
  onOver(code: ErrorCode, message: string): void;
}

export interface Host {
  /** Called once if the host ends by itself; the process should exit with that code. */
  onExit: (exit: HostExit) => void;
  /** Opens the directory, listens, joins. `done(null)` when it takes part, or is blank. */
  start(done: (exit: HostExit | null) => void): void;
  /**
   * A leader lets another node lead first, if one takes over within electionMs and `transfer` is
   * not false. Then: steps down with a goodbye, closes links and stores.
   */
  stop(done: () => void, options?: { readonly transfer?: boolean }): void;
  status(): NodeStatus;
  /** Called with every change of role, leader or readiness. Returns the way to stop that. */
  onLeaderChange(listener: () => void): () => void;
  /**
   * Answers when applied, or with a refusal. The bytes of the body are copied in a later turn, and
   * only once: nobody may change them before `done` is called.
   */
  execute(request: CommandRequest, done: (reply: HostReply) => void): void;
  keepAlive(session: SessionId, done: (result: KeepAliveResult) => void): void;
  /** Linearizable, except `status`. */
  query(query: Query, done: (answer: HostAnswer) => void): void;
  founding(step: FoundingStep, done: (answer: HostAnswer) => void): void;
  /** An operator's wish; answered when it is done, or why it cannot be. Leader only. */
  admin(step: AdminStep, done: (answer: HostAnswer) => void): void;
  /** Called when another configuration is in force. Returns the way to stop that. */
  onMembersChange(listener: () => void): () => void;
  /** The caller of a waiting acquire vanished: removes the waiter, never a grant. Leader only. */
  withdraw(session: SessionId, acquireSeq: number): void;
  /** While a request of this session is open here, its lease is renewed by this node (HTTP). */
  holdOpen(session: SessionId): () => void;
  /** Events of locks, while this node leads; see WatchListener. Returns the way to stop. */
  watch(target: WatchTarget, after: Revision | null, listener: WatchListener): () => void;
  /** News of one session, as pushed to client links. Returns the way to stop. */
  follow(session: SessionId, listener: (news: SessionNews, revision: Revision) => void): () => void;
}
