// One direction of a link, as TCP gives it: in order, whole, without loss until it breaks. A cut
// only makes it stand still; after the cut is mended, what stood is sent again a while later.
// What travels are whole messages: how TCP splits their bytes shows to nobody above WebSocket.
//
// Between nodes it may be less than TCP: frames are lost, doubled and overtaken where the route
// says so, for the Raft core must survive that. Not the first one of a pipe: the handshake ends a
// link on which it does not come first, once.

import type { Direction, FrameId, Undo } from './direction.ts';
import type { FrameWatch, FrameWay } from './frame-watch.ts';
import type { EventLoop } from './loop.ts';
import type { KeyedRandom } from './random.ts';

/** What travels: the acceptance of a dial, signs of life, a frame, or the end of the link. */
export type Parcel =
  | { readonly kind: 'open' | 'ping' | 'pong' }
  | FrameParcel
  | { readonly kind: 'close'; readonly reason: string };

/** `windowBytes`: what the receiver gives back when it has read the frame; 0 for a copy. */
export interface FrameParcel {
  readonly kind: 'frame';
  readonly bytes: Uint8Array;
  readonly windowBytes: number;
}

/** Where a pipe leads. */
export interface PipeRoute {
  readonly direction: Direction;
  /** Number of its link among those that one of the two dialled to the other. */
  readonly ordinal: number;
  /** Of arrivals at one instant, those of one lane keep their order. */
  readonly lane: number;
  /** False: frames may be lost, doubled and overtaken. */
  readonly isReliable: boolean;
  /** Of the two processes. */
  readonly dialledBy: string;
  /** Number of its link in the world. */
  readonly link: number;
}

/** What a pipe needs of its world. */
export interface PipeEnvironment {
  readonly loop: EventLoop;
  readonly random: KeyedRandom;
  /** Bytes under way or unread; beyond them frames wait in the sender's own memory. */
  readonly windowBytes: number;
  /** null: nobody looks. */
  readonly watch: FrameWatch | null;
}

const RETRANSMIT_US_MAX = 200_000;

interface InNetwork {
  readonly parcel: Parcel;
  arriveUs: number;
}

/** One direction of one link. */
export class Pipe {
  /** Takes what arrives. Set by the owner. */
  onArrival: (parcel: Parcel) => void = () => {};
  /** Called when nothing waits in the sender's memory any more. Set by the owner. */
  onEmptied: () => void = () => {};
  private readonly route: PipeRoute;
  private readonly environment: PipeEnvironment;
  private readonly outbox: Parcel[] = [];
  private network: InNetwork[] = [];
  /** Frames that travel by themselves, overtaken by others or as copies of others. */
  private readonly strays = new Set<FrameParcel>();
  private readonly holes = new Set<Undo>();
  private outboxBytes = 0;
  private windowUsed = 0;
  private lineFreeUs = 0;
  private lastArrivalUs = 0;
  private sent = 0;
  private generation = 0;
  private hasGreeted = false;
  private isGreeted = false;

  constructor(route: PipeRoute, environment: PipeEnvironment) {
    this.route = route;
    this.environment = environment;
  }

  /** Bytes that have not left the sending process. */
  get bufferedBytes(): number {
    return this.outboxBytes;
  }

  push(parcel: Parcel): void {
    if (parcel.kind === 'frame') this.environment.watch?.sent(parcel.bytes, this.way());
    this.outbox.push(parcel);
    this.outboxBytes += sizeOf(parcel);
    this.pump();
  }

  /** The receiver takes in a frame. */
  taken({ bytes, windowBytes }: FrameParcel): void {
    this.environment.watch?.heard(bytes);
    this.credit(windowBytes);
  }

  // The receiver has taken so many bytes out of the window.
  private credit(bytes: number): void {
    this.windowUsed -= bytes;
    if (this.outbox.length === 0) return;
    this.pump();
    if (this.outbox.length === 0) this.onEmptied();
  }

  /** Whatever is under way arrives at that time or later. */
  hold(untilUs: number): void {
    this.lastArrivalUs = Math.max(this.lastArrivalUs, untilUs);
    this.reschedule(() => untilUs);
  }

  /** Nothing arrives until that is undone, and nobody is told. */
  swallow(): Undo {
    const undo = (): void => {
      if (this.holes.delete(undo)) this.release();
    };
    this.holes.add(undo);
    return undo;
  }

  /** A cut was mended: what stood still is transmitted again. */
  release(): void {
    const { loop, random } = this.environment;
    const { direction, ordinal } = this.route;
    const first = this.network[0];
    if (first === undefined || first.arriveUs > loop.nowUs || this.isStanding()) return;
    const { from, to } = direction;
    const waitUs = random.below(RETRANSMIT_US_MAX, 'retransmit', from, to, ordinal, this.sent);
    const earliestUs = loop.nowUs + direction.route.latencyUs;
    this.reschedule((late) => (late ? earliestUs + waitUs : 0));
  }

  /** The sender is gone: an unknown part of what is under way still arrives, then the end. */
  breakOff(reason: string): void {
    const { random } = this.environment;
    const { direction, ordinal } = this.route;
    const { from, to } = direction;
    const kept = random.below(this.network.length + 1, 'broken', from, to, ordinal, this.sent);
    this.discard(kept);
    this.push({ kind: 'close', reason });
  }

  /** Nothing of this pipe arrives any more. */
  discard(kept = 0): void {
    this.outbox.length = 0;
    this.outboxBytes = 0;
    this.network = this.network.slice(0, kept);
    this.strays.clear();
  }

  private way(): FrameWay {
    const { direction, dialledBy, link, isReliable } = this.route;
    return { from: direction.from, to: direction.to, dialledBy, link, isPeer: !isReliable };
  }

  private isStanding(): boolean {
    return this.route.direction.isCut || this.holes.size > 0;
  }

  private pump(): void {
    for (;;) {
      const parcel = this.outbox[0];
      if (parcel === undefined) return;
      const bytes = sizeOf(parcel);
      const { windowBytes } = this.environment;
      if (this.windowUsed > 0 && this.windowUsed + bytes > windowBytes) return;
      this.outbox.shift();
      this.outboxBytes -= bytes;
      this.windowUsed += bytes;
      this.transmit(parcel, bytes);
    }
  }

  private transmit(parcel: Parcel, bytes: number): void {
    const { direction, ordinal, isReliable } = this.route;
    const { bandwidth } = direction.route;
    const lineUs = bandwidth === null ? 0 : Math.ceil((bytes * 1e6) / bandwidth);
    this.lineFreeUs = Math.max(this.lineFreeUs, this.environment.loop.nowUs) + lineUs;
    const id = { link: ordinal, frame: this.sent++ };
    const readyUs = this.lineFreeUs + direction.delayUs(id);
    if (parcel.kind !== 'frame') return this.enqueue(parcel, readyUs);
    if (isReliable || !this.hasGreeted) this.enqueue(parcel, readyUs);
    else this.transmitLoosely(parcel, id, readyUs);
    this.hasGreeted = true;
  }

  private transmitLoosely(parcel: FrameParcel, id: FrameId, readyUs: number): void {
    const { direction } = this.route;
    const { lossPerMille, duplicatePerMille, reorderPerMille } = direction.route;
    const atUs = Math.max(this.lastArrivalUs, readyUs);
    if (direction.isStruck('duplicate', duplicatePerMille, id)) {
      this.stray({ ...parcel, windowBytes: 0 }, atUs + direction.lateUs('copy', id));
    }
    if (direction.isStruck('loss', lossPerMille, id)) {
      this.windowUsed -= parcel.windowBytes;
    } else if (direction.isStruck('reorder', reorderPerMille, id)) {
      this.stray(parcel, atUs + direction.lateUs('late', id));
    } else {
      this.enqueue(parcel, readyUs);
    }
  }

  private enqueue(parcel: Parcel, readyUs: number): void {
    const arriveUs = Math.max(this.lastArrivalUs, readyUs);
    this.lastArrivalUs = arriveUs;
    const inNetwork = { parcel, arriveUs };
    this.network.push(inNetwork);
    this.schedule(inNetwork);
  }

  private schedule(inNetwork: InNetwork): void {
    const generation = this.generation;
    const arrive = (): void => {
      if (generation !== this.generation || this.network[0] !== inNetwork) return;
      if (this.isStanding()) return;
      this.network.shift();
      if (inNetwork.parcel.kind === 'frame') this.isGreeted = true;
      this.onArrival(inNetwork.parcel);
    };
    this.environment.loop.at(inNetwork.arriveUs, arrive, this.route.lane);
  }

  // Nobody sends it again: where the others stand still it is lost, and before the first as well.
  private stray(parcel: FrameParcel, arriveUs: number): void {
    this.strays.add(parcel);
    const arrive = (): void => {
      if (!this.strays.delete(parcel)) return;
      if (this.isStanding() || !this.isGreeted) this.credit(parcel.windowBytes);
      else this.onArrival(parcel);
    };
    this.environment.loop.at(arriveUs, arrive, this.route.lane);
  }

  private reschedule(earliestUs: (isOverdue: boolean) => number): void {
    this.generation++;
    let previousUs = 0;
    for (const inNetwork of this.network) {
      const isOverdue = inNetwork.arriveUs <= this.environment.loop.nowUs;
      inNetwork.arriveUs = Math.max(previousUs, inNetwork.arriveUs, earliestUs(isOverdue));
      previousUs = inNetwork.arriveUs;
      this.schedule(inNetwork);
    }
    this.lastArrivalUs = Math.max(this.lastArrivalUs, previousUs);
  }
}

function sizeOf(parcel: Parcel): number {
  return parcel.kind === 'frame' ? parcel.bytes.length : 0;
}
