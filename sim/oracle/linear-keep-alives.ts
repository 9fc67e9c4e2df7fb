import type { Index, SessionId } from '../../src/base/units.ts';
import type { ClientHistory } from './history.ts';
import type { KeepAliveOperation } from './history-types.ts';
import type { Misfit } from './linear.ts';
import type { CommittedEntry } from './types.ts';

/** What the log says of a session's life. */
interface Life {
  readonly ttlMs: number | null;
  /** Index of the entry that ended it, and when that was first applied; null while it lives. */
  end: { readonly index: Index; readonly atUs: number } | null;
}

/**
 * Renewals as what they are besides: questions whether a session lives. An answer has no
 * revision, so it is only held against what is certain. OK after the end was told to somebody is
 * a stale read; SESSION_GONE before the end is a lie.
 */
export class KeepAliveLedger {
  private readonly lives = new Map<SessionId, Life>();

  observe({ index, atUs, events }: CommittedEntry): void {
    for (const event of events) {
      if (event.type === 'sessionOpened') {
        this.lives.set(event.session, { ttlMs: event.ttlMs, end: null });
      } else if (event.type === 'sessionEnded') {
        const life = this.lives.get(event.session);
        if (life !== undefined) life.end = { index, atUs };
      }
    }
  }

  /** Call when the log is at its end. */
  check(history: ClientHistory): Misfit | null {
    for (const operation of history.operations) {
      if (operation.kind !== 'keepAlive') continue;
      const problem = this.problem(operation);
      if (problem === null) continue;
      const { client, session } = operation;
      return { oracle: 'INV-12', message: `renewal of ${session} by ${client}: ${problem}` };
    }
    return null;
  }

  private problem({ session, sent, heard }: KeepAliveOperation): string | null {
    if (heard === null || heard.content.code === 'NOT_LEADER') return null;
    const life = this.lives.get(session);
    const end = life?.end ?? null;
    if (heard.content.code === 'SESSION_GONE') {
      const hasEnded = life === undefined || (end !== null && end.atUs <= heard.atUs);
      return hasEnded ? null : `SESSION_GONE at ${heard.atUs}, but it lived`;
    }
    if (life === undefined) return 'OK, but it was never opened';
    if (end !== null && end.index <= sent.floor) return `OK, but its end (${end.index}) was known`;
    return heard.content.ttlMs === life.ttlMs ? null : `OK with TTL ${heard.content.ttlMs}`;
  }
}
