// Who waits until something is so, which is looked at after each event.

import { InvariantError } from '../../src/base/assert.ts';
import type { World as EventWorld } from '../world/world.ts';
import type { OwnGround } from './ground.ts';

interface Until {
  readonly own: OwnGround;
  readonly isTrue: () => boolean;
  readonly end: (error: Error | null) => void;
}

const UNTILS_MAX = 10_000;

/** See the head of this file. */
export class Untils {
  private readonly world: EventWorld;
  private list: Until[] = [];

  constructor(world: EventWorld) {
    this.world = world;
  }

  /** Those that wait. */
  get size(): number {
    return this.list.length;
  }

  /** Resolves, in the process that waits, when it is so; rejects when that takes too long. */
  add(own: OwnGround, isTrue: () => boolean, withinMs: number): Promise<void> {
    if (this.list.length >= UNTILS_MAX) throw new InvariantError(`${UNTILS_MAX} wait already`);
    const { life, timers } = own;
    return new Promise((resolve, reject) => {
      const patience = timers.add(withinMs, () => {
        this.list = this.list.filter((each) => each !== until);
        reject(new Error(`did not come within ${withinMs} ms: ${shownOf(isTrue)}`));
      });
      const until: Until = {
        own,
        isTrue,
        end: (error) => {
          const run = (): void => {
            patience.cancel();
            if (error === null) resolve();
            else reject(error);
          };
          life.schedule(this.world.nowUs, { kind: 'control', run });
        },
      };
      this.list.push(until);
    });
  }

  /** To be called after each event. */
  look(): void {
    if (this.list.length === 0) return;
    const before = this.list;
    const after = before.filter((until) => !this.isOver(until));
    if (after.length < before.length) this.list = after;
  }

  private isOver({ own, isTrue, end }: Until): boolean {
    if (!own.life.isAlive) return true;
    try {
      if (!isTrue()) return false;
      end(null);
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)));
    }
    return true;
  }
}

function shownOf(isTrue: () => boolean): string {
  const text = isTrue.toString().replaceAll(/\s+/g, ' ');
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
