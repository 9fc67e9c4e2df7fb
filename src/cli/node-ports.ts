import { createSystemClock } from '../adapters/system-clock.ts';
import { createWsTransport } from '../adapters/ws-transport.ts';
import type { SingleRequestPorts } from '../client/single-request.ts';

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
