import type { MonoUs } from '../base/units.ts';
import type { Exchange, Ticket } from './exchange.ts';

/** One exchange with what is known of its transmissions; also the ticket of its submitter. */
export class Pending implements Ticket {
  readonly exchange: Exchange;
  /** Of the last transmission; each has an id of its own, so that late answers do not count. */
  requestId = 0;
  sizeBytes = 0;
  sentUs: MonoUs = 0;
  /** It may have been applied. */
  isUncertain = false;
  /** As it was before the last transmission: a certain refusal brings it back. */
  wasUncertain = false;
  isOver = false;
  private readonly home: { drop(pending: Pending): void };

  constructor(exchange: Exchange, home: { drop(pending: Pending): void }) {
    this.exchange = exchange;
    this.home = home;
  }

  isInDoubt(): boolean {
    return this.isUncertain;
  }

  mayBeRepeated(): boolean {
    return this.wasUncertain;
  }

  drop(): void {
    if (!this.isOver) this.home.drop(this);
  }
}
