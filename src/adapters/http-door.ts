// Where a node's HTTP requests and upgrades come from: a server of its own, or one that the program
// around it has for itself and keeps.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { Duplex } from 'node:stream';
import { HoldfastError } from '../base/error.ts';
import { formatAddress, requireAddress } from './address.ts';
import { setImmediate } from './real-timers.ts';

/** A connection that is to become a link. */
export interface UpgradeAttempt {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** See the head of this file. Opened once, closed once. */
export interface HttpDoor {
  /** Who answers requests; told before `open`. */
  answerWith(listener: RequestListener): void;
  /** `done` gets null, or why nothing can come in (port in use: which). */
  open(onUpgrade: (attempt: UpgradeAttempt) => void, done: (error: Error | null) => void): void;
  /** `host:port` with the real port; null before anybody listens. */
  address(): string | null;
  /** Lets nothing new in; `done` when all requests are answered and no connection is left. */
  close(done: () => void): void;
  /** Ends what `close` would wait for. */
  cut(): void;
}

/** A server that the node has for itself: it listens, and is closed with it. Port 0: any. */
export function createOwnDoor(server: Server, address: string): HttpDoor {
  let bound: string | null = null;
  return {
    answerWith: (listener) => void server.on('request', listener),
    open: (onUpgrade, done) => {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        onUpgrade({ request, socket, head });
      });
      const fail = (error: Error): void => done(listenError(error, address));
      server.once('error', fail);
      server.listen(requireAddress(address), () => {
        server.off('error', fail);
        server.on('error', ignore); // out of descriptors: the next accept may succeed
        bound = addressOf(server);
        done(null);
      });
    },
    address: () => bound,
    close: (done) => {
      if (server.listening) server.close(() => done());
      else setImmediate(done);
    },
    cut: () => server.closeAllConnections(),
  };
}

/**
 * The server of the program around the node, which listens and closes when that program says so.
 * `isOurs` tells by the path what the node takes; all the rest goes on to the program as if the
 * node were not there, whenever the program adds its listeners.
 */
export function createGuestDoor(server: Server, isOurs: (path: string) => boolean): HttpDoor {
  return new GuestDoor(server, isOurs);
}

/** Marks a server that has a guest; the same in every copy of this package. */
const GUEST = Symbol.for('holdfast.guest');

// Listeners cannot keep an event from one another, and a program's own would answer our requests
// with 404 (and ws's would end our upgrades). So we stand before them all, at `emit`.
class GuestDoor implements HttpDoor {
  private readonly server: Server;
  private readonly isOurs: (path: string) => boolean;
  private listener: RequestListener = ignore;
  private onUpgrade: (attempt: UpgradeAttempt) => void = ignore;
  private isOpen = false;
  /** Bounded by the connections that the program's server accepts. */
  private readonly underWay = new Set<ServerResponse>();
  private onIdle: () => void = ignore;
  private restore: () => void = ignore;

  constructor(server: Server, isOurs: (path: string) => boolean) {
    this.server = server;
    this.isOurs = isOurs;
  }

  answerWith(listener: RequestListener): void {
    this.listener = listener;
  }

  open(onUpgrade: (attempt: UpgradeAttempt) => void, done: (error: Error | null) => void): void {
    const { server } = this;
    if (Object.hasOwn(server, GUEST)) {
      const text = 'another node is reached through this server; give each one a server of its own';
      setImmediate(done, new HoldfastError('CONFIG', text));
      return;
    }
    Object.defineProperty(server, GUEST, { value: true, configurable: true });
    this.onUpgrade = onUpgrade;
    this.isOpen = true;
    this.standBefore();
    // Without any such listener Node takes a request to upgrade for an ordinary one.
    server.on('upgrade', this.refuseStranger);
    setImmediate(done, null);
  }

  address(): string | null {
    return addressOf(this.server);
  }

  close(done: () => void): void {
    if (this.isOpen) {
      this.isOpen = false;
      this.restore();
      this.server.off('upgrade', this.refuseStranger);
      Reflect.deleteProperty(this.server, GUEST);
    }
    if (this.underWay.size === 0) setImmediate(done);
    else this.onIdle = done;
  }

  cut(): void {
    for (const response of this.underWay) response.destroy();
  }

  private standBefore(): void {
    const { server } = this;
    const { emit } = server;
    const hadOwn = Object.hasOwn(server, 'emit');
    const value = (...args: unknown[]): unknown =>
      (this.isOpen && this.takes(args)) || Reflect.apply(emit, server, args);
    const put = (it: unknown): void => {
      Object.defineProperty(server, 'emit', { value: it, configurable: true, writable: true });
    };
    put(value);
    this.restore = () => {
      // Somebody may stand before us in turn: then we only let everything pass.
      if (!Object.is(server.emit, value)) return;
      if (hadOwn) put(emit);
      else Reflect.deleteProperty(server, 'emit');
    };
  }

  private takes([event, request, second, head]: readonly unknown[]): boolean {
    if (!(request instanceof IncomingMessage) || !this.isOurs(pathOf(request))) return false;
    if (event === 'upgrade' && second instanceof Duplex && Buffer.isBuffer(head)) {
      this.onUpgrade({ request, socket: second, head });
      return true;
    }
    if (event !== 'request' && event !== 'checkContinue') return false;
    if (!(second instanceof ServerResponse)) return false;
    if (event === 'checkContinue') second.writeContinue();
    this.underWay.add(second);
    second.once('close', () => this.isOver(second));
    this.listener(request, second);
    return true;
  }

  private isOver(response: ServerResponse): void {
    this.underWay.delete(response);
    if (this.underWay.size > 0) return;
    const { onIdle } = this;
    this.onIdle = ignore;
    onIdle();
  }

  /** The program asked for no upgrades at all, so nobody else would ever answer this one. */
  private readonly refuseStranger = (_: IncomingMessage, socket: Duplex): void => {
    if (this.server.listenerCount('upgrade') > 1) return;
    socket.on('error', ignore);
    socket.once('finish', () => socket.destroy());
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  };
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}

function addressOf(server: Server): string | null {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return null;
  return formatAddress({ host: bound.address, port: bound.port });
}

function listenError(error: Error, address: string): Error {
  if ('code' in error && error.code === 'EADDRINUSE') {
    const remedy = 'stop it, or give this node another address';
    const text = `somebody listens on ${address} already; ${remedy}`;
    return new HoldfastError('PORT_IN_USE', text, { cause: error, details: { address } });
  }
  const text = `cannot listen on ${address}: ${error.message}`;
  return new HoldfastError('CONFIG', text, { cause: error, details: { address } });
}

function ignore(): void {}
