// Who reaches whom, and how fast. Every direction between two processes is a matter of its own:
// a cut from a to b leaves b to a as it was.

import { Direction } from './direction.ts';
import type { Route } from './direction.ts';
import type { KeyedRandom } from './random.ts';

/** Routes without faults: what is not said of a world's pairs is drawn for each of them. */
export interface RouteSettings extends Partial<Omit<Route, 'latencyUs' | 'bandwidth'>> {
  /** Default 50. */
  readonly latencyUsMin?: number;
  /** Default 250. */
  readonly latencyUsMax?: number;
}

const DEFAULTS: Required<RouteSettings> = {
  latencyUsMin: 50,
  latencyUsMax: 250,
  jitterUs: 50,
  tailOneIn: 0,
  lossPerMille: 0,
  duplicatePerMille: 0,
  reorderPerMille: 0,
  reorderUsMax: 200_000,
};

/** The directions between named processes. */
export class Topology {
  private readonly random: KeyedRandom;
  private readonly settings: Required<RouteSettings>;
  private readonly directions = new Map<string, Map<string, Direction>>();

  constructor(random: KeyedRandom, settings: RouteSettings) {
    this.random = random;
    this.settings = { ...DEFAULTS, ...settings };
  }

  /** Always the same object for the same two. */
  direction(from: string, to: string): Direction {
    const known = this.directions.get(from)?.get(to);
    if (known !== undefined) return known;
    const direction = new Direction(from, to, {
      route: this.route(from, to),
      random: this.random,
    });
    const ways = this.directions.get(from) ?? new Map<string, Direction>();
    this.directions.set(from, ways.set(to, direction));
    return direction;
  }

  /** Opens one direction again, whatever is wrong with it. */
  mend(from: string, to: string): void {
    this.direction(from, to).mend();
  }

  /** Opens every direction. */
  mendAll(): void {
    for (const ways of this.directions.values()) for (const way of ways.values()) way.mend();
  }

  /** Changes the route of one direction, for frames sent from now on. */
  setRoute(from: string, to: string, change: Partial<Route>): void {
    this.direction(from, to).change(change);
  }

  private route(from: string, to: string): Route {
    const { latencyUsMin, latencyUsMax, ...rest } = this.settings;
    const span = latencyUsMax - latencyUsMin + 1;
    const latencyUs = latencyUsMin + this.random.below(span, 'latency', from, to);
    return { ...rest, latencyUs, bandwidth: null };
  }
}
