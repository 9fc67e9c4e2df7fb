// Linearizability by search, blind to revisions (Wing and Gong; Lowe's cache; one lock after
// another, for a history is linearizable if each part of it is that no other part touches). It is
// slower than the certificate and proves less, but believes nothing that the product says about
// its own order. Operations of which nobody heard need not find a place (knossos).

import type { ClientHistory } from './history.ts';
import { operationsByLock } from './search-history.ts';
import { hasRoom, isConflict, isMeant } from './search-types.ts';
import type { Act, Holder, KeyOperation } from './search-types.ts';

/** Orders that are tried for one lock; the certificate has judged the same history. */
const STEPS_MAX = 20_000;

/** `gave up`: there were more orders than are tried. */
export type SearchResult = 'linearizable' | 'not' | 'gave up';

/** Looks for an order of what clients did that explains all that they heard, lock by lock. */
export function searchLinearizable(history: ClientHistory): SearchResult {
  const byLock = operationsByLock(history);
  if (byLock === null) return 'not';
  let result: SearchResult = 'linearizable';
  for (const operations of byLock.values()) {
    const found = searchLock(operations);
    if (found === 'not') return 'not';
    if (found === 'gave up') result = found;
  }
  return result;
}

/** The same for one lock, which is free at first. */
export function searchLock(operations: readonly KeyOperation[]): SearchResult {
  const search = new Search(operations);
  return search.run();
}

/** How far one order has come. */
interface Place {
  /** One flag for each operation that is in the order. */
  readonly isDone: Uint8Array;
  readonly held: readonly Holder[];
}

class Search {
  /** By start. */
  private readonly operations: readonly KeyOperation[];
  private readonly seen = new Set<string>();

  constructor(operations: readonly KeyOperation[]) {
    this.operations = [...operations].sort((left, right) => left.start - right.start);
  }

  run(): SearchResult {
    const stack: Place[] = [{ isDone: new Uint8Array(this.operations.length), held: [] }];
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      this.takeReads(place);
      if (this.isComplete(place)) return 'linearizable';
      const key = `${place.isDone.join('')} ${place.held.map(nameOf).join(' ')}`;
      if (this.seen.has(key)) continue;
      if (this.seen.size >= STEPS_MAX) return 'gave up';
      this.seen.add(key);
      stack.push(...this.following(place));
    }
    return 'not';
  }

  /** All that somebody heard of is in the order. */
  private isComplete({ isDone }: Place): boolean {
    return this.operations.every(({ end }, at) => isDone[at] === 1 || end === Infinity);
  }

  /** What may come next: it began before the first of the others was over. */
  private next({ isDone }: Place): readonly number[] {
    const next: number[] = [];
    let firstEnd = Infinity;
    for (const [at, { start, end }] of this.operations.entries()) {
      if (start > firstEnd) break;
      if (isDone[at] === 1) continue;
      next.push(at);
      firstEnd = Math.min(firstEnd, end);
    }
    return next.filter((at) => (this.operations[at]?.start ?? 0) < firstEnd);
  }

  /** What changes nothing and fits here may as well come here: no order is lost by that. */
  private takeReads(place: Place): void {
    for (let isMoving = true; isMoving;) {
      isMoving = false;
      for (const at of this.next(place)) {
        const act = this.operations[at]?.act;
        if (act === undefined || !isRead(act) || this.apply(place, act) === null) continue;
        place.isDone[at] = 1;
        isMoving = true;
      }
    }
  }

  /** The most promising last, for it is tried first. */
  private following(place: Place): readonly Place[] {
    const places: { readonly end: number; readonly place: Place }[] = [];
    for (const at of this.next(place)) {
      const operation = this.operations[at];
      if (operation === undefined || isRead(operation.act)) continue;
      const held = this.apply(place, operation.act);
      if (held === null) continue;
      const isDone = place.isDone.slice();
      isDone[at] = 1;
      places.push({ end: operation.end, place: { isDone, held } });
    }
    return places.sort((left, right) => compare(right.end, left.end)).map((each) => each.place);
  }

  /** Who holds the lock after this act; null if it cannot come here. */
  private apply(place: Place, act: Act): readonly Holder[] | null {
    const { held } = place;
    switch (act.kind) {
      case 'grant':
        return this.mayGrant(place, act.holder) ? [...held, act.holder] : null;
      case 'free': {
        const rest = held.filter((holder) => !isMeant(holder, act.of));
        const isFound = rest.length < held.length;
        return act.finds === 'any' || isFound === (act.finds === 'some') ? rest : null;
      }
      case 'end':
        return held.filter((holder) => holder.session !== act.session);
      case 'see':
        return held.some((holder) => isMeant(holder, act.of)) ? held : null;
      case 'look': {
        const isSame = held.length === act.tokens.length;
        return isSame && held.every(({ token }) => act.tokens.includes(token)) ? held : null;
      }
    }
  }

  /** Its session lives, nobody is in the way, and conflicting tokens only grow (INV-15, INV-16). */
  private mayGrant({ isDone, held }: Place, holder: Holder): boolean {
    if (!hasRoom(holder, held)) return false;
    return this.operations.every(({ act, end }, at) => {
      if (act.kind === 'end') return isDone[at] === 0 || act.session !== holder.session;
      if (act.kind !== 'grant' || !isConflict(act.holder, holder)) return true;
      if (isDone[at] === 1) return act.holder.token < holder.token;
      return end === Infinity || act.holder.token >= holder.token;
    });
  }
}

// Infinity minus Infinity is no number.
function compare(left: number, right: number): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function isRead(act: Act): boolean {
  return act.kind === 'see' || act.kind === 'look' || (act.kind === 'free' && act.finds === 'none');
}

function nameOf({ session, acquireSeq }: Holder): string {
  return `${session}/${acquireSeq}`;
}
