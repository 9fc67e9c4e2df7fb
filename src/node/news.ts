import type { Revision, SessionId } from '../base/units.ts';
import type { Command } from '../locks/commands.ts';
import type { LockEvent } from '../locks/outcomes.ts';
import type { SessionNews } from '../wire/client-messages.ts';

/** Hears the news of one session, with the index that it follows from. */
export type NewsListener = (news: SessionNews, revision: Revision) => void;

/**
 * Who wants to hear of which session. News only speeds things up: whoever missed one gets the
 * same answer by sending the request again (DESIGN.md §6). Bounded by the doors' own limits.
 */
export class News {
  private readonly listeners = new Map<SessionId, Set<NewsListener>>();

  follow(session: SessionId, listener: NewsListener): () => void {
    const known = this.listeners.get(session);
    if (known === undefined) this.listeners.set(session, new Set([listener]));
    else known.add(listener);
    return () => {
      const set = this.listeners.get(session);
      set?.delete(listener);
      if (set?.size === 0) this.listeners.delete(session);
    };
  }

  publish(event: LockEvent, command: Command, revision: Revision): void {
    const listeners = this.listeners.get(event.session);
    if (listeners === undefined) return;
    const news = newsOf(event, command);
    if (news === null) return;
    for (const listener of [...listeners]) listener(news, revision);
  }
}

/** What is worth pushing: all that did not follow from the session's own request. */
function newsOf(event: LockEvent, command: Command): SessionNews | null {
  const { session } = event;
  switch (event.type) {
    case 'granted': {
      const { acquireSeq, token, slots } = event;
      const isOwnReply =
        command.op === 'acquire' && command.session === session && command.seq === acquireSeq;
      return isOwnReply ? null : { kind: 'granted', session, acquireSeq, token, slots };
    }
    case 'left':
    case 'freed': {
      const { acquireSeq, cause } = event;
      if (cause !== 'withdrawn' && cause !== 'broken') return null;
      const token = event.type === 'freed' ? event.token : 0;
      const reason = event.type === 'freed' ? event.reason : '';
      return { kind: 'over', session, acquireSeq, token, cause, reason };
    }
    case 'sessionEnded':
      return { kind: 'ended', session, cause: event.cause, reason: event.reason };
    default:
      return null;
  }
}
