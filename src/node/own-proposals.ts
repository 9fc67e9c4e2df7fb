import type { SessionId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { CommandBody } from '../wire/command.ts';
import { encodeBody } from '../wire/command.ts';
import { encodePayloads } from '../wire/payloads.ts';
import type { Engine } from './engine.ts';
import type { Office } from './office.ts';

/** What a leader appends by itself, for nobody who waits for an answer. */
export class OwnProposals {
  private readonly clock: Clock;
  private readonly engine: Engine;

  constructor(clock: Clock, engine: Engine) {
    this.clock = clock;
    this.engine = engine;
  }

  /** How many of the list were appended, from its beginning on. */
  propose(bodies: readonly CommandBody[]): number {
    const requests = bodies.map((body) => ({ body: encodeBody(body), ackedBelow: 0 }));
    const { payloads, record } = encodePayloads(requests, this.clock.wallMs());
    const admission = this.engine.propose(
      payloads.map((payload) => ({ type: 'command' as const, payload, internal: true, record })),
    );
    return admission.accepted;
  }

  /** Soon takes a waiter out of its queues, if this node leads then. */
  withdraw(office: Office, session: SessionId, acquireSeq: number): void {
    this.clock.soon(() => {
      const { term: proposerTerm } = office;
      if (proposerTerm === null) return;
      this.propose([{ op: 'withdraw', session, acquireSeq, proposerTerm }]);
    });
  }
}
