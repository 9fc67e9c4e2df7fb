/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The lock client on this machine's clock, randomness and network.
 *
 * @module holdfast
 */

import { HoldfastError, describeValue } from './base/error.ts';
import { connectOver } from './adapters/system-client.ts';
import type { ConnectOptions } from './adapters/system-client.ts';
import { createWsTransport } from './adapters/ws-transport.ts';
import type { Client } from './client/client.ts';

export { ERROR_CODES } from './base/error.ts';
export { HoldfastError };
export type { ConnectOptions };
export type {
  ErrorCode,
  ErrorCodeInfo,
  ErrorDetails,
  HoldfastErrorOptions,
  RequestOutcome,
} from './base/error.ts';
export type { Index, Revision, SessionId, Term, Token } from './base/units.ts';
export type { Client, ClientSession, CloseOptions } from './client/client.ts';
export type { CampaignOptions, Election, ElectionView, Leader } from './client/election.ts';
export type { Grant, GrantFacts } from './client/grant.ts';
export type { GhostInfo, HolderInfo, LockInfo } from './client/holder.ts';
export type { LockItem } from './client/items.ts';
export type { Leadership } from './client/leadership.ts';
export type { LinkState } from './client/link.ts';
export type { NodeView } from './client/links.ts';
export type { AcquireOptions, Body as LockBody, Lock } from './client/lock.ts';
export type { ClientOptions, KeepAlive, Meta } from './client/options.ts';
export type {
  BreakOptions,
  ListOptions,
  LockPage,
  SessionInfo,
  SessionPage,
  SessionSummary,
} from './client/queries.ts';
export type { Semaphore, SemaphoreOptions } from './client/semaphore.ts';
export type { LockWatch, WatchNotice, WatchOptions } from './client/watch.ts';
export type { LockMode } from './locks/commands.ts';
export type { SessionView, WaiterView } from './locks/outcomes.ts';
export type { Logger } from './ports/logger.ts';
export type { Role } from './raft/events.ts';
export type { NodeStatus, WatchEvent, WatchEventType } from './wire/client-messages.ts';

/**
 * Connects to a cluster: resolves once a leader is found. Rejects with INVALID for a wrong option
 * before any input or output, with UNAVAILABLE, naming what was tried, after `connectMs`, and with
 * CLUSTER_CHANGED when the nodes belong to different clusters.
 */
export async function connect(options: ConnectOptions): Promise<Client> {
  // Callers without types may leave it out.
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    const text = `connect expects options such as { nodes: ['host:port'] }`;
    throw new HoldfastError('INVALID', `${text}; got ${describeValue(given)}`);
  }
  return connectOver(() => createWsTransport({}), options);
}
