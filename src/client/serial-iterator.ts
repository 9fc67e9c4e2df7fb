/** What an iterator takes its values from. */
export interface Source<T> {
  /** The next value, or null at the end. Not called again before the last call has settled. */
  next(): Promise<T | null>;
  /** Ends it; a call of next that waits settles with null. */
  close(): void;
}

/**
 * An iterator that may be asked for several values at once, and ended while it waits for one, as
 * an async generator may not.
 */
export function serialIterator<T>(source: Source<T>): AsyncIterator<T, undefined> {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    next: () => {
      const mine = turn.then(() => source.next()).then(resultOf);
      turn = mine.catch(() => {}); // its own caller sees it
      return mine;
    },
    return: () => {
      source.close();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

function resultOf<T>(value: T | null): IteratorResult<T, undefined> {
  return value === null ? { done: true, value: undefined } : { done: false, value };
}
