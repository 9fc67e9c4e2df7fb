// One after the other: what reads, decides and writes must not be cut in two by another that does.

import { HoldfastError } from '../base/error.ts';

/** How many may wait for their turn at one thing. */
const WAITING_MAX = 10_000;

/** Runs work in its turn; rejects with OVERLOADED, without running it, when too many wait. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** A queue of its own. */
export function newTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (work) => {
    if (waiting >= WAITING_MAX) {
      const text = `${waiting} writes wait for their turn already; nothing was done`;
      return Promise.reject(new HoldfastError('OVERLOADED', text));
    }
    waiting += 1;
    const result = last.then(work).finally(() => (waiting -= 1));
    last = result.catch(() => undefined);
    return result;
  };
}

/** Queues by name; one that nobody waits in is forgotten. */
export function turnsByName(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { readonly inTurn: Turns; users: number }>();
  return async (name, work) => {
    const queue = queues.get(name) ?? { inTurn: newTurns(), users: 0 };
    queues.set(name, queue);
    queue.users += 1;
    try {
      return await queue.inTurn(work);
    } finally {
      queue.users -= 1;
      if (queue.users === 0) queues.delete(name);
    }
  };
}
