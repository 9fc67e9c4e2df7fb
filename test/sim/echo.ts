// A pair of small programs for the tests of the world itself.

import type { Link } from '../../src/ports/transport.ts';
import type { ProcessHandle, World } from '../../sim/world/world.ts';

export const utf8 = new TextEncoder();
export const text = new TextDecoder();

export interface EchoServer {
  readonly received: string[];
  readonly closed: string[];
  readonly links: Link[];
}

/** Sends every frame back. */
export function echoServer(world: World, name = 'server'): ProcessHandle<EchoServer> {
  return world.process<EchoServer>({
    name,
    isSync: true,
    start: ({ transport }) => {
      const server: EchoServer = { received: [], closed: [], links: [] };
      transport.listen(
        (link) => {
          server.links.push(link);
          link.onFrame = (frame) => {
            server.received.push(text.decode(frame));
            link.send(frame);
          };
          link.onClose = (reason) => server.closed.push(reason);
        },
        () => {},
      );
      return server;
    },
  });
}

export interface EchoClient {
  readonly received: string[];
  readonly closed: string[];
  readonly dials: string[];
  link: Link | null;
}

/** Dials once and sends `frames` numbered frames, one every `everyUs`. */
export function echoClient(
  world: World,
  { name = 'client', address = 'server:1', frames = 0, everyUs = 1_000 } = {},
): ProcessHandle<EchoClient> {
  return world.process<EchoClient>({
    name,
    isSync: true,
    start: ({ transport, clock }) => {
      const client: EchoClient = { received: [], closed: [], dials: [], link: null };
      const sendNext = (number: number): void => {
        if (number > frames) return;
        client.link?.send(utf8.encode(`${number}`));
        clock.after(everyUs, () => sendNext(number + 1));
      };
      transport.dial(address, 'client', (result) => {
        client.dials.push(typeof result === 'string' ? result : 'open');
        if (typeof result === 'string') return;
        client.link = result;
        result.onFrame = (frame) => client.received.push(text.decode(frame));
        result.onClose = (reason) => client.closed.push(reason);
        sendNext(1);
      });
      return client;
    },
  });
}

/** The texts '1' to `${count}`. */
export function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${at + 1}`);
}

/** The program of a process that must be alive. */
export function running<T>(handle: ProcessHandle<T>): T {
  if (handle.program === null) throw new Error(`${handle.name} does not run`);
  return handle.program;
}
