import type { ForwardedSignal } from './child.ts';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly ForwardedSignal[];

/** Runs what goes on until it is told to stop: `work` gets a signal that Ctrl-C aborts. */
export async function untilStopped(work: (stop: AbortController) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const onSignal = (): void => {
    stop.abort();
  };
  for (const signal of ENDING) process.on(signal, onSignal);
  try {
    await work(stop);
  } finally {
    for (const signal of ENDING) process.off(signal, onSignal);
  }
}
