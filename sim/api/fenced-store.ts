// A resource that locks protect, as one behind a network is: a write that has left its process
// arrives, even if the process stands still or dies meanwhile.

import { HoldfastError, describeValue } from '../../src/base/error.ts';
import type { Token } from '../../src/base/units.ts';
import type { World as EventWorld } from '../world/world.ts';
import { grounds } from './ground.ts';

/** A write to a store. */
export interface StoreWrite {
  /** That of the grant under which it is made; a whole number from 0. */
  readonly token: Token;
  /** Anything; what JSON shows of it becomes part of the trace hash. */
  readonly value: unknown;
}

/** A write that arrived. */
export interface StoreRecord {
  /** What came with it. */
  readonly token: Token;
  /** What was to be written. */
  readonly value: unknown;
  /** The process that wrote. */
  readonly by: string;
  /** Virtual milliseconds since the scenario began. */
  readonly atMs: number;
  /** False: a larger token was there before, so it was refused. */
  readonly isWritten: boolean;
}

/** Refuses a write whose token is smaller than one it has seen. */
export interface FencedStore {
  /** As given to `World.fencedStore`. */
  readonly name: string;
  /** What was written last; null before the first write. For checks: it takes no time. */
  readonly value: unknown;
  /** All writes that arrived, in their order. */
  readonly history: readonly StoreRecord[];
  /** Takes 0.2 to 2 virtual milliseconds, whatever happens to the network of the cluster. */
  write(write: StoreWrite): Promise<'written' | 'stale'>;
  /** As long as a write: gives what was written last. */
  read(): Promise<unknown>;
}

/** What a store needs of its world. */
export interface StoreHome {
  readonly world: EventWorld;
  nowMs(): number;
  /** A write arrived. */
  onWrite(store: string, record: StoreRecord): void;
}

const WAY_US_MIN = 100;
const WAY_US_SPAN = 900;

/** See the head of this file. */
export class WorldStore implements FencedStore {
  readonly name: string;
  readonly history: StoreRecord[] = [];
  private readonly home: StoreHome;
  private newest: Token = 0;
  private current: unknown = null;
  private journeys = 0;
  private away = 0;

  constructor(name: string, home: StoreHome) {
    this.name = name;
    this.home = home;
  }

  get value(): unknown {
    return this.current;
  }

  /** Writes and reads that are under way. */
  get underWay(): number {
    return this.away;
  }

  write({ token, value }: StoreWrite): Promise<'written' | 'stale'> {
    if (!Number.isSafeInteger(token) || token < 0) {
      const text = `token must be that of a grant (got ${describeValue(token)})`;
      return Promise.reject(new HoldfastError('INVALID', text));
    }
    return this.visit((by) => (this.take({ token, value }, by) ? 'written' : 'stale'));
  }

  read(): Promise<unknown> {
    return this.visit(() => this.current);
  }

  private take(write: StoreWrite, by: string): boolean {
    const isWritten = write.token >= this.newest;
    if (isWritten) {
      this.newest = write.token;
      this.current = write.value;
    }
    const record = { ...write, by, atMs: this.home.nowMs(), isWritten };
    this.history.push(record);
    this.home.onWrite(this.name, record);
    return isWritten;
  }

  /** To the store, and back to the process that asks; nothing comes back to a dead one. */
  private visit<T>(act: (by: string) => T): Promise<T> {
    const { world } = this.home;
    const ground = grounds.getStore();
    const life = ground?.own?.life;
    if (ground === undefined || life === undefined) {
      return Promise.reject(
        new HoldfastError('INVALID', `the store ${this.name} was asked from outside of its world`),
      );
    }
    return new Promise((resolve, reject) => {
      if (!life.isAlive) return;
      this.away += 1;
      world.after(this.wayUs(), () => {
        world.at(world.nowUs, () => {
          let settle: () => void;
          try {
            const result = act(ground.name);
            settle = () => resolve(result);
          } catch (error) {
            settle = () => reject(error);
          }
          life.schedule(world.nowUs + this.wayUs(), {
            kind: 'message',
            lane: this.name,
            run: settle,
          });
          this.away -= 1;
        });
      });
    });
  }

  private wayUs(): number {
    const { random } = this.home.world;
    this.journeys += 1;
    return WAY_US_MIN + random.below(WAY_US_SPAN, 'store', this.name, this.journeys);
  }
}
