// Rejections that nobody hears: in a world they are those of the program in which they came about,
// and whoever listens for those of this process is not told of them.

import process from 'node:process';
import { grounds } from './ground.ts';

const EVENT = 'unhandledRejection';

type Listener = (reason: unknown, promise: Promise<unknown>) => void;

class Rejections {
  private users = 0;
  private others: readonly Listener[] = [];
  private readonly listener: Listener = (reason, promise) => this.hear(reason, promise);

  /** Until the function that it gives is called. */
  enter(): () => void {
    this.users += 1;
    if (this.users === 1) {
      this.others = process.listeners(EVENT);
      process.removeAllListeners(EVENT);
      process.on(EVENT, this.listener);
    }
    return () => {
      this.users -= 1;
      if (this.users > 0) return;
      process.off(EVENT, this.listener);
      for (const other of this.others) process.on(EVENT, other);
    };
  }

  private hear(reason: unknown, promise: Promise<unknown>): void {
    const ground = grounds.getStore();
    if (ground !== undefined) return ground.world.onUncaught(ground, reason);
    for (const other of this.others) other(reason, promise);
    // As Node does it when nobody listens.
    if (this.others.length === 0) throw reason;
  }
}

/** Of this process, which has one such event. */
export const rejections = new Rejections();
