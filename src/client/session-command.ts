import type { HoldfastError } from '../base/error.ts';
import type { Revision } from '../base/units.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { CommandMessage } from '../wire/client-messages.ts';
import { encodeBody } from '../wire/command.ts';
import type { CommandBody } from '../wire/command.ts';
import type { Decision, Exchange } from './exchange.ts';
import type { Numbering } from './sequence.ts';

/** What becomes of a command. */
export interface CommandOwner {
  onOutcome(outcome: Outcome, revision: Revision): void;
  onFail(error: HoldfastError): void;
}

/**
 * A numbered command of a session. It gets its number and its bytes when it is first sent, and
 * keeps both: whatever is lost on the way, it is executed once (DESIGN.md §5).
 */
export class SessionCommand implements Exchange {
  /** 0 until it was sent once. */
  seq = 0;
  private readonly sequence: Numbering;
  private readonly build: (seq: number) => CommandBody;
  private readonly owner: CommandOwner;
  private body: Uint8Array | null = null;

  constructor(sequence: Numbering, build: (seq: number) => CommandBody, owner: CommandOwner) {
    this.sequence = sequence;
    this.build = build;
    this.owner = owner;
  }

  transmit(requestId: number): CommandMessage | null {
    if (this.body === null) {
      const seq = this.sequence.admit();
      if (seq === null) return null;
      this.seq = seq;
      this.body = encodeBody(this.build(seq));
    }
    const ackedBelow = this.sequence.ackedBelow();
    return { type: 'command', requestId, ackedBelow, body: this.body };
  }

  decide(decision: Decision): void {
    if (decision.kind !== 'outcome') return;
    this.sequence.settle(this.seq);
    this.owner.onOutcome(decision.outcome, decision.revision);
  }

  fail(error: HoldfastError): void {
    this.owner.onFail(error);
  }
}
