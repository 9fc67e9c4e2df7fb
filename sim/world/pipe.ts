// One direction of a link, as TCP gives it: in order, whole, without loss until it breaks. A cut
// only makes it stand still; after the cut is mended, what stood is sent again a while later.

import type { EventLoop } from './loop.ts';
import type { KeyedRandom } from './random.ts';
import type { Topology } from './topology.ts';

/** What travels: the acceptance of a dial, signs of life, a frame, or the end of the link. */
export type Parcel =
  | { readonly kind: 'open' | 'ping' | 'pong' }
  | { readonly kind: 'frame'; readonly bytes: Uint8Array }
  | { readonly kind: 'close'; readonly reason: string };

/** Where a pipe leads. */
export interface PipeRoute {
  readonly from: string;
  readonly to: string;
  /** Number of its link among those that one of the two dialled to the other. */
  readonly ordinal: number;
}

/** What a pipe needs of its world. */
export interface PipeEnvironment {
  readonly loop: EventLoop;
  readonly random: KeyedRandom;
  readonly topology: Topology;
  /** Bytes under way or unread; beyond them frames wait in the sender's own memory. */
  readonly windowBytes: number;
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
  private outboxBytes = 0;
  private windowUsed = 0;
  private lineFreeUs = 0;
  private lastArrivalUs = 0;
  private sent = 0;
  private generation = 0;

  constructor(route: PipeRoute, environment: PipeEnvironment) {
    this.route = route;
    this.environment = environment;
  }

  /** Bytes that have not left the sending process. */
  get bufferedBytes(): number {
    return this.outboxBytes;
  }

  push(parcel: Parcel): void {
    this.outbox.push(parcel);
    this.outboxBytes += sizeOf(parcel);
    this.pump();
  }

  /** The receiver has taken so many bytes out of the window. */
  credit(bytes: number): void {
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

  /** A cut was mended: what stood still is transmitted again. */
  release(): void {
    const { loop, random, topology } = this.environment;
    const { from, to, ordinal } = this.route;
    if (this.network.length === 0 || topology.isCut(from, to)) return;
    const waitUs = random.below(RETRANSMIT_US_MAX, 'retransmit', from, to, ordinal, this.sent);
    const earliestUs = loop.nowUs + topology.route(from, to).latencyUs;
    this.reschedule((late) => (late ? earliestUs + waitUs : 0));
  }

  /** The sender is gone: an unknown part of what is under way still arrives, then the end. */
  breakOff(reason: string): void {
    const { random } = this.environment;
    const { from, to, ordinal } = this.route;
    const kept = random.below(this.network.length + 1, 'broken', from, to, ordinal, this.sent);
    this.discard(kept);
    this.push({ kind: 'close', reason });
  }

  /** Nothing of this pipe arrives any more. */
  discard(kept = 0): void {
    this.outbox.length = 0;
    this.outboxBytes = 0;
    this.network = this.network.slice(0, kept);
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
    const { loop, topology } = this.environment;
    const { from, to, ordinal } = this.route;
    const { bandwidth } = topology.route(from, to);
    const lineUs = bandwidth === null ? 0 : Math.ceil((bytes * 1e6) / bandwidth);
    this.lineFreeUs = Math.max(this.lineFreeUs, loop.nowUs) + lineUs;
    const delayUs = topology.delayUs(from, to, { link: ordinal, frame: this.sent++ });
    const arriveUs = Math.max(this.lastArrivalUs, this.lineFreeUs + delayUs);
    this.lastArrivalUs = arriveUs;
    const inNetwork = { parcel, arriveUs };
    this.network.push(inNetwork);
    this.schedule(inNetwork);
  }

  private schedule(inNetwork: InNetwork): void {
    const { loop, topology } = this.environment;
    const { from, to } = this.route;
    const generation = this.generation;
    loop.at(inNetwork.arriveUs, () => {
      if (generation !== this.generation || this.network[0] !== inNetwork) return;
      if (topology.isCut(from, to)) return;
      this.network.shift();
      this.onArrival(inNetwork.parcel);
    });
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
