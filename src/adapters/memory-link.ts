// A connection within one process: two ends that hand each other copies of frames, each in a later
// turn of the event loop. It keeps every promise of a link over a socket, so that neither side can
// tell the difference: bounds, back-pressure, and how it ends.

import type { Link } from '../ports/transport.ts';
import { CLOSE_CODE, closeText, oversizeText, unreadText } from './close-texts.ts';
import { setImmediate } from './real-timers.ts';
import type { WsLimits } from './ws-link.ts';

/** Bounds of every link in memory; the same as over sockets. */
export type MemoryLimits = Pick<WsLimits, 'frameBytesMax' | 'sendMarkBytes' | 'sendCapBytes'>;

const ignore = (): void => {};

/** Two ends of a new connection. The second is called `remote` by the first and the reverse. */
export function linkPair(
  limits: MemoryLimits,
  remotes: readonly [string, string],
): readonly [MemoryLink, MemoryLink] {
  const one = new MemoryLink(remotes[1], limits);
  const other = new MemoryLink(remotes[0], limits);
  one.join(other);
  other.join(one);
  return [one, other];
}

/** One end. Frames given to `send` are copied. */
export class MemoryLink implements Link {
  readonly remote: string;
  onFrame: (frame: Uint8Array) => void = ignore;
  onClose: (reason: string) => void = ignore;
  onDrain: () => void = ignore;
  /** Called once when this end is over, whoever ended it; for whoever keeps a list. */
  onGone: () => void = ignore;
  private readonly limits: MemoryLimits;
  private far: MemoryLink | null = null;
  /** Sent by the far end and not handed over yet: at most sendCapBytes and one frame. */
  private inbox: Uint8Array[] = [];
  private unreadBytes = 0;
  /** How the far end has ended; told when the inbox is empty. */
  private farEnd: string | null = null;
  private isOver = false;
  /** True from a fault found in `send` until the owner is told. */
  private isEnding = false;
  private isPaused = false;
  private isTurnAsked = false;
  private isAboveMark = false;

  constructor(remote: string, limits: MemoryLimits) {
    this.remote = remote;
    this.limits = limits;
  }

  /** For linkPair. */
  join(far: MemoryLink): void {
    this.far = far;
  }

  get bufferedBytes(): number {
    return this.far?.unreadBytes ?? 0;
  }

  send(frame: Uint8Array): boolean {
    const { far, limits } = this;
    if (this.isOver || this.isEnding || far === null) return false;
    if (frame.length > limits.frameBytesMax) {
      const reason = oversizeText(frame.length);
      far.hangUp(closeText(CLOSE_CODE.messageTooBig, reason));
      return this.endAfterCall(reason);
    }
    // Not slice(), which shares memory if this is a Buffer.
    far.take(new Uint8Array(frame));
    const buffered = this.bufferedBytes;
    if (buffered <= limits.sendMarkBytes) return true;
    this.isAboveMark = true;
    if (buffered <= limits.sendCapBytes) return false;
    far.cut();
    return this.endAfterCall(unreadText(buffered));
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.askTurn();
  }

  close(reason: string): void {
    this.endSilently(CLOSE_CODE.normal, reason);
  }

  /** Ends the link because this side of the process is stopping. */
  goAway(): void {
    this.endSilently(CLOSE_CODE.goingAway, 'going away');
  }

  /** Ends both ends like a process that is killed: what lies between them is lost. */
  destroy(): void {
    if (this.isOver) return;
    this.far?.cut();
    this.release();
  }

  private take(frame: Uint8Array): void {
    if (this.isOver) return;
    this.inbox.push(frame);
    this.unreadBytes += frame.length;
    this.askTurn();
  }

  private hangUp(farEnd: string): void {
    this.farEnd ??= farEnd;
    this.askTurn();
  }

  // Not even a paused owner is kept waiting: a socket that is reset tells it too.
  private cut(): void {
    this.inbox = [];
    this.unreadBytes = 0;
    this.farEnd = closeText(CLOSE_CODE.abnormal, '');
    this.isPaused = false;
    this.askTurn();
  }

  private askTurn(): void {
    const isIdle = this.inbox.length === 0 && this.farEnd === null;
    if (this.isOver || this.isPaused || this.isTurnAsked || isIdle) return;
    this.isTurnAsked = true;
    setImmediate(() => {
      this.isTurnAsked = false;
      this.handOver();
      this.askTurn();
    });
  }

  /** One turn: what has come until now, as far as the owner takes it; then the end, if it is. */
  private handOver(): void {
    const frames = this.inbox;
    const count = frames.length;
    let taken = 0;
    let bytes = 0;
    while (taken < count && !this.isOver && !this.isPaused) {
      const frame = frames[taken++];
      if (frame === undefined) continue;
      bytes += frame.length;
      this.onFrame(frame);
    }
    if (this.isOver) return;
    this.inbox = this.inbox === frames ? frames.slice(taken) : this.inbox;
    this.unreadBytes = Math.max(0, this.unreadBytes - bytes);
    if (this.unreadBytes === 0) this.far?.drained();
    if (this.farEnd !== null && this.inbox.length === 0 && !this.isPaused) {
      this.finish(this.farEnd);
    }
  }

  private drained(): void {
    if (this.isOver || this.isEnding || !this.isAboveMark) return;
    this.isAboveMark = false;
    this.onDrain();
  }

  private endAfterCall(reason: string): false {
    this.isEnding = true;
    setImmediate(() => this.finish(reason));
    return false;
  }

  private endSilently(code: number, reason: string): void {
    if (this.isOver) return;
    this.far?.hangUp(closeText(code, reason));
    this.release();
  }

  private finish(reason: string): void {
    if (this.isOver) return;
    const { onClose } = this;
    this.release();
    onClose(reason);
  }

  private release(): void {
    this.isOver = true;
    this.inbox = [];
    this.unreadBytes = 0;
    this.onFrame = ignore;
    this.onClose = ignore;
    this.onDrain = ignore;
    const { onGone } = this;
    this.onGone = ignore;
    onGone();
  }
}
