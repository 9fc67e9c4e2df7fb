// The way from a client to a node of the same process, without a socket.

import type { DialFailure, Link, Transport } from '../ports/transport.ts';
import { linkPair } from './memory-link.ts';
import type { MemoryLimits, MemoryLink } from './memory-link.ts';
import { clearImmediate, setImmediate } from './real-timers.ts';
import { DEFAULT_WS_LIMITS } from './ws-link.ts';
import type { WsLimits } from './ws-link.ts';
import type { WsTransport } from './ws-transport.ts';

type DoorLimits = MemoryLimits & Pick<WsLimits, 'clientLinksMax'>;

/** How the two ends are called in logs. */
const REMOTES = ['a client in this process', 'a node in this process'] as const;

/**
 * The door for clients of one node, for dials from its own process. It outlives the node's starts
 * and stops: while it is shut, dials are refused as by a port at which nobody listens.
 */
export class MemoryDoor {
  private readonly limits: DoorLimits;
  private onLink: ((link: Link) => void) | null = null;
  /** The node's ends; at most clientLinksMax. */
  private readonly links = new Set<MemoryLink>();

  constructor(limits: Partial<DoorLimits> = {}) {
    this.limits = { ...DEFAULT_WS_LIMITS, ...limits };
  }

  /** How many clients of this process are linked. */
  get linkCount(): number {
    return this.links.size;
  }

  /** Lets clients in from now on. */
  open(onLink: (link: Link) => void): void {
    this.onLink = onLink;
  }

  /** `done` is called once in a later turn, unless the dial is cancelled before. */
  dial(done: (result: MemoryLink | DialFailure) => void): { cancel(): void } {
    const turn = setImmediate(() => {
      const { onLink, limits } = this;
      if (onLink === null) return done('refused');
      if (this.links.size >= limits.clientLinksMax) return done('failed');
      const [dialled, accepted] = linkPair(limits, REMOTES);
      this.links.add(accepted);
      accepted.onGone = () => this.links.delete(accepted);
      onLink(accepted);
      done(dialled);
    });
    return { cancel: () => clearImmediate(turn) };
  }

  /** Lets nobody in any more, and ends every link with a word. */
  close(): void {
    this.onLink = null;
    for (const link of [...this.links]) link.goAway();
  }

  /** Lets nobody in any more, and drops every link like a process that is killed. */
  destroy(): void {
    this.onLink = null;
    for (const link of [...this.links]) link.destroy();
  }
}

/** A node's transport that clients of the same process reach through a door as well. */
export function withMemoryDoor(transport: WsTransport, door: MemoryDoor): WsTransport {
  return {
    listen: (onLink, done) => {
      transport.listen(onLink, (error) => {
        if (error === null) door.open((link) => onLink(link, 'client'));
        done(error);
      });
    },
    dial: (...args) => transport.dial(...args),
    close: (done) => {
      door.close();
      transport.close(done);
    },
    destroy: (done) => {
      door.destroy();
      transport.destroy(done);
    },
    address: () => transport.address(),
    counts: () => transport.counts(),
  };
}

/** A client's transport that takes the doors of this process where there are some. */
export function throughMemoryDoors(
  transport: Transport,
  doorAt: (address: string) => MemoryDoor | null,
): Transport {
  const links = new Set<MemoryLink>();
  return {
    listen: (onLink, done) => transport.listen(onLink, done),
    dial: (address, door, done) => {
      const own = door === 'client' ? doorAt(address) : null;
      if (own === null) return transport.dial(address, door, done);
      return own.dial((result) => {
        if (typeof result !== 'string') {
          links.add(result);
          result.onGone = () => links.delete(result);
        }
        done(result);
      });
    },
    close: (done) => {
      for (const link of [...links]) link.goAway();
      transport.close(done);
    },
  };
}
