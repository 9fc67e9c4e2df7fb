import { hostname, userInfo } from 'node:os';
import { connect } from '../index.ts';
import type { Client } from '../index.ts';
import { resolveAddresses } from './addresses.ts';
import type { ClusterOptions } from './program.ts';

/** How long a question is tried while no node answers: several fail-overs. */
const REQUEST_MS = 5_000;

/** A client of the cluster that the options, the environment or a file name. */
export function openClient(options: ClusterOptions, ttlMs?: number): Promise<Client> {
  return connect({
    nodes: resolveAddresses(options, process.env),
    name: userName(),
    meta: { host: hostname(), pid: process.pid },
    requestMs: REQUEST_MS,
    ...(ttlMs === undefined ? {} : { ttlMs }),
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

/** Who calls, for others to see. A user without an entry in the system's list has no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}
