// The living sessions: by id, by nonce, and in the order in which they were opened.

import { OrderedSet } from '../base/ordered-set.ts';
import type { Index, SessionId } from '../base/units.ts';
import type { Session } from './state.ts';

/** Living sessions only; how many there may be is the leader's admission to decide. */
export class SessionTable {
  private readonly byId = new Map<SessionId, Session>();
  private readonly byNonce = new Map<string, Session>();
  private readonly order = new OrderedSet<Session, Pick<Session, 'index'>>(
    (left, right) => left.index - right.index,
  );

  get size(): number {
    return this.byId.size;
  }

  add(session: Session): void {
    this.byId.set(session.id, session);
    this.byNonce.set(session.nonce, session);
    this.order.add(session);
  }

  remove(session: Session): void {
    this.byId.delete(session.id);
    this.byNonce.delete(session.nonce);
    this.order.delete(session);
  }

  /** The living session with exactly this id: index and nonce both count (DESIGN.md §5). */
  find(id: SessionId): Session | null {
    return this.byId.get(id) ?? null;
  }

  withNonce(nonce: string): Session | null {
    return this.byNonce.get(nonce) ?? null;
  }

  /** Sessions opened after entry `after`, oldest first, at most `limit`. */
  page(after: Index, limit: number): readonly Session[] {
    const page: Session[] = [];
    if (limit <= 0) return page;
    for (const session of this.order.valuesFrom({ index: after })) {
      if (session.index === after) continue;
      page.push(session);
      if (page.length >= limit) break;
    }
    return page;
  }

  /** In no order that matters; some may come and go meanwhile. */
  all(): IterableIterator<Session> {
    return this.byId.values();
  }
}
