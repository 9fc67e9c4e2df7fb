// Things by the number that their session gave them. Numbers come one after another, so the low
// bits of each tell its place, and a list is all that it takes. The language's own Map makes itself
// anew after as many deletions as it has entries, and its former tables keep alive what they held
// last: in a log of short holds that was half of what the garbage collector had to carry.

const PLACES_MIN = 8;
/** What a table that has become empty keeps at most. */
const PLACES_KEPT_MAX = 1_024;

/** Something with a number that never changes. */
export interface Numbered {
  readonly seq: number;
}

/** Values by their own numbers, which are whole, not negative and mostly close to each other. */
export class SeqTable<T extends Numbered> {
  /** As many as a power of two. A value stands where the low bits of its number say, or nowhere. */
  private places = emptyPlaces<T>(PLACES_MIN);
  /** Those whose place another one had. */
  private displaced: Map<number, T> | null = null;
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(seq: number): T | undefined {
    const there = this.places[seq & (this.places.length - 1)];
    if (there?.seq === seq) return there;
    return this.displaced?.get(seq);
  }

  has(seq: number): boolean {
    return this.get(seq) !== undefined;
  }

  /** Its number must not be there. */
  add(value: T): void {
    this.count++;
    while (!this.place(value)) {
      // Numbers that lie close together fill the places that they have before they need more.
      if (this.count * 2 > this.places.length) this.grow();
      else {
        this.displaced ??= new Map();
        this.displaced.set(value.seq, value);
        return;
      }
    }
  }

  /** False if the number was not there. */
  delete(seq: number): boolean {
    const at = seq & (this.places.length - 1);
    if (this.places[at]?.seq === seq) this.places[at] = null;
    else if (this.displaced?.delete(seq) !== true) return false;
    this.count--;
    if (this.count === 0 && this.places.length > PLACES_KEPT_MAX) this.clear();
    return true;
  }

  clear(): void {
    this.places = emptyPlaces(PLACES_MIN);
    this.displaced = null;
    this.count = 0;
  }

  /** All values, in no order that matters. Meanwhile some may be deleted, but none added. */
  *values(): IterableIterator<T> {
    for (const value of this.places) if (value !== null) yield value;
    if (this.displaced !== null) yield* this.displaced.values();
  }

  private place(value: T): boolean {
    const at = value.seq & (this.places.length - 1);
    const isFree = this.places[at] === null;
    if (isFree) this.places[at] = value;
    return isFree;
  }

  /** Values that had places of their own have them among twice as many too. */
  private grow(): void {
    const before = this.places;
    this.places = emptyPlaces(2 * before.length);
    for (const value of before) if (value !== null) this.place(value);
  }
}

function emptyPlaces<T>(count: number): (T | null)[] {
  return new Array<T | null>(count).fill(null);
}
