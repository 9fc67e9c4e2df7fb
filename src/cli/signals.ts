import { FORWARDED_SIGNALS } from './child.ts';
import type { ForwardedSignal } from './child.ts';

/** Hands every catchable signal that would end us to `handler`. Returns the way to stop that. */
export function onSignals(handler: (signal: ForwardedSignal) => void): () => void {
  const listeners = FORWARDED_SIGNALS.map((signal) => {
    const listener = (): void => {
      handler(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}
