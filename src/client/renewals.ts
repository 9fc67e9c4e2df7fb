import type { ClientPorts } from './client-types.ts';
import { LeaseClock, originOf } from './lease-clock.ts';
import { SharedCells } from './lease-cells.ts';
import type { Links } from './links.ts';
import type { Settings } from './options.ts';
import { LoopRenewals } from './renewal-host.ts';
import type { RenewalHost } from './renewal-host.ts';
import { ThreadRenewals } from './thread-renewals.ts';

/** The clock that a client's leases are measured with, and who renews them. */
export interface Renewals {
  readonly leaseClock: LeaseClock;
  readonly renewals: RenewalHost;
}

/**
 * As the settings say: from the client's loop, or from a thread, which begins at once. `onReady`:
 * see RenewalHost.isReady.
 */
export function createRenewals(
  ports: ClientPorts & { readonly onReady: () => void },
  settings: Settings,
  links: Links,
): Renewals {
  const { clock, random, startThread } = ports;
  if (settings.keepAlive === 'loop' || startThread === undefined) {
    const leaseClock = new LeaseClock(clock);
    return { leaseClock, renewals: new LoopRenewals({ clock, random, leaseClock, links }) };
  }
  const origin = { ...originOf(clock, SharedCells.make(1)), suspended: SharedCells.make(1) };
  const leaseClock = new LeaseClock(clock, origin);
  const own = { ...ports, startThread, leaseClock, links, settings, origin };
  return { leaseClock, renewals: new ThreadRenewals(own) };
}
