// node:timers/promises on the clock of a process.

import type { OwnGround } from '../ground.ts';

/** Resolves with the value after so many milliseconds; rejects when its signal aborts. */
export function delay(
  own: OwnGround,
  delayMs: unknown,
  value: unknown,
  options?: unknown,
): Promise<unknown> {
  const wanted = Number(delayMs);
  return settling(options, (resolve) => {
    const timer = own.timers.add(wanted >= 1 ? Math.trunc(wanted) : 1, () => resolve(value));
    return () => timer.cancel();
  });
}

/** Resolves with the value after everything that waits now. */
export function immediately(own: OwnGround, value: unknown, options?: unknown): Promise<unknown> {
  return settling(options, (resolve) => {
    own.life.soon(() => resolve(value));
    return () => {};
  });
}

/** As scheduler.yield. */
export function yielding(own: OwnGround): Promise<unknown> {
  return immediately(own, undefined);
}

/** Gives the value again and again, until its signal aborts. */
export async function* intervals(
  own: OwnGround,
  [delayMs, value, options]: readonly unknown[],
): AsyncGenerator<unknown> {
  const everyMs = Math.max(1, Math.trunc(Number(delayMs)) || 1);
  let dueUs = own.clock.monoUs();
  for (;;) {
    dueUs += everyMs * 1_000;
    await delay(own, (dueUs - own.clock.monoUs()) / 1_000, undefined, options);
    yield value;
  }
}

function settling(
  options: unknown,
  start: (resolve: (value: unknown) => void) => () => void,
): Promise<unknown> {
  const signal = signalOf(options);
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(abortError(signal));
    const cancel = start((value) => {
      signal?.removeEventListener('abort', onAbort);
      resolve(value);
    });
    const onAbort = (): void => {
      cancel();
      if (signal !== null) reject(abortError(signal));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function signalOf(options: unknown): AbortSignal | null {
  if (typeof options !== 'object' || options === null) return null;
  const signal: unknown = Reflect.get(options, 'signal');
  return signal instanceof AbortSignal ? signal : null;
}

/** As Node's own, which cannot be made from outside. */
function abortError(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}
