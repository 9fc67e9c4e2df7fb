// What a resumed session does before anything else, once the cluster has confirmed that it lives:
//
// 1. Asks above which number no request of its former process can be.
// 2. Sends a cancel with the number above, which acknowledges all below. Once it is applied, a late
//    request of the former process is STALE_SEQ: it can take nothing any more.
// 3. Asks what the session has. Nothing is added to that from now on but by this process.
// 4. Offers the grants, and cancels what waits, for nobody does.

import type { HoldfastError } from '../base/error.ts';
import type { HoldingView, SessionHoldings } from '../locks/outcomes.ts';
import { sendCancel } from './cancel.ts';
import type { QueryAnswer, Ticket } from './exchange.ts';
import { SessionGrant } from './grant.ts';
import type { GrantStart } from './hold.ts';
import { QueryExchange } from './query-exchange.ts';
import { SessionCommand } from './session-command.ts';
import { WINDOW_MAX } from './sequence.ts';
import type { Sequence } from './sequence.ts';
import type { Session } from './session.ts';

const PAGE = 1_000;

/** Who resumes. */
export interface RecoveryOwner {
  onRecovered(): void;
  /** The session ended in the meantime. */
  onGone(text: string): void;
  /** Nothing more is sent: the client is closed, or the cluster another one. */
  onFailed(error: HoldfastError): void;
}

/** See the head of this file. */
export class Recovery {
  private readonly session: Session;
  private readonly sequence: Sequence;
  private readonly owner: RecoveryOwner;
  // Bounded by the cluster's limit of holdings per session.
  private readonly found: HoldingView[] = [];
  private ticket: Ticket | null = null;

  constructor(session: Session, sequence: Sequence, owner: RecoveryOwner) {
    this.session = session;
    this.sequence = sequence;
    this.owner = owner;
  }

  start(): void {
    this.ask(0, 1, ({ nextSeq }) => this.fence(nextSeq));
  }

  /** Idempotent. */
  stop(): void {
    this.ticket?.drop();
    this.ticket = null;
  }

  private ask(after: number, limit: number, then: (holdings: SessionHoldings) => void): void {
    const session = this.session.id ?? '';
    const onAnswer = (answer: QueryAnswer): void => {
      if (answer.kind !== 'holdings') return;
      if (answer.holdings === null) this.owner.onGone('it ended before it was resumed');
      else then(answer.holdings);
    };
    const query = { kind: 'holdings', session, after, limit } as const;
    const exchange = new QueryExchange(query, { onAnswer, onFail: this.owner.onFailed });
    this.ticket = this.session.parts.requests.submit(exchange);
  }

  // A client may have used numbers up to its own window above those that the cluster knows. The
  // cancel names a number that nobody has used, and so takes nothing back.
  private fence(nextSeq: number): void {
    const unused = nextSeq + WINDOW_MAX;
    this.sequence.startAt(unused + 1);
    const session = this.session.id ?? '';
    const command = new SessionCommand(
      this.sequence,
      (seq) => ({ op: 'cancel', session, seq, acquireSeq: unused }),
      {
        onOutcome: (outcome) => {
          if (outcome.code === 'SESSION_GONE') this.owner.onGone(outcome.message);
          else this.list(0);
        },
        onFail: this.owner.onFailed,
      },
    );
    this.ticket = this.session.parts.requests.submitFreeing(command);
  }

  private list(after: number): void {
    this.ask(after, PAGE, ({ holdings, hasMore }) => {
      this.found.push(...holdings);
      const last = holdings.at(-1);
      if (hasMore && last !== undefined) this.list(last.acquireSeq);
      else this.finish();
    });
  }

  private finish(): void {
    const { session, found } = this;
    const { maxHoldMs } = session.parts.settings;
    for (const holding of found) {
      if (holding.token === 0) sendCancel(session, holding.acquireSeq);
      else new SessionGrant(session, { ...holding, maxHoldMs, modes: modesOf(holding) });
    }
    this.owner.onRecovered();
  }
}

/** The cluster tells how the first name is held. */
function modesOf({ names }: HoldingView): GrantStart['modes'] {
  return names.length === 1 ? [] : null;
}
