// One direction between two processes: how frames travel, and what is wrong with it at present.
// Whatever goes wrong may overlap with anything else: each impairment ends by itself, and what it
// shared with others lasts until the last of them has ended.

import { assert } from '../../src/base/assert.ts';
import type { KeyedRandom } from './random.ts';

/** Ends one fault; may be called again, and then does nothing. */
export type Undo = () => void;

/** How frames travel from one process to another. */
export interface Route {
  /** Constant part of the way, microseconds. */
  readonly latencyUs: number;
  /** Drawn part of the way: 0 up to so many microseconds for each frame. */
  readonly jitterUs: number;
  /** Bytes per second of one link; null: without limit. */
  readonly bandwidth: number | null;
  /** One frame in so many takes a hundred times as long; 0: none. */
  readonly tailOneIn: number;
  /** Of a thousand frames of a link between nodes, so many never arrive. */
  readonly lossPerMille: number;
  /** So many arrive twice. */
  readonly duplicatePerMille: number;
  /** So many are overtaken by later ones. */
  readonly reorderPerMille: number;
  /** A frame that is overtaken, or a copy, comes up to so many microseconds late. */
  readonly reorderUsMax: number;
}

/** Something that is wrong with a direction. What is left out stays as it is. */
export interface Impairment {
  /** Nothing gets through. What is under way is not lost, but stands. */
  readonly isCut?: boolean;
  /** Dials are refused, although somebody listens. */
  readonly isRefusing?: boolean;
  /** Dials are never answered; they fail by time-out. */
  readonly isHanging?: boolean;
  /** Added to the latency; several add up. */
  readonly extraUs?: number;
  /** Bytes per second; of several the smallest holds. */
  readonly bandwidth?: number;
  /** Of several the largest holds, here and below. */
  readonly lossPerMille?: number;
  readonly duplicatePerMille?: number;
  readonly reorderPerMille?: number;
}

/** A frame by its link, among those of the two processes, and its number there. */
export interface FrameId {
  readonly link: number;
  readonly frame: number;
}

const IMPAIRMENTS_MAX = 1_000;
/** How much longer a frame of the tail takes. */
export const TAIL_FACTOR = 100;

/** See the head of this file. */
export class Direction {
  readonly from: string;
  readonly to: string;
  private readonly random: KeyedRandom;
  private readonly impairments = new Set<Impairment>();
  private healthy: Route;
  private present: Route;
  private cutCount = 0;

  constructor(from: string, to: string, { route, random }: { route: Route; random: KeyedRandom }) {
    this.from = from;
    this.to = to;
    this.random = random;
    this.healthy = route;
    this.present = route;
  }

  /** How frames that are sent now travel. */
  get route(): Route {
    return this.present;
  }

  get isCut(): boolean {
    return this.cutCount > 0;
  }

  get isRefusing(): boolean {
    return [...this.impairments].some((each) => each.isRefusing === true);
  }

  get isHanging(): boolean {
    return [...this.impairments].some((each) => each.isHanging === true);
  }

  /** Changes how frames travel while nothing is wrong. */
  change(change: Partial<Route>): void {
    this.healthy = { ...this.healthy, ...change };
    this.settle();
  }

  impair(impairment: Impairment): Undo {
    assert(this.impairments.size < IMPAIRMENTS_MAX, 'faults of one direction are ended again');
    // A copy: the same fault may strike twice at once.
    const own = { ...impairment };
    this.impairments.add(own);
    this.settle();
    return () => {
      if (this.impairments.delete(own)) this.settle();
    };
  }

  /** Nothing is wrong any more. */
  mend(): void {
    this.impairments.clear();
    this.settle();
  }

  /** Microseconds that a frame takes once the line is free. */
  delayUs({ link, frame }: FrameId): number {
    const { latencyUs, jitterUs, tailOneIn } = this.present;
    const { from, to, random } = this;
    const delayUs = latencyUs + random.below(jitterUs + 1, 'jitter', from, to, link, frame);
    if (tailOneIn === 0) return delayUs;
    const isInTail = random.below(tailOneIn, 'tail', from, to, link, frame) === 0;
    return isInTail ? delayUs * TAIL_FACTOR : delayUs;
  }

  /** True for so many frames of a thousand, each with a luck of its own for each label. */
  isStruck(label: string, perMille: number, { link, frame }: FrameId): boolean {
    if (perMille === 0) return false;
    return this.random.below(1_000, label, this.from, this.to, link, frame) < perMille;
  }

  /** How late a frame is that others overtake, or a copy: from 1 µs on. */
  lateUs(label: string, { link, frame }: FrameId): number {
    const { reorderUsMax } = this.present;
    return 1 + this.random.below(reorderUsMax, label, this.from, this.to, link, frame);
  }

  private settle(): void {
    const all = [...this.impairments];
    const { healthy } = this;
    const worst = (of: (each: Partial<Route>) => number | undefined): number =>
      Math.max(of(healthy) ?? 0, ...all.map((each) => of(each) ?? 0));
    const slowest = Math.min(
      healthy.bandwidth ?? Infinity,
      ...all.map(({ bandwidth = Infinity }) => bandwidth),
    );
    this.cutCount = all.filter(({ isCut }) => isCut).length;
    this.present = {
      ...healthy,
      latencyUs: all.reduce((sum, { extraUs = 0 }) => sum + extraUs, healthy.latencyUs),
      bandwidth: slowest === Infinity ? null : slowest,
      lossPerMille: worst((each) => each.lossPerMille),
      duplicatePerMille: worst((each) => each.duplicatePerMille),
      reorderPerMille: worst((each) => each.reorderPerMille),
    };
  }
}
