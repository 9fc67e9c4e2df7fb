// Rejections that nobody hears: in a world they are those of the program in which they came about,
// and whoever listens for those of this process is not told of them.

import process from 'node:process';
import { grounds } from './ground.ts';
import { Shared } from './shared.ts';

const EVENT = 'unhandledRejection';

/** While somebody is in. */
export const rejections = new Shared(() => {
  const others = process.listeners(EVENT);
  const listener = (reason: unknown, promise: Promise<unknown>): void => {
    const ground = grounds.getStore();
    if (ground !== undefined) return ground.world.onUncaught(ground, reason);
    for (const other of others) other(reason, promise);
    // As Node does it when nobody listens.
    if (others.length === 0) throw reason;
  };
  process.removeAllListeners(EVENT);
  process.on(EVENT, listener);
  return () => {
    process.off(EVENT, listener);
    for (const other of others) process.on(EVENT, other);
  };
});
