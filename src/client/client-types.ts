// The lock client as its users see it.

import type { Index, Revision, SessionId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Random } from '../ports/random.ts';
import type { Transport } from '../ports/transport.ts';
import type { NodeStatus } from '../wire/client-messages.ts';
import type { Grant } from './grant.ts';
import type { Election } from './election.ts';
import type { LockInfo } from './holder.ts';
import type { LockItem } from './items.ts';
import type { NodeView } from './links.ts';
import type { Lock } from './lock.ts';
import type { BreakOptions, ListOptions, LockPage, SessionInfo, SessionPage } from './queries.ts';
import type { Semaphore } from './semaphore.ts';
import type { StartRenewalThread } from './thread-messages.ts';
import type { LockWatch, WatchOptions } from './watch.ts';

/** What a client needs of its process. */
export interface ClientPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  readonly logger: Logger;
  /** Without it leases are renewed from the loop, whatever the options say. */
  readonly startThread?: StartRenewalThread;
  /** For onlookers: each handle of a grant as it is made, before the caller has it. */
  readonly onGrant?: (grant: Grant) => void;
}

/** The present session; another one after a loss. */
export interface ClientSession {
  /** null until the first acquire has opened it. */
  readonly id: SessionId | null;
  /** Aborts when it is over or about to be, with a HoldfastError as its reason. */
  readonly signal: AbortSignal;
  /** How long it is believed without another renewal; 0 when not open, Infinity without TTL. */
  remainingMs(): number;
  /**
   * A text with which the next life of this process goes on with the session (ClientOptions.resume)
   * if it begins before the session has expired. It stays valid for as long as the session lives;
   * `close` ends the session. Throws SESSION_GONE before the first acquire, the loss after a loss.
   *
   * Does not mix with Grant.handOver: the cluster does not know that a grant was handed over, so
   * the next life is offered those grants too, and would believe in them beside their taker.
   */
  save(): string;
}

/** How to end. */
export interface CloseOptions {
  /**
   * How long to let present holders finish; renewals go on. Default 0: they lose their locks. A
   * further close may shorten it.
   */
  readonly drainMs?: number;
}

/** A connection with a cluster; made by `connect` or createClient. */
export interface Client {
  /** 128 bits in hex; null until a node told. */
  readonly clusterId: string | null;
  /** The present session. */
  readonly session: ClientSession;
  /** Resolves when a leader is known and linked; rejects with UNAVAILABLE after `connectMs`. */
  ready(connectMs: number): Promise<void>;
  /** Throws INVALID for what cannot be a name. Asks nobody yet. */
  lock(name: string): Lock;
  /**
   * 1 to 64 locks and semaphores, granted together in one request or not at all; one token for all.
   * Throws INVALID like lock.
   */
  lockAll(items: readonly LockItem[]): Lock;
  /**
   * A lock that `total` holders of one permit each may have at once; 1 to 1,000,000. Throws
   * INVALID for what cannot be a name or a total. Asks nobody yet.
   */
  semaphore(name: string, total: number): Semaphore;
  /** Throws INVALID for what cannot be a name. Asks nobody yet. */
  election(name: string): Election;
  /**
   * Tells from now on what happens to one lock, to those of a prefix, or to all. Throws INVALID,
   * and OVERLOADED beyond 1,000 open watches and observed elections.
   */
  watch(options: WatchOptions): LockWatch;
  /** Reads below are linearizable; each rejects with UNAVAILABLE after requestMs. */
  inspect(name: string): Promise<
    LockInfo & {
      /** The state of the cluster that this shows: everything up to this position of the log. */
      readonly revision: Revision;
    }
  >;
  /** Locks that are held or waited for, in byte order. */
  list(options?: ListOptions): Promise<LockPage>;
  /** null for a session that is over or never was. */
  inspectSession(session: SessionId): Promise<SessionInfo | null>;
  /** Sessions with an index above `after` (default 0), oldest first; 1,000 unless limited. */
  listSessions(options?: { after?: Index; limit?: number }): Promise<SessionPage>;
  /** Frees a lock by force. Rejects with NOT_HOLDER when nobody holds it with this token. */
  break(name: string, options: BreakOptions): Promise<void>;
  /**
   * Ends a session by force, and with it all that it holds. Rejects with SESSION_GONE when it is
   * over.
   */
  endSession(session: SessionId, options: { reason: string; by?: string }): Promise<void>;
  /** What is held now, one handle of each: also what a resumed session had. */
  grants(): readonly Grant[];
  /**
   * Takes over what another process handed over (Grant.handOver). Resolves once the cluster has
   * confirmed that the session lives and has the grant. Rejects with INVALID for any other text,
   * CLUSTER_CHANGED, SESSION_GONE, NOT_HOLDER (the grant is over), UNAVAILABLE after requestMs,
   * CLOSED, or the reason of the loss when the session is lost meanwhile. The grant is identified
   * by the text alone, never by a connection.
   *
   * The text is good for one taker at a time, and not beside a resume of the giver's session: the
   * cluster cannot tell them apart. This client renews the giver's session and never ends it: one
   * without TTL that its giver has left stays, empty or not, until an operator ends it.
   */
  takeOver(text: string): Promise<Grant>;
  /** The nodes of the cluster as this client sees them. */
  nodes(): readonly NodeView[];
  /** What the node at this address says of itself; it needs no leader. */
  statusOf(address: string): Promise<NodeStatus>;
  /**
   * Ends the session, and with it all that is held; waiting acquires reject with CLOSED. Takes at
   * most drainMs and two seconds, leaves nothing running, and rejects for a wrong option only.
   */
  close(options?: CloseOptions): Promise<void>;
  /** Closes with the defaults of close. */
  [Symbol.asyncDispose](): Promise<void>;
}
