// What reaches the nodes of this process without a socket.

import { throughMemoryDoors } from '../adapters/memory-door.ts';
import type { MemoryDoor } from '../adapters/memory-door.ts';
import { connectOver } from '../adapters/system-client.ts';
import type { ConnectOptions } from '../adapters/system-client.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { createWsTransport } from '../adapters/ws-transport.ts';
import type { Client } from '../client/client.ts';
import { foundCluster } from '../client/founding.ts';
import type { Transport } from '../ports/transport.ts';
import type { NodeConfig } from './config.ts';

/** The doors of the nodes of this process, by address. */
export type Doors = ReadonlyMap<string, MemoryDoor>;

/** How long a founding waits for each node unless told otherwise. */
export const PATIENCE_MS = 30_000;

/** Like `connect`; takes the doors of this process where there are some. */
export function connectWithin(doors: Doors, options: ConnectOptions): Promise<Client> {
  return connectOver(() => transportOver(doors), options);
}

/** Founds the configured cluster, or does nothing where it is founded. Rejects: foundCluster. */
export async function foundWithin(
  config: NodeConfig,
  doors: Doors,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const { name: clusterName, nodes, sessionLimits: limits } = config;
  const ports = { clock: createSystemClock(), transport: transportOver(doors) };
  try {
    await foundCluster(ports, { clusterName, nodes, limits, origin: null, patienceMs });
  } finally {
    await new Promise<void>((done) => ports.transport.close(done));
  }
}

function transportOver(doors: Doors): Transport {
  return throughMemoryDoors(createWsTransport({}), (address) => doors.get(address) ?? null);
}
