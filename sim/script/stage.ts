// Where a scene is put together: some faults and operations that belong to each other, at times
// counted from the beginning of the scene.

import type { Dice } from './dice.ts';
import type { Fault, FaultKind, Knobs, Net, Op, OpKind, Past, Shape } from './types.ts';

/** Operations get their ids when the whole script is there. */
export type OpPlan = Omit<Op, 'id'>;

/** Parts that have a default: 0. */
export interface Strike {
  readonly afterMs?: number;
  readonly target?: number;
  readonly forMs?: number;
  readonly arg?: number;
}

/** Parts that have a default: at once, the first client, the scene's key, 20 ms, a drawn `arg`. */
export interface Ask {
  readonly afterMs?: number;
  readonly client?: number;
  readonly key?: number;
  readonly holdMs?: number;
  readonly arg?: number;
}

/** Settings for which a scene asks; the rest is drawn. */
export interface Wishes {
  readonly knobs?: Partial<Knobs>;
  readonly net?: Partial<Net>;
  readonly past?: Partial<Past>;
}

/** Of a long fault: more than a lease, so that whoever is silent is given up. */
const LASTING_MS = 1_400;

/** So many of the locks, the last ones, are mostly left to scenes. */
export const SCENE_KEYS = 2;

/** Collects one scene. */
export class Stage {
  readonly faults: Fault[] = [];
  readonly ops: OpPlan[] = [];
  /** Settings under which the scene is most dangerous. */
  wishes: Wishes = {};
  readonly shape: Shape;
  /** The lock that the scene is about; other operations mostly leave it and the next one alone. */
  readonly key: number;
  private lastMs = 0;
  private readonly dice: Dice;
  private readonly number: number;
  private readonly startMs: number;

  /** `number` keys the luck of this scene among those of its script. */
  constructor(dice: Dice, shape: Shape, { number, startMs }: { number: number; startMs: number }) {
    this.dice = dice;
    this.shape = shape;
    this.number = number;
    this.startMs = startMs;
    this.key = Math.max(0, shape.keys - SCENE_KEYS);
  }

  /** A drawn whole number, from `min` to `max`. */
  drawn(min: number, max: number, label: string): number {
    return this.dice.within({ min, max }, label, this.number);
  }

  isHit(perMille: number, label: string): boolean {
    return this.dice.isHit(perMille, label, this.number);
  }

  pick<const T>(list: readonly T[], label: string): T {
    return this.dice.pick(list, label, this.number);
  }

  /** A client, counted from 0. */
  drawnClient(): number {
    return this.drawn(0, this.shape.clients - 1, 'scene client');
  }

  /** A node by number, or 0: whoever leads. */
  drawnNode(label: string): number {
    return this.drawn(0, this.shape.nodes, label);
  }

  strike(kind: FaultKind, { afterMs = 0, target = 0, forMs = 0, arg = 0 }: Strike): void {
    this.faults.push({ kind, target, atMs: this.startMs + afterMs, forMs, arg });
  }

  ask(kind: OpKind, { afterMs = 0, client = 0, key = this.key, holdMs = 20, arg }: Ask): void {
    const atMs = this.startMs + afterMs;
    const drawn = this.drawn(0, 15, `ask ${this.ops.length}`);
    this.ops.push({ client, kind, key, atMs, holdMs, arg: arg ?? drawn });
  }

  /** What it is about comes so late. */
  lasts(afterMs: number): void {
    this.lastMs = this.startMs + afterMs;
  }

  /** When everything of it has begun, and long faults had time to show. */
  get endMs(): number {
    const ends = this.faults.map(({ atMs, forMs }) => atMs + Math.min(forMs, LASTING_MS));
    return Math.max(this.lastMs, ...ends, ...this.ops.map(({ atMs }) => atMs));
  }

  /** All clients ask for locks within `spanMs`, two requests each. */
  clamour(afterMs: number, spanMs: number): void {
    for (let place = 0; place < this.shape.clients * 2; place++) {
      const key = this.drawn(0, this.shape.keys - 1, `clamour key ${afterMs} ${place}`);
      const delayMs = this.drawn(0, spanMs, `clamour ${afterMs} ${place}`);
      const client = place % this.shape.clients;
      this.ask('acquire', { afterMs: afterMs + delayMs, client, key, holdMs: place });
    }
  }
}
