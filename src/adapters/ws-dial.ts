// Opening a WebSocket, and telling "nobody listens there" from everything else: the first is
// evidence that a process is gone and speeds up fail-over, the second is evidence of nothing.

import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { ClientOptions } from 'ws';
import type { DialFailure } from '../ports/transport.ts';
import { clearTimeout, setImmediate, setTimeout } from './real-timers.ts';

/** An open connection that nobody listens to yet. */
export interface DialledEnds {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
}

/** Where to, and for how long to try. */
export interface DialTarget {
  readonly url: string;
  /** From the call to the open connection, the handshake included. */
  readonly dialMs: number;
}

/** Calls `done` exactly once unless cancelled, never inside the call. */
export function dialWebSocket(
  target: DialTarget,
  options: ClientOptions,
  done: (result: DialledEnds | DialFailure) => void,
): { cancel(): void } {
  const attempt = new DialAttempt(done);
  attempt.start(target, options);
  return attempt;
}

class DialAttempt {
  private readonly done: (result: DialledEnds | DialFailure) => void;
  private webSocket: WebSocket | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isSettled = false;

  constructor(done: (result: DialledEnds | DialFailure) => void) {
    this.done = done;
  }

  start(target: DialTarget, options: ClientOptions): void {
    this.timer = setTimeout(() => this.give('failed'), target.dialMs);
    try {
      this.webSocket = new WebSocket(target.url, { ...options, generateMask: maskWithZeros });
    } catch {
      setImmediate(() => this.give('failed')); // no URL can be made of this address
      return;
    }
    let socket: Socket | null = null;
    this.webSocket.on('error', (error) => this.give(classify(error)));
    this.webSocket.on('upgrade', (response) => (socket = response.socket));
    this.webSocket.on('open', () => this.opened(socket));
  }

  cancel(): void {
    if (this.settle()) this.webSocket?.terminate();
  }

  private opened(socket: Socket | null): void {
    const { webSocket } = this;
    if (webSocket === null || socket === null || !this.settle()) return;
    this.done({ webSocket, socket });
  }

  private give(failure: DialFailure): void {
    if (!this.settle()) return;
    this.webSocket?.terminate();
    this.done(failure);
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    if (this.timer !== null) clearTimeout(this.timer);
    return true;
  }
}

// A name with several addresses yields one error that contains theirs.
function classify(error: Error): DialFailure {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  return errors.length > 0 && errors.every(isRefusal) ? 'refused' : 'failed';
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

// Masks guard proxies against scripts in browsers that choose bytes (RFC 6455 §10.3). No script
// chooses ours, and a mask of zeros spares both sides a pass over every byte.
function maskWithZeros(mask: Buffer): void {
  mask.fill(0);
}
