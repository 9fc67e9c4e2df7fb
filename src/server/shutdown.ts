// Ending the process of a node in good order. Only the command line's node process calls this:
// a library must not take its host program's signals.

import type { HostExit } from '../node/host-types.ts';
import type { RunningNode } from './server.ts';

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Waits until the node ends, by SIGTERM or SIGINT (exit code 0 after a clean stop) or by itself.
 * A second signal ends the process at once, as the signal would have.
 */
export function waitForEnd(node: RunningNode): Promise<HostExit> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: keyof typeof SIGNALS): void => {
      if (isStopping) process.exit(128 + SIGNALS[signal]);
      isStopping = true;
      const end = (): void => finish({ exitCode: 0, message: `stopped by ${signal}` });
      node.stop().then(end, end);
    };
    const finish = (exit: HostExit): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve(exit);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    void node.ended.then(finish);
  });
}
