// One WebSocket as a Link. The far end may be anybody: whatever it sends or leaves unread costs
// it this connection and nothing else.

import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import type { Link } from '../ports/transport.ts';
import { CLOSE_CODE, closeText, oversizeText, unreadText } from './close-texts.ts';
import { setImmediate } from './real-timers.ts';
import { SMALL_FRAME_BYTES, smallFrame } from './small-frame.ts';

/** Bounds of every link. All come from the configuration. */
export interface WsLimits {
  /** Largest frame in either direction. */
  readonly frameBytesMax: number;
  /** `send` answers false above this; at least 65,536, or the socket reports no drain. */
  readonly sendMarkBytes: number;
  /** A link whose far end leaves more than this unread is cut. */
  readonly sendCapBytes: number;
  /** Period of the look at silent links: cut after two to three periods without a byte. */
  readonly pingMs: number;
  /** How long a far end may take to answer a close before the socket is destroyed. */
  readonly closeMs: number;
  /** A dial that took longer has failed. */
  readonly dialMs: number;
  /** Links accepted through the door `peer`. */
  readonly peerLinksMax: number;
  /** Links accepted through the door `client`. */
  readonly clientLinksMax: number;
}

/** What holds when the configuration says nothing else. */
export const DEFAULT_WS_LIMITS: WsLimits = {
  frameBytesMax: 262_144,
  sendMarkBytes: 1_048_576,
  sendCapBytes: 16_777_216,
  pingMs: 3_000,
  closeMs: 250,
  dialMs: 2_000,
  peerLinksMax: 64,
  clientLinksMax: 10_000,
};

// RFC 6455 §5.5: a control frame carries at most 125 bytes, two of which are the code.
const REASON_LENGTH_MAX = 120;

const BINARY = { binary: true };
const ignore = (): void => {};

/** The two layers of one connection. */
export interface LinkEnds {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  readonly remote: string;
  /** The far end dialled: frames to it are not masked, those to who was dialled are. */
  readonly isAccepted: boolean;
}

/** A link over an open WebSocket. Frames given to `send` must not be changed afterwards. */
export class WsLink implements Link {
  readonly remote: string;
  onFrame: (frame: Uint8Array) => void = ignore;
  onClose: (reason: string) => void = ignore;
  onDrain: () => void = ignore;
  private readonly webSocket: WebSocket;
  private readonly socket: Socket;
  private readonly limits: WsLimits;
  private readonly isAccepted: boolean;
  /** True once the owner will hear nothing more; the socket may live up to closeMs longer. */
  private isEnded = false;
  /** True from a fault found in `send` until the owner is told. */
  private isEnding = false;
  private isPaused = false;
  private isCorked = false;
  private isAboveMark = false;
  /**
   * Frames that ws had already cut out of a chunk when the owner paused. Invariant: no longer than
   * what one chunk of the socket holds, for the socket itself is paused too.
   */
  private inbox: Uint8Array[] = [];
  private bytesReadSeen = -1;
  private isAsked = false;

  /** `onGone` is called when the socket no longer exists, whoever ended it. */
  constructor(ends: LinkEnds, limits: WsLimits, onGone: () => void) {
    this.remote = ends.remote;
    this.webSocket = ends.webSocket;
    this.socket = ends.socket;
    this.isAccepted = ends.isAccepted;
    this.limits = limits;
    // First of all: an 'error' nobody listens to would end the process.
    ends.webSocket.on('error', (error) => this.finish(error.message));
    ends.webSocket.on('message', (data, isBinary) => this.receive(data, isBinary));
    ends.webSocket.on('ping', (data) => this.answerPing(data));
    ends.webSocket.on('close', (code, reason) => {
      this.finish(closeText(code, reason.toString()));
      onGone();
    });
    ends.socket.on('drain', () => this.drained());
  }

  get bufferedBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  send(frame: Uint8Array): boolean {
    if (this.isEnded || this.isEnding) return false;
    const { webSocket, limits } = this;
    if (frame.length > limits.frameBytesMax) {
      const reason = oversizeText(frame.length);
      return this.endAfterCall(reason, () => webSocket.close(CLOSE_CODE.messageTooBig, reason));
    }
    this.cork();
    this.write(frame);
    const buffered = webSocket.bufferedAmount;
    if (buffered <= limits.sendMarkBytes) return true;
    this.isAboveMark = true;
    if (buffered <= limits.sendCapBytes) return false;
    return this.endAfterCall(unreadText(buffered), () => webSocket.terminate());
  }

  pause(): void {
    if (this.isEnded || this.isPaused) return;
    this.isPaused = true;
    this.webSocket.pause();
  }

  resume(): void {
    if (this.isEnded || !this.isPaused) return;
    this.isPaused = false;
    if (this.inbox.length === 0) this.webSocket.resume();
    else setImmediate(() => this.emptyInbox());
  }

  close(reason: string): void {
    this.endSilently(CLOSE_CODE.normal, reason);
  }

  /** Ends the link because this process is stopping. */
  goAway(): void {
    this.endSilently(CLOSE_CODE.goingAway, 'going away');
  }

  /** Destroys the socket at once; the owner hears nothing more. */
  destroy(): void {
    this.release();
    this.webSocket.terminate();
  }

  /**
   * Called once per period. A silent link is asked for a sign of life; one that gave none until
   * the next call is cut: half-open links look healthy for ever otherwise.
   */
  checkLife(): void {
    if (this.isEnded) return;
    // We do not read, so the far end's pings go unanswered: tell it that we live.
    if (this.isPaused) return this.webSocket.pong();
    const bytesRead = this.socket.bytesRead;
    if (bytesRead !== this.bytesReadSeen) {
      this.bytesReadSeen = bytesRead;
      this.isAsked = false;
    } else if (!this.isAsked) {
      this.isAsked = true;
      this.webSocket.ping();
    } else {
      // After a stall of our own, timers run before the bytes that wait (RAFT.md §16.2).
      setImmediate(() => {
        if (this.socket.bytesRead === bytesRead) this.cut('no sign of life');
      });
    }
  }

  // Without extensions ws queues nothing of its own: what it writes and what we do stay in order.
  private write(frame: Uint8Array): void {
    const { webSocket } = this;
    const isOpen = webSocket.readyState === webSocket.OPEN;
    if (isOpen && frame.length <= SMALL_FRAME_BYTES) {
      this.socket.write(smallFrame(frame, !this.isAccepted));
    } else {
      webSocket.send(frame, BINARY);
    }
  }

  // Sends of one turn leave in one system call.
  private cork(): void {
    if (this.isCorked) return;
    this.isCorked = true;
    this.socket.cork();
    process.nextTick(() => {
      this.isCorked = false;
      this.socket.uncork();
    });
  }

  private receive(data: RawData, isBinary: boolean): void {
    if (this.isEnded) return;
    if (!isBinary || !(data instanceof Uint8Array)) {
      this.webSocket.close(CLOSE_CODE.unsupportedData, 'binary frames only');
      this.finish('a text frame came; expected binary frames only');
      return;
    }
    // Not the Buffer itself: its slice() shares memory where a Uint8Array's copies.
    const frame = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (this.isPaused || this.inbox.length > 0) this.inbox.push(frame);
    else this.onFrame(frame);
  }

  private emptyInbox(): void {
    let count = 0;
    while (!this.isEnded && !this.isPaused && count < this.inbox.length) {
      const frame = this.inbox[count++];
      if (frame !== undefined) this.onFrame(frame);
    }
    this.inbox.splice(0, count);
    if (!this.isEnded && !this.isPaused) this.webSocket.resume();
  }

  // Not left to ws, which would queue pongs without limit for a sender that reads none.
  private answerPing(data: Buffer): void {
    if (this.webSocket.bufferedAmount > this.limits.sendCapBytes) this.cut('pings, but no reads');
    else this.webSocket.pong(data);
  }

  private drained(): void {
    if (this.isEnded || !this.isAboveMark || this.bufferedBytes > 0) return;
    this.isAboveMark = false;
    this.onDrain();
  }

  // Ends the connection now, but tells the owner only when its call has returned.
  private endAfterCall(reason: string, endNow: () => void): false {
    this.isEnding = true;
    process.nextTick(() => this.finish(reason)); // first, or 'close' would tell a poorer reason
    endNow();
    return false;
  }

  private cut(reason: string): void {
    this.webSocket.terminate();
    this.finish(reason);
  }

  private endSilently(code: number, reason: string): void {
    if (this.isEnded) return;
    this.release();
    this.webSocket.resume(); // or the far end's answer to the close stays unread
    this.webSocket.close(code, reasonText(reason));
  }

  private finish(reason: string): void {
    if (this.isEnded) return;
    const onClose = this.onClose;
    this.release();
    onClose(reason);
  }

  private release(): void {
    this.isEnded = true;
    this.inbox = [];
    this.onFrame = ignore;
    this.onClose = ignore;
    this.onDrain = ignore;
  }
}

function reasonText(reason: string): string {
  return reason.replace(/[^\x20-\x7e]/g, '?').slice(0, REASON_LENGTH_MAX);
}
