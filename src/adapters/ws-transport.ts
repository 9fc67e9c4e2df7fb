// The Transport port over WebSockets. A node shares its port between HTTP and two doors,
// /v1/peer and /v1/link; a client only dials. No frame is compressed: perMessageDeflate costs
// more than loopback and data-centre networks do, and keeps memory per link.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { HoldfastError } from '../base/error.ts';
import type { DialFailure, Door, Link, Transport } from '../ports/transport.ts';
import { formatAddress } from './address.ts';
import type { HttpDoor, UpgradeAttempt } from './http-door.ts';
import {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} from './real-timers.ts';
import { dialWebSocket } from './ws-dial.ts';
import { DEFAULT_WS_LIMITS, WsLink } from './ws-link.ts';
import type { LinkEnds, WsLimits } from './ws-link.ts';

export { DEFAULT_WS_LIMITS };
export type { WsLimits };

/** Where a node accepts links. */
export interface WsListen {
  /** Opened and closed with the transport. Who answers its requests is its owner's business. */
  readonly door: HttpDoor;
  /** Web origins that may open links; a request without Origin is no browser and may. */
  readonly allowedOrigins: readonly string[];
}

/** A transport that listens too, or only dials. */
export interface WsTransportOptions {
  /** Left out by a process that only dials. */
  readonly listen?: WsListen;
  readonly limits?: Partial<WsLimits>;
}

/** Counts for status and metrics. */
export interface WsTransportCounts {
  readonly peerLinks: number;
  readonly clientLinks: number;
  /** Upgrades turned away since the start: wrong path, origin, or a full door. */
  readonly refusedUpgrades: number;
}

/** The port, and what only this transport can tell and do. */
export interface WsTransport extends Transport {
  /** The address that is listened on, with its real port; null before `listen` is done. */
  address(): string | null;
  counts(): WsTransportCounts;
  /** Drops everything without a word to anybody, like a process that is killed. */
  destroy(done: () => void): void;
}

const PATH_OF_DOOR: Readonly<Record<Door, string>> = { peer: '/v1/peer', client: '/v1/link' };

/** Links over ws. Frames given to `send` are not copied and must not be changed afterwards. */
export function createWsTransport(options: WsTransportOptions): WsTransport {
  return new WsTransportAdapter(options);
}

class WsTransportAdapter implements WsTransport {
  private readonly listenAt: WsListen | null;
  private readonly limits: WsLimits;
  private readonly upgrader: WebSocketServer;
  /** Accepted links by door are bounded by the limits, dialled ones by whoever dials. */
  private readonly links = new Set<WsLink>();
  private readonly accepted: Record<Door, number> = { peer: 0, client: 0 };
  private refusedUpgrades = 0;
  private readonly dials = new Set<{ cancel(): void }>();
  private lifeTimer: NodeJS.Timeout | null = null;
  private isClosed = false;
  private onEmpty: () => void = ignore;

  constructor(options: WsTransportOptions) {
    this.listenAt = options.listen ?? null;
    this.limits = { ...DEFAULT_WS_LIMITS, ...options.limits };
    this.upgrader = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      ...sharedOptions(this.limits),
    });
  }

  listen(onLink: (link: Link, door: Door) => void, done: (error: Error | null) => void): void {
    const at = this.listenAt;
    if (at === null) {
      setImmediate(done, new HoldfastError('CONFIG', 'this process has no address to listen on'));
      return;
    }
    at.door.open((attempt) => this.upgrade(attempt, onLink), done);
  }

  dial(
    address: string,
    door: Door,
    done: (result: Link | DialFailure) => void,
  ): { cancel(): void } {
    if (this.isClosed) {
      const immediate = setImmediate(done, 'failed');
      return { cancel: () => clearImmediate(immediate) };
    }
    const target = { url: `ws://${address}${PATH_OF_DOOR[door]}`, dialMs: this.limits.dialMs };
    const attempt = dialWebSocket(target, sharedOptions(this.limits), (result) => {
      this.dials.delete(attempt);
      if (typeof result === 'string') done(result);
      else done(this.adopt({ ...result, remote: address, isAccepted: false }));
    });
    this.dials.add(attempt);
    return {
      cancel: () => {
        this.dials.delete(attempt);
        attempt.cancel();
      },
    };
  }

  close(done: () => void): void {
    for (const link of this.links) link.goAway();
    this.shut(this.limits.closeMs, done);
  }

  destroy(done: () => void): void {
    this.shut(0, done);
  }

  address(): string | null {
    return this.listenAt?.door.address() ?? null;
  }

  counts(): WsTransportCounts {
    return {
      peerLinks: this.accepted.peer,
      clientLinks: this.accepted.client,
      refusedUpgrades: this.refusedUpgrades,
    };
  }

  private upgrade(attempt: UpgradeAttempt, onLink: (link: Link, door: Door) => void): void {
    const { request, socket, head } = attempt;
    socket.on('error', ignore); // first of all: it would end the process
    const door = doorOf(request);
    if (door === null) return this.refuse(socket, '404 Not Found');
    const refusal = this.refusalOf(request, door);
    if (refusal !== null) return this.refuse(socket, refusal);
    // Counted before the handshake is over, so that a burst cannot pass the limit.
    this.accepted[door]++;
    socket.once('close', () => this.accepted[door]--);
    this.upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      const { remoteAddress, remotePort } = request.socket;
      const remote = formatAddress({ host: remoteAddress ?? 'unknown', port: remotePort ?? 0 });
      const ends = { webSocket, socket: request.socket, remote, isAccepted: true };
      onLink(this.adopt(ends), door);
    });
  }

  private refusalOf(request: IncomingMessage, door: Door): string | null {
    const origin = request.headers.origin;
    if (origin !== undefined && !(this.listenAt?.allowedOrigins ?? []).includes(origin)) {
      return '403 Forbidden';
    }
    const most = door === 'peer' ? this.limits.peerLinksMax : this.limits.clientLinksMax;
    return this.isClosed || this.accepted[door] >= most ? '503 Service Unavailable' : null;
  }

  private refuse(socket: Duplex, status: string): void {
    this.refusedUpgrades++;
    socket.once('finish', () => socket.destroy());
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }

  private adopt(ends: LinkEnds): WsLink {
    const link: WsLink = new WsLink(ends, this.limits, () => {
      this.links.delete(link);
      if (this.links.size === 0) this.becomeEmpty();
    });
    this.links.add(link);
    this.lifeTimer ??= setInterval(() => this.checkLives(), this.limits.pingMs).unref();
    return link;
  }

  // The timer holds this object, and through its links' handlers whoever used them: a client that
  // was closed would stay for ever.
  private becomeEmpty(): void {
    this.stopChecking();
    this.onEmpty();
  }

  private stopChecking(): void {
    if (this.lifeTimer !== null) clearInterval(this.lifeTimer);
    this.lifeTimer = null;
  }

  private checkLives(): void {
    for (const link of this.links) link.checkLife();
  }

  // The far ends were told, if at all; whoever is still there after waitMs is cut, for neither ws
  // nor the server would ever finish while one of them stays.
  private shut(waitMs: number, done: () => void): void {
    this.isClosed = true;
    this.stopChecking();
    for (const dial of this.dials) dial.cancel();
    this.dials.clear();
    const door = this.listenAt?.door ?? null;
    const cut = (): void => {
      for (const link of this.links) link.destroy();
      door?.cut();
    };
    let waitsFor = 2;
    const timer = setTimeout(cut, waitMs);
    const part = (): void => {
      if (--waitsFor > 0) return;
      clearTimeout(timer);
      done();
    };
    if (this.links.size === 0) setImmediate(part);
    else this.onEmpty = part;
    if (door === null) setImmediate(part);
    else door.close(part);
    if (waitMs === 0) cut();
  }
}

function doorOf(request: IncomingMessage): Door | null {
  const path = (request.url ?? '').split('?', 1)[0];
  if (path === PATH_OF_DOOR.peer) return 'peer';
  return path === PATH_OF_DOOR.client ? 'client' : null;
}

function sharedOptions(limits: WsLimits) {
  return {
    perMessageDeflate: false,
    maxPayload: limits.frameBytesMax,
    autoPong: false,
    closeTimeout: limits.closeMs,
  };
}

function ignore(): void {}
