import type { HoldfastError } from '../base/error.ts';
import type { Revision } from '../base/units.ts';
import type { ClientFrame } from '../wire/client-frame.ts';
import type { Query } from '../wire/client-messages.ts';
import type { Decision, Exchange, QueryAnswer } from './exchange.ts';

/** Who asked. */
export interface QueryOwner {
  onAnswer(answer: QueryAnswer, revision: Revision): void;
  onFail(error: HoldfastError): void;
}

/** A question to the leader. It changes nothing and may be asked any number of times. */
export class QueryExchange implements Exchange {
  private readonly query: Query;
  private readonly owner: QueryOwner;

  constructor(query: Query, owner: QueryOwner) {
    this.query = query;
    this.owner = owner;
  }

  transmit(frame: ClientFrame, requestId: number): boolean {
    frame.message({ type: 'query', requestId, query: this.query });
    return true;
  }

  decide(decision: Decision): void {
    if (decision.kind === 'answer') this.owner.onAnswer(decision.answer, decision.revision);
  }

  fail(error: HoldfastError): void {
    this.owner.onFail(error);
  }
}
