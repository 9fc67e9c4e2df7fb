import type { Client } from '../../src/client/client.ts';
import type { Grant } from '../../src/client/grant.ts';
import { FakeWorld } from './fake-world.ts';

/** A lock that is held, by whom, and where. */
export interface Held {
  readonly world: FakeWorld;
  readonly client: Client;
  readonly grant: Grant;
}

/** A client that holds the lock "a". */
export async function held(
  options: { ttlMs?: number | null; marginMs?: number } = {},
): Promise<Held> {
  const world = new FakeWorld();
  const client = world.client(options);
  const grant = await world.settle(client.lock('a').acquire());
  return { world, client, grant };
}
