import { createSystemClock } from '../adapters/system-clock.ts';
import { createWsTransport } from '../adapters/ws-transport.ts';
import type { PlannedNode } from '../client/founding.ts';
import type { SingleRequestPorts } from '../client/single-request.ts';
import { note, visible } from './output.ts';

/** Runs `work` with a clock and a transport that only dials, and closes every link afterwards. */
export async function withPorts<T>(work: (ports: SingleRequestPorts) => Promise<T>): Promise<T> {
  const transport = createWsTransport({});
  try {
    return await work({ clock: createSystemClock(), transport });
  } finally {
    await new Promise<void>((resolve) => {
      transport.close(resolve);
    });
  }
}

/** Tells whoever waits at the terminal for which node, and why. */
export function noteAwaited({ id, address }: PlannedNode, problem: string): void {
  note(`waiting for ${id} at ${address}: ${visible(problem)}`);
}
