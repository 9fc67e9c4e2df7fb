import type { HoldfastError } from '../base/error.ts';
import type { Revision } from '../base/units.ts';
import type { Outcome } from '../locks/outcomes.ts';
import type { ClientFrame } from '../wire/client-frame.ts';
import type { CommandBody } from '../wire/command.ts';
import type { Decision, Exchange } from './exchange.ts';
import type { Numbering } from './sequence.ts';

/** What becomes of a command. */
export interface CommandOwner {
  onOutcome(outcome: Outcome, revision: Revision): void;
  onFail(error: HoldfastError): void;
}

/**
 * A numbered command of a session. It gets its number when it is first sent and keeps it, and has
 * the same bytes whenever it is sent, since its body is made of what does not change: whatever is
 * lost on the way, it is executed once (DESIGN.md §5).
 */
export abstract class NumberedCommand implements Exchange, CommandOwner {
  /** 0 until it was sent once. */
  seq = 0;
  protected sequence: Numbering;

  constructor(sequence: Numbering) {
    this.sequence = sequence;
  }

  abstract onOutcome(outcome: Outcome, revision: Revision): void;
  abstract onFail(error: HoldfastError): void;
  /** The same for every transmission. */
  protected abstract body(): CommandBody;
  /** It is about to be sent for the first time. */
  protected onNumbered(): void {}

  transmit(frame: ClientFrame, requestId: number): boolean {
    if (this.seq === 0) {
      const seq = this.sequence.admit();
      if (seq === null) return false;
      this.seq = seq;
      this.onNumbered();
    }
    frame.command(requestId, this.sequence.ackedBelow(), this.body());
    return true;
  }

  decide(decision: Decision): void {
    if (decision.kind !== 'outcome') return;
    this.sequence.settle(this.seq);
    this.onOutcome(decision.outcome, decision.revision);
  }

  fail(error: HoldfastError): void {
    this.onFail(error);
  }
}

/** One of the rarer commands, of which there is no class. */
export class SessionCommand extends NumberedCommand {
  private readonly build: (seq: number) => CommandBody;
  private readonly owner: CommandOwner;

  /** `build` makes the same of the same number. */
  constructor(sequence: Numbering, build: (seq: number) => CommandBody, owner: CommandOwner) {
    super(sequence);
    this.build = build;
    this.owner = owner;
  }

  onOutcome(outcome: Outcome, revision: Revision): void {
    this.owner.onOutcome(outcome, revision);
  }

  onFail(error: HoldfastError): void {
    this.owner.onFail(error);
  }

  protected body(): CommandBody {
    return this.build(this.seq);
  }
}
