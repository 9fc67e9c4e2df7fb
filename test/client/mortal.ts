import { createClient } from '../../src/client/client.ts';
import type { Client } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { Link, Transport } from '../../src/ports/transport.ts';
import { ADDRESSES } from './fake-cluster.ts';
import type { FakeWorld } from './fake-world.ts';

/** A client whose process may die without a word. */
export interface Mortal {
  readonly client: Client;
  die(): void;
}

export function mortalClient(world: FakeWorld, options: Partial<ClientOptions> = {}): Mortal {
  const links: Link[] = [];
  let isDead = false;
  const transport: Transport = {
    listen: () => {},
    close: (done) => world.clock.soon(done),
    dial: (address, door, done) =>
      world.network.dial(address, door, (result) => {
        if (typeof result === 'string') return isDead ? undefined : done(result);
        if (isDead) return result.close('dead');
        links.push(result);
        return done(result);
      }),
  };
  const { clock } = world;
  const random = { u32: () => 0x9e3779b9 };
  const ports = { clock, transport, random, logger: silentLogger };
  return {
    client: createClient(ports, { nodes: ADDRESSES, ttlMs: 15_000, ...options }),
    die: () => {
      isDead = true;
      for (const link of links) link.close('dead');
    },
  };
}
