// Who reaches whom, and how fast. Every direction between two processes is a matter of its own:
// a cut from a to b leaves b to a as it was.

import type { KeyedRandom } from './random.ts';

/** How frames travel from one process to another. */
export interface Route {
  /** Constant part of the way, microseconds. */
  readonly latencyUs: number;
  /** Drawn part of the way: 0 up to so many microseconds for each frame. */
  readonly jitterUs: number;
  /** Bytes per second of one link; null: without limit. */
  readonly bandwidth: number | null;
}

/** From how much to how much the latencies of a world's pairs are drawn. */
export interface LatencySettings {
  /** Default 50. */
  readonly latencyUsMin?: number;
  /** Default 250. */
  readonly latencyUsMax?: number;
  /** Default 50. */
  readonly jitterUs?: number;
}

/** The directed matrix of routes and cuts between named processes. */
export class Topology {
  private readonly random: KeyedRandom;
  private readonly latency: Required<LatencySettings>;
  private readonly routes = new Map<string, Route>();
  private readonly cuts = new Map<string, readonly [string, string]>();

  constructor(random: KeyedRandom, latency: LatencySettings) {
    this.random = random;
    this.latency = { latencyUsMin: 50, latencyUsMax: 250, jitterUs: 50, ...latency };
  }

  /** Nothing gets from one to the other any more; what is under way is not lost, but stands. */
  cut(from: string, to: string): void {
    this.cuts.set(directed(from, to), [from, to]);
  }

  /** Opens one direction again. */
  mend(from: string, to: string): void {
    this.cuts.delete(directed(from, to));
  }

  /** Opens every direction. */
  mendAll(): void {
    this.cuts.clear();
  }

  isCut(from: string, to: string): boolean {
    return this.cuts.has(directed(from, to));
  }

  /** Changes the route of one direction, for frames sent from now on. */
  setRoute(from: string, to: string, change: Partial<Route>): void {
    this.routes.set(directed(from, to), { ...this.route(from, to), ...change });
  }

  route(from: string, to: string): Route {
    const key = directed(from, to);
    const known = this.routes.get(key);
    if (known !== undefined) return known;
    const { latencyUsMin, latencyUsMax, jitterUs } = this.latency;
    const span = latencyUsMax - latencyUsMin + 1;
    const latencyUs = latencyUsMin + this.random.below(span, 'latency', from, to);
    const route = { latencyUs, jitterUs, bandwidth: null };
    this.routes.set(key, route);
    return route;
  }

  /** Microseconds that this frame of this link between the two takes once the line is free. */
  delayUs(from: string, to: string, { link, frame }: { link: number; frame: number }): number {
    const { latencyUs, jitterUs } = this.route(from, to);
    return latencyUs + this.random.below(jitterUs + 1, 'jitter', from, to, link, frame);
  }
}

function directed(from: string, to: string): string {
  return `${from}>${to}`;
}
