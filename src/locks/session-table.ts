// The living sessions: by id, by nonce, and in the order in which they were opened.

import { OrderedSet } from '../base/ordered-set.ts';
import type { Index, SessionId } from '../base/units.ts';
import type { Session } from './state.ts';

/** Living sessions only; how many there may be is the leader's admission to decide. */
export class SessionTable {
  private readonly byIndex = new Map<Index, Session>();
  private readonly byNonce = new Map<string, Session>();
  private readonly order = new OrderedSet<Index>((left, right) => left - right);

  get size(): number {
    return this.byIndex.size;
  }

  add(session: Session): void {
    this.byIndex.set(session.index, session);
    this.byNonce.set(session.nonce, session);
    this.order.add(session.index);
  }

  remove(session: Session): void {
    this.byIndex.delete(session.index);
    this.byNonce.delete(session.nonce);
    this.order.delete(session.index);
  }

  /** The living session with exactly this id: index and nonce both count (DESIGN.md §5). */
  find(id: SessionId): Session | null {
    const session = this.byIndex.get(Number.parseInt(id, 10));
    return session !== undefined && session.id === id ? session : null;
  }

  opened(index: Index): Session | null {
    return this.byIndex.get(index) ?? null;
  }

  withNonce(nonce: string): Session | null {
    return this.byNonce.get(nonce) ?? null;
  }

  /** Sessions opened after entry `after`, oldest first, at most `limit`. */
  page(after: Index, limit: number): readonly Session[] {
    const page: Session[] = [];
    for (const index of this.order.valuesFrom(after)) {
      if (page.length >= limit) break;
      const session = this.byIndex.get(index);
      if (session !== undefined && index !== after) page.push(session);
    }
    return page;
  }

  all(): IterableIterator<Session> {
    return this.byIndex.values();
  }
}
