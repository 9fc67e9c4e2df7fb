import { HoldfastError } from '../base/error.ts';
import type { SessionId } from '../base/units.ts';
import { askNode } from '../client/single-request.ts';
import type { SingleRequestPorts } from '../client/single-request.ts';
import type { HoldingView, SessionHoldings } from '../locks/outcomes.ts';
import { resolveAddresses } from './addresses.ts';
import type { AddressOptions } from './addresses.ts';
import { withPorts } from './node-ports.ts';
import { askStatuses, leaderOf } from './node-status.ts';

const PATIENCE_MS = 5_000;
const PAGE = 1_000;
/** A session holds 10,000 names at most; each page has one at least. */
const PAGES_MAX = 10_000;

/**
 * All that a session holds and waits for, in the order of its requests; null when it is gone.
 * Rejects with UNAVAILABLE or NOT_LEADER when no leader answers.
 */
export async function holdingsOf(
  session: SessionId,
  options: AddressOptions,
): Promise<readonly HoldingView[] | null> {
  const addresses = await resolveAddresses(options, process.env);
  return withPorts(async (ports) => {
    const leader = leaderOf(await askStatuses(ports, addresses, PATIENCE_MS));
    if (leader === undefined) throw new HoldfastError('UNAVAILABLE', 'no node leads');
    const all: HoldingView[] = [];
    for (let after = 0, page = 0; page < PAGES_MAX; page++) {
      const found = await pageOf(ports, leader.address, { session, after });
      if (found === null) return null;
      all.push(...found.holdings);
      after = found.holdings.at(-1)?.acquireSeq ?? after;
      if (!found.hasMore) break;
    }
    return all;
  });
}

async function pageOf(
  ports: SingleRequestPorts,
  address: string,
  of: { readonly session: SessionId; readonly after: number },
): Promise<SessionHoldings | null> {
  const query = { kind: 'holdings', ...of, limit: PAGE } as const;
  const question = { type: 'query', query } as const;
  const result = await askNode(ports, { address, question, patienceMs: PATIENCE_MS });
  if (result.kind === 'holdings') return result.holdings;
  if (result.kind === 'refused') throw new HoldfastError(result.code, result.message);
  throw new HoldfastError('INTERNAL', `holdings were answered with ${result.kind}`);
}
