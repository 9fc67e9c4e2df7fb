// One end of a link, in the hands of one life of a process.

import { crc32c } from '../../src/base/hash.ts';
import type { Timer } from '../../src/ports/clock.ts';
import type { Link } from '../../src/ports/transport.ts';
import type { Parcel, Pipe } from './pipe.ts';
import type { Life } from './process.ts';
import type { Work } from './task.ts';
import type { EventKind } from './trace.ts';

/** Above so many bytes in its own memory a sender is told to wait. */
const HIGH_WATER_BYTES = 64 * 1024;
/** A larger frame ends its link, as it does by default in the shipped transport. */
const FRAME_BYTES_MAX = 256 * 1024;

/** What one end of a link is made of. */
export interface LinkEndPlan {
  readonly life: Life;
  readonly remote: string;
  readonly number: number;
  readonly outgoing: Pipe;
  readonly incoming: Pipe;
  /** Period of the look at a silent link, which is cut after two to three of them. */
  readonly pingUs: number;
  /** Called when this end will neither send nor receive any more. */
  readonly onOver: () => void;
}

/** The Link port of one side. */
export class LinkEnd implements Link {
  readonly remote: string;
  onFrame: (frame: Uint8Array) => void = () => {};
  onClose: (reason: string) => void = () => {};
  onDrain: () => void = () => {};
  /** The dialler waits for this: the other side accepted. */
  onOpen: () => void = () => {};
  private readonly plan: LinkEndPlan;
  private readonly lane: string;
  private readonly unread: Parcel[] = [];
  private isOver = false;
  /** True from an oversize frame until the owner is told. */
  private isEnding = false;
  private isHeld = false;
  private isPumping = false;
  private owesDrain = false;
  private heard = 0;
  private heardBefore = 0;
  private isAsked = false;
  private watch: Timer | null = null;

  constructor(plan: LinkEndPlan) {
    this.plan = plan;
    this.remote = plan.remote;
    this.lane = `link ${plan.number}`;
    plan.incoming.onArrival = (parcel) => this.arrive(parcel);
    plan.outgoing.onEmptied = () => this.emptied();
  }

  get life(): Life {
    return this.plan.life;
  }

  get bufferedBytes(): number {
    return this.plan.outgoing.bufferedBytes;
  }

  send(frame: Uint8Array): boolean {
    if (this.isOver || this.isEnding) return false;
    if (frame.length > FRAME_BYTES_MAX) {
      this.endAfterCall(`a frame of ${frame.length} bytes was to be sent`);
      return false;
    }
    // A copy: nobody shares memory with another process.
    const windowBytes = frame.length;
    this.plan.outgoing.push({ kind: 'frame', bytes: frame.slice(), windowBytes });
    const hasRoom = this.bufferedBytes <= HIGH_WATER_BYTES;
    if (!hasRoom) this.owesDrain = true;
    return hasRoom;
  }

  pause(): void {
    this.isHeld = true;
  }

  resume(): void {
    this.isHeld = false;
    this.pumpSoon();
  }

  close(reason: string): void {
    if (this.isOver) return;
    this.plan.outgoing.push({ kind: 'close', reason });
    this.finish();
  }

  /** Answers the dial; frames sent from now on arrive after the answer. */
  acceptDial(): void {
    this.plan.outgoing.push({ kind: 'open' });
    this.watchLife();
  }

  /** The link is torn down from outside: this side learns of it, nothing more arrives. */
  reset(reason: string): void {
    if (this.isOver) return;
    this.plan.outgoing.discard();
    this.plan.incoming.discard();
    const run = (): void => this.handle({ kind: 'close', reason });
    this.life.schedule(this.life.nowUs(), this.work('close', run));
  }

  /**
   * Its process died. The other side is told, unless the machine lost power: then it hears
   * nothing until it sends something to the machine's next life.
   */
  die(isSilent: boolean): void {
    if (this.isOver) return;
    if (isSilent) this.plan.outgoing.discard();
    else this.plan.outgoing.breakOff('the process is gone');
    this.finish();
  }

  /** Work of this link, in its order even when its process was paused. */
  private work(kind: EventKind, run: () => void, b = 0, c = 0): Work {
    return { kind, a: this.plan.number, b, c, lane: this.lane, run };
  }

  private arrive(parcel: Parcel): void {
    if (this.life.isAlive) {
      this.take(parcel);
    } else if (this.life.process.life !== null && parcel.kind !== 'close') {
      this.plan.outgoing.discard();
      this.plan.outgoing.push({ kind: 'close', reason: 'reset: the process was restarted' });
    }
  }

  private take(parcel: Parcel): void {
    const bytes = parcel.kind === 'frame' ? parcel.bytes : null;
    const kind = parcel.kind;
    const b = bytes?.length ?? 0;
    const c = bytes === null ? 0 : crc32c(bytes);
    this.life.hand(this.work(kind, () => this.handle(parcel), b, c));
  }

  private handle(parcel: Parcel): void {
    if (this.isOver) return;
    if (this.isHeld || this.unread.length > 0) this.unread.push(parcel);
    else this.pass(parcel);
  }

  private pass(parcel: Parcel): void {
    this.heard++;
    switch (parcel.kind) {
      case 'open':
        this.watchLife();
        return this.onOpen();
      case 'ping':
        return this.plan.outgoing.push({ kind: 'pong' });
      case 'pong':
        return;
      case 'frame':
        this.plan.incoming.taken(parcel);
        return this.onFrame(parcel.bytes);
      case 'close':
        this.finish();
        return this.onClose(parcel.reason);
    }
  }

  private watchLife(): void {
    const work = this.work('timer', () => this.checkLife());
    this.watch = this.life.schedule(this.life.nowUs() + this.plan.pingUs, work);
  }

  /** As the shipped transport does it: half-open links look healthy for ever otherwise. */
  private checkLife(): void {
    if (this.isOver) return;
    const { heard } = this;
    if (this.isHeld) {
      // We do not read, so pings go unanswered: tell that we live.
      this.plan.outgoing.push({ kind: 'pong' });
    } else if (heard !== this.heardBefore) {
      this.heardBefore = heard;
      this.isAsked = false;
    } else if (!this.isAsked) {
      this.isAsked = true;
      this.plan.outgoing.push({ kind: 'ping' });
    } else {
      return this.life.soon(() => this.cutIfSilent(heard));
    }
    this.watchLife();
  }

  private cutIfSilent(heard: number): void {
    if (this.isOver) return;
    if (this.heard !== heard) return this.watchLife();
    this.plan.outgoing.breakOff('reset');
    this.finish();
    this.onClose('no sign of life');
  }

  /** Ends the link now, but tells the owner only when its call has returned. */
  private endAfterCall(reason: string): void {
    this.isEnding = true;
    this.plan.outgoing.push({ kind: 'close', reason });
    const run = (): void => {
      if (this.isOver) return;
      this.finish();
      this.onClose(reason);
    };
    this.life.schedule(this.life.nowUs(), this.work('close', run));
  }

  private pumpSoon(): void {
    if (this.isPumping || this.unread.length === 0) return;
    this.isPumping = true;
    const run = (): void => this.pump();
    this.life.schedule(this.life.nowUs(), this.work('frame', run));
  }

  private pump(): void {
    this.isPumping = false;
    if (this.isOver || this.isHeld) return;
    const parcel = this.unread.shift();
    if (parcel !== undefined) this.pass(parcel);
    this.pumpSoon();
  }

  private emptied(): void {
    if (!this.owesDrain || this.isOver) return;
    this.owesDrain = false;
    const run = (): void => {
      if (!this.isOver) this.onDrain();
    };
    this.life.schedule(this.life.nowUs(), this.work('drain', run));
  }

  private finish(): void {
    this.isOver = true;
    this.watch?.cancel();
    this.unread.length = 0;
    this.plan.onOver();
  }
}
