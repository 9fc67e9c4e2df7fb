/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The lock client on this machine's clock, randomness and network.
 *
 * @module holdfast
 */

import { hostname } from 'node:os';
import { HoldfastError, describeValue } from './base/error.ts';
import { createSystemClock } from './adapters/system-clock.ts';
import { startRenewalThread } from './adapters/renewal-thread.ts';
import { createSystemRandom } from './adapters/system-random.ts';
import { createWsTransport } from './adapters/ws-transport.ts';
import { createClient } from './client/client.ts';
import type { Client } from './client/client.ts';
import { CLIENT_OPTIONS, checkKnown, checkWhole } from './client/options.ts';
import type { ClientOptions } from './client/options.ts';
import type { Logger } from './ports/logger.ts';
import { silentLogger } from './ports/logger.ts';

export { ERROR_CODES } from './base/error.ts';
export { HoldfastError };
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

const CONNECT_MS = 10_000;
const CONNECT_MS_MAX = 86_400_000;

/** What a client may be told, and how to begin. */
export interface ConnectOptions extends ClientOptions {
  /** How long to look for a leader. Default 10,000. */
  readonly connectMs?: number;
  /** Where warnings go. Default: process warnings (`process.on('warning')`, once on stderr). */
  readonly logger?: Logger;
}

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
  checkKnown(options, [...CLIENT_OPTIONS, 'connectMs', 'logger']);
  const { connectMs = CONNECT_MS, logger = warningLogger, ...rest } = options;
  checkWhole('connectMs', connectMs, [1, CONNECT_MS_MAX]);
  const ports = {
    clock: createSystemClock(),
    random: createSystemRandom(),
    transport: createWsTransport({}),
    logger,
    startThread: startRenewalThread,
  };
  const meta = { host: hostname(), pid: process.pid, ...rest.meta };
  const client = createClient(ports, { ...rest, meta });
  try {
    await client.ready(connectMs);
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

const warningLogger: Logger = {
  ...silentLogger,
  warn: (message) => process.emitWarning(message, 'HoldfastWarning'),
  error: (message) => process.emitWarning(message, 'HoldfastWarning'),
};
