// Lock names in UTF-8 byte order, for listing by prefix and page.
//
// Most locks are held for a moment, and nobody lists them meanwhile: a name gets its place in the
// order only when somebody looks, or when many newer ones came and it is still there. One that
// comes and goes is compared with nobody, which a million others would make expensive.

import { compareUtf8 } from './name.ts';
import { OrderedSet } from './ordered-set.ts';

/** A power of two: so many newer ones. A page may have to place as many, in 2 ms at most. */
const UNPLACED_MAX = 2_048;

/** In the place of a place among those that have none in the order: it has one. */
const PLACED = -1;

/** Something with a well-formed name, in one set. */
export interface Placeable {
  readonly name: string;
  /** The set's alone. */
  unplacedAt: number;
}

/** The names of things, in the order of their UTF-8 bytes. */
export class OrderedNames<T extends Placeable> {
  private readonly placed = new OrderedSet<string>(compareUtf8);
  /** The newest ones in a ring, without those that went. */
  private readonly unplaced = new Array<T | null>(UNPLACED_MAX).fill(null);
  private nextAt = 0;

  /** Its name must not be there. */
  add(thing: T): void {
    const at = this.nextAt;
    this.placeFrom(at);
    this.unplaced[at] = thing;
    thing.unplacedAt = at;
    this.nextAt = (at + 1) & (UNPLACED_MAX - 1);
  }

  /** It must be there. */
  delete(thing: T): void {
    if (thing.unplacedAt === PLACED) this.placed.delete(thing.name);
    else this.unplaced[thing.unplacedAt] = null;
  }

  /** All names in order. The set must not change meanwhile. */
  values(): IterableIterator<string> {
    this.placeAll();
    return this.placed.values();
  }

  /** Names that begin with `prefix` and come after `after`, in order, at most `limit`. */
  page(prefix: string, after: string, limit: number): readonly string[] {
    const page: string[] = [];
    if (limit <= 0) return page;
    this.placeAll();
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

  private placeAll(): void {
    for (let at = 0; at < UNPLACED_MAX; at++) this.placeFrom(at);
  }

  private placeFrom(at: number): void {
    const thing = this.unplaced[at] ?? null;
    if (thing === null) return;
    this.unplaced[at] = null;
    thing.unplacedAt = PLACED;
    this.placed.add(thing.name);
  }
}
