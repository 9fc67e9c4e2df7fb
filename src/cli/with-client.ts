import { userInfo } from 'node:os';
import { connect } from '../index.ts';
import type { Client } from '../index.ts';
import { silentLogger } from '../ports/logger.ts';
import type { Logger } from '../ports/logger.ts';
import { resolveAddresses } from './addresses.ts';
import { note } from './output.ts';
import type { ClusterOptions } from './program.ts';

/** How long a question is tried while no node answers: several fail-overs. */
export const REQUEST_MS = 5_000;

export interface Patience {
  readonly ttlMs?: number | null;
  /** How long to look for a leader. Default 5,000. */
  readonly connectMs?: number;
}

/** A client of the cluster that the options, the environment or a file name. */
export async function openClient(
  options: ClusterOptions,
  patience: Patience = {},
): Promise<Client> {
  return connect({
    nodes: await resolveAddresses(options, process.env),
    name: userName(),
    connectMs: REQUEST_MS,
    requestMs: REQUEST_MS,
    logger: noteLogger,
    ...patience,
  });
}

/** Runs `work` with a client and closes it afterwards. */
export async function withClient<T>(
  options: ClusterOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await openClient(options);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Warnings of the client as notes; process warnings would open process.stderr. */
export const noteLogger: Logger = { ...silentLogger, warn: note, error: note };

/** Who runs this program; a user without an entry in the system's list has no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}
