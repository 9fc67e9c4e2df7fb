/** What became of a promise so far; a rejection is handled by being looked at. */
export interface Observed<T> {
  isSettled: boolean;
  value: T | undefined;
  error: unknown;
}

export function observed<T>(promise: Promise<T>): Observed<T> {
  const state: Observed<T> = { isSettled: false, value: undefined, error: null };
  promise.then(
    (value) => Object.assign(state, { isSettled: true, value }),
    (error: unknown) => Object.assign(state, { isSettled: true, error }),
  );
  return state;
}
