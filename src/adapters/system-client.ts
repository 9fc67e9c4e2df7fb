// The lock client on this machine's clock, randomness and network.

import { hostname } from 'node:os';
import { createClient } from '../client/client.ts';
import type { Client } from '../client/client.ts';
import { CLIENT_OPTIONS, checkKnown, checkWhole } from '../client/options.ts';
import type { ClientOptions } from '../client/options.ts';
import type { Logger } from '../ports/logger.ts';
import { silentLogger } from '../ports/logger.ts';
import type { Transport } from '../ports/transport.ts';
import { startRenewalThread } from './renewal-thread.ts';
import { createSystemClock } from './system-clock.ts';
import { createSystemRandom } from './system-random.ts';

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
 * A client over a transport of its own, which it closes. Rejects like `connect`; the transport is
 * made only when the options are right.
 */
export async function connectOver(
  makeTransport: () => Transport,
  options: ConnectOptions,
): Promise<Client> {
  checkKnown(options, [...CLIENT_OPTIONS, 'connectMs', 'logger']);
  const { connectMs = CONNECT_MS, logger = warningLogger, ...rest } = options;
  checkWhole('connectMs', connectMs, [1, CONNECT_MS_MAX]);
  const ports = {
    clock: createSystemClock(),
    random: createSystemRandom(),
    transport: makeTransport(),
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
