import type { Held } from './holdings.ts';
import type { Loss } from './loss.ts';
import { QueryExchange } from './query-exchange.ts';
import type { Session } from './session.ts';

const GONE: Loss = {
  code: 'BROKEN',
  text: 'the cluster no longer lists the grant: it was broken while no node was reached',
  details: {},
};

/**
 * Finds out whether a grant still stands, since the news of a break may have passed while no link
 * was attached. A question costs the log nothing.
 */
export function checkGrant(session: Session, acquireSeq: number, held: Held): void {
  const name = held.names[0] ?? '';
  const query = { kind: 'inspect', name } as const;
  const exchange = new QueryExchange(query, {
    onAnswer: (answer) => {
      // Released or lost in the meantime: the answer concerns nobody.
      if (answer.kind !== 'lock' || session.holdings.heldBy(acquireSeq) !== held) return;
      const isListed = answer.lock.holders.some(
        (holder) => holder.session === session.id && holder.acquireSeq === acquireSeq,
      );
      if (!isListed) held.onLost(GONE);
    },
    onFail: () => {},
  });
  session.parts.requests.submit(exchange);
}
