/** A broken invariant: continuing could do harm, so whoever sees it stops the node. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws InvariantError unless the condition holds. `what` states the invariant as a sentence. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new InvariantError(what);
}

/** The value, which an invariant says is there. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new InvariantError(`missing: ${what}`);
  return value;
}

/** Marks a branch that the types exclude. */
export function unreachable(value: never): never {
  throw new InvariantError(`unexpected: ${JSON.stringify(value)}`);
}
