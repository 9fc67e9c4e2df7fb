// What LevelDB is told with each batch, whichever way the batch is handed over.

import { Level } from 'level';
import { vi } from 'vitest';

/** From now on, the options of every write of every store; until vi.restoreAllMocks(). */
export function watchWrites(): readonly unknown[] {
  const written: unknown[] = [];
  const { batch } = Object.getPrototypeOf(Level.prototype);
  vi.spyOn(Level.prototype, 'batch').mockImplementation(function watched(
    this: Level,
    ...given: readonly unknown[]
  ) {
    const made = batch.apply(this, given);
    if (given.length > 0) {
      written.push(given[1]);
      return made;
    }
    const { write } = made;
    made.write = (options: unknown) => {
      written.push(options);
      return write.call(made, options);
    };
    return made;
  });
  return written;
}
