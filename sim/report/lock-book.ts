// Who holds and who waits, as the log has it: told when the first node applies an entry.

import type { Index, SessionId, Token } from '../../src/base/units.ts';
import type { Command } from '../../src/locks/commands.ts';
import type { Applied, LockEvent } from '../../src/locks/outcomes.ts';
import { Bounded } from './bounded.ts';
import type { Moment } from './frame-book.ts';
import { outcomeText } from './frame-text.ts';
import type { Span, SpanKind } from './recording.ts';

/** What lasts until something of the same key ends it. */
interface Open {
  readonly kind: SpanKind;
  readonly lane: string;
  readonly fromUs: number;
  readonly label: string;
}

const SPANS_MAX = 10_000;

/** See the head of this file. */
export class LockBook {
  private readonly now: () => Moment;
  private readonly closed = new Bounded<Span>(SPANS_MAX);
  /** At most what is held, waited for and delayed at a time. */
  private readonly open = new Map<string, Open>();
  /** As many as sessions are opened in the run. */
  private readonly clients = new Map<SessionId, string>();
  private lastIndex: Index = 0;

  constructor(now: () => Moment) {
    this.now = now;
  }

  /** Spans that were let go. */
  get dropped(): number {
    return this.closed.dropped;
  }

  /** Takes down an entry, and tells of it; null if another node was the first to apply it. */
  applied(index: Index, command: Command, { outcome, events }: Applied): string | null {
    if (index <= this.lastIndex) return null;
    this.lastIndex = index;
    if (command.op === 'openSession' && outcome.code === 'OPENED') {
      this.clients.set(outcome.session, command.name || outcome.session);
    }
    for (const event of events) this.take(event);
    return `${this.commandText(command)} → ${outcomeText(outcome, events)}`;
  }

  /** Of one end of time or another: what is held still lasts until then. */
  spans(endUs: number): readonly Span[] {
    const lasting = [...this.open.values()].map((each) => ({ ...each, toUs: endUs, term: null }));
    return [...this.closed.items(), ...lasting];
  }

  /** Sessions that a text speaks of, by the names of their clients. */
  aliasesIn(text: string): readonly string[] {
    return [...this.clients]
      .filter(([session]) => text.includes(session))
      .map(([session, client]) => `${session} is the session of ${client}.`);
  }

  private take(event: LockEvent): void {
    switch (event.type) {
      case 'queued':
        return this.begin(event, 'wait', `${this.nameOf(event.session)} waits`);
      case 'granted':
        this.end(event, 'wait');
        return this.begin(event, 'hold', this.holder(event.session, event.token));
      case 'left':
        return this.end(event, 'wait');
      case 'freed':
        return this.end(event, 'hold');
      case 'delayed':
        return this.begin(
          { ...event, names: [event.name] },
          'delay',
          `closed after ${event.token}`,
        );
      case 'lifted':
        return this.end({ ...event, names: [event.name] }, 'delay');
      default:
    }
  }

  private begin(at: Place, kind: SpanKind, label: string): void {
    const fromUs = this.now().atUs;
    for (const lane of at.names)
      this.open.set(keyOf(at, kind, lane), { kind, lane, fromUs, label });
  }

  private end(at: Place, kind: SpanKind): void {
    for (const lane of at.names) {
      const key = keyOf(at, kind, lane);
      const open = this.open.get(key);
      if (open !== undefined) this.closed.add({ ...open, toUs: this.now().atUs, term: null });
      this.open.delete(key);
    }
  }

  private holder(session: SessionId, token: Token): string {
    return `${this.nameOf(session)} · token ${token}`;
  }

  private nameOf(session: SessionId): string {
    return this.clients.get(session) ?? session;
  }

  private commandText(command: Command): string {
    const who =
      'session' in command && command.session !== null ? this.nameOf(command.session) : '';
    const what = 'name' in command && command.op !== 'openSession' ? command.name : '';
    const items = command.op === 'acquire' ? command.items.map(({ name }) => name).join(', ') : '';
    const by = command.op === 'openSession' ? command.name : who;
    return [command.op, what, items, by === '' ? '' : `by ${by}`].filter(Boolean).join(' ');
  }
}

/** Names a grant or a waiter. */
interface Place {
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly names: readonly string[];
}

function keyOf({ session, acquireSeq }: Place, kind: SpanKind, lane: string): string {
  return `${kind} ${session} ${acquireSeq} ${lane}`;
}
