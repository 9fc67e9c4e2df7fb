import type { SessionId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { CommandBody } from '../wire/command.ts';
import { encodeBody, encodePayload } from '../wire/command.ts';
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
    const stamp = { ackedBelow: 0, stampMs: this.clock.wallMs() };
    const admission = this.engine.propose(
      bodies.map((body) => ({
        type: 'command' as const,
        payload: encodePayload(encodeBody(body), stamp),
        internal: true,
      })),
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
