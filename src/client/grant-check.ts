import { probes } from '../base/probe.ts';
import type { Held } from './holdings.ts';
import type { Loss } from './loss.ts';
import { QueryExchange } from './query-exchange.ts';
import type { Session } from './session.ts';

const GONE: Loss = {
  code: 'BROKEN',
  text: 'the cluster no longer has the grant: it was broken while no node was reached',
  details: {},
};

/**
 * Finds out whether grants still stand, since the news of a break may have passed while no link
 * was attached. A question costs the log nothing. An unanswered one is sent again after every
 * reconnect by itself, so each grant has one at most.
 */
export class GrantChecks {
  private readonly session: Session;
  private readonly asked = new Set<number>();

  constructor(session: Session) {
    this.session = session;
  }

  /** Asks about everything that the session holds now. */
  ask(): void {
    for (const [acquireSeq, held] of this.session.holdings.grants()) {
      if (!this.asked.has(acquireSeq)) this.askAbout(acquireSeq, held);
    }
  }

  private askAbout(acquireSeq: number, held: Held): void {
    const { id, holdings, parts } = this.session;
    if (id === null) return;
    this.asked.add(acquireSeq);
    const exchange = new QueryExchange(
      { kind: 'grant', session: id, acquireSeq },
      {
        onAnswer: (answer) => {
          this.asked.delete(acquireSeq);
          // Released or lost in the meantime: the answer concerns nobody.
          if (answer.kind !== 'grant' || holdings.heldBy(acquireSeq) !== held) return;
          probes.sometimes('grant-found-gone', answer.token === 0);
          if (answer.token === 0) held.onLost(GONE);
        },
        onFail: () => this.asked.delete(acquireSeq),
      },
    );
    parts.requests.submit(exchange);
  }
}
