// For how long clients may believe in what they hold: until they give it back, die, or their lease
// is over by their own clock. Looked at whenever a frame travels, which changes nothing.

import type { Hold } from '../oracle/belief.ts';
import { Bounded } from './bounded.ts';
import type { Span } from './recording.ts';

const SPANS_MAX = 10_000;
/** Holds that are looked at, at a time. */
const OPEN_MAX = 1_000;

interface Open {
  readonly hold: Hold;
  readonly fromUs: number;
}

/** See the head of this file. */
export class HoldBook {
  private readonly closed = new Bounded<Span>(SPANS_MAX);
  private open: Open[] = [];

  begin(hold: Hold, fromUs: number): void {
    if (this.open.length < OPEN_MAX) this.open.push({ hold, fromUs });
  }

  /** Ends what is believed no more. */
  look(nowUs: number): void {
    if (this.open.every(isBelieved)) return;
    for (const each of this.open) if (!isBelieved(each)) this.closed.add(spanOf(each, nowUs));
    this.open = this.open.filter(isBelieved);
  }

  spans(endUs: number): readonly Span[] {
    this.look(endUs);
    return [...this.closed.items(), ...this.open.map((each) => spanOf(each, endUs))];
  }
}

function isBelieved({ hold }: Open): boolean {
  return hold.life.isAlive && hold.grant.isBelievedNow();
}

function spanOf({ hold, fromUs }: Open, toUs: number): Span {
  const { client, grant } = hold;
  const label = `believes in ${grant.names.join(', ')} · ${grant.token}`;
  return { kind: 'belief', lane: client, fromUs, toUs, label, term: null };
}
