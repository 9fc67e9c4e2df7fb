// Lock names in UTF-8 byte order, for listing by prefix and page.
//
// Most locks are held for a moment, and nobody lists them meanwhile: a name gets its place in the
// order only when a list is asked for, or when many newer ones came and it is still there. One that
// comes and goes is compared with nobody, which a million others would make expensive.

import { compareUtf8 } from './name.ts';
import { OrderedSet } from './ordered-set.ts';

/** Names without a place: what a page may have to put in order first, in about 1 ms. */
const UNPLACED_MAX = 1_024;
/** As many of the oldest get their places together. */
const PLACED_AT_ONCE = 64;

/** A set of well-formed names, in the order of their UTF-8 bytes. */
export class OrderedNames {
  private readonly placed = new OrderedSet<string>(compareUtf8);
  /** The rest, oldest first; none of them is among those above. */
  private readonly unplaced = new Set<string>();

  get size(): number {
    return this.placed.size + this.unplaced.size;
  }

  /** The name must not be there. */
  add(name: string): void {
    this.unplaced.add(name);
    if (this.unplaced.size > UNPLACED_MAX) this.place(PLACED_AT_ONCE);
  }

  /** False if the name was not there. */
  delete(name: string): boolean {
    return this.unplaced.delete(name) || this.placed.delete(name);
  }

  /** All names in order. The set must not change meanwhile. */
  values(): IterableIterator<string> {
    this.place(this.unplaced.size);
    return this.placed.values();
  }

  /** Names that begin with `prefix` and come after `after`, in order, at most `limit`. */
  page(prefix: string, after: string, limit: number): readonly string[] {
    const page: string[] = [];
    if (limit <= 0) return page;
    this.place(this.unplaced.size);
    const start = compareUtf8(prefix, after) > 0 ? prefix : after;
    for (const name of this.placed.valuesFrom(start)) {
      if (name === after) continue;
      // Names with a common prefix stand together in byte order.
      if (!name.startsWith(prefix)) break;
      page.push(name);
      if (page.length >= limit) break;
    }
    return page;
  }

  private place(count: number): void {
    if (count === 0) return;
    let left = count;
    for (const name of this.unplaced) {
      if (left-- === 0) break;
      this.unplaced.delete(name);
      this.placed.add(name);
    }
  }
}
