// A sorted set in chunks of short arrays: O(log n) to find, and a shift of at most one chunk to
// add or remove, so a million values cost about what a thousand do. Order is the comparator's
// alone, never that of insertion, so two nodes that reached a state by different ways agree.

const CHUNK_LENGTH_MAX = 512;

/**
 * Values in the order of `compare`, which must be total; two that compare as 0 are one. `Place` is
 * what the order looks at: enough of a value to search by.
 */
export class OrderedSet<T extends Place, Place = T> {
  private readonly compare: (left: Place, right: Place) => number;
  /** Invariant: no chunk is empty, and every value of a chunk is below those of the next one. */
  private readonly chunks: T[][] = [];
  private count = 0;

  constructor(compare: (left: Place, right: Place) => number) {
    this.compare = compare;
  }

  get size(): number {
    return this.count;
  }

  /** False if the value was there before. */
  add(value: T): boolean {
    const at = this.chunkOf(value);
    const chunk = this.chunks[at];
    if (chunk === undefined) {
      this.chunks.push([value]);
    } else {
      const position = this.lowerBound(chunk, value);
      if (this.isAt(chunk, position, value)) return false;
      this.insert({ at, chunk, position }, value);
    }
    this.count++;
    return true;
  }

  /** False if the value was not there. */
  delete(value: T): boolean {
    const at = this.chunkOf(value);
    const chunk = this.chunks[at];
    if (chunk === undefined) return false;
    const position = this.lowerBound(chunk, value);
    if (!this.isAt(chunk, position, value)) return false;
    if (position === 0) chunk.shift();
    else chunk.splice(position, 1);
    if (chunk.length === 0) this.chunks.splice(at, 1);
    this.count--;
    return true;
  }

  has(value: T): boolean {
    const chunk = this.chunks[this.chunkOf(value)];
    return chunk !== undefined && this.isAt(chunk, this.lowerBound(chunk, value), value);
  }

  /** The smallest value, or null when the set is empty. */
  first(): T | null {
    return this.chunks[0]?.[0] ?? null;
  }

  /** The smallest values in order, at most `limit`; looks at no others. */
  head(limit: number): readonly T[] {
    const head: T[] = [];
    for (const chunk of this.chunks) {
      if (head.length >= limit) break;
      head.push(...chunk.slice(0, limit - head.length));
    }
    return head;
  }

  /** How many values are smaller; the value itself need not be there. */
  rank(value: T): number {
    const at = this.chunkOf(value);
    const chunk = this.chunks[at];
    if (chunk === undefined) return 0;
    let smaller = this.lowerBound(chunk, value);
    for (let before = 0; before < at; before++) smaller += this.chunks[before]?.length ?? 0;
    return smaller;
  }

  /** All values in order. The set must not change meanwhile. */
  *values(): IterableIterator<T> {
    for (const chunk of this.chunks) yield* chunk;
  }

  /** The largest value that is below `place`, or null. */
  lastBelow(place: Place): T | null {
    const at = this.chunkOf(place);
    const chunk = this.chunks[at];
    if (chunk === undefined) return null;
    const position = this.lowerBound(chunk, place);
    if (position > 0) return chunk[position - 1] ?? null;
    return this.chunks[at - 1]?.at(-1) ?? null;
  }

  /** The smallest value that is not below `place`, or null. */
  firstFrom(place: Place): T | null {
    for (const value of this.valuesFrom(place)) return value;
    return null;
  }

  /** All values that are not below `place`, in order. The set must not change meanwhile. */
  *valuesFrom(place: Place): IterableIterator<T> {
    const start = this.chunkOf(place);
    for (let at = start; at < this.chunks.length; at++) {
      const chunk = this.chunks[at] ?? [];
      const position = at === start ? this.lowerBound(chunk, place) : 0;
      for (let next = position; next < chunk.length; next++) {
        const found = chunk[next];
        if (found !== undefined) yield found;
      }
    }
  }

  /** Position of the last chunk that begins at or below the value; 0 when all begin above it. */
  private chunkOf(value: Place): number {
    let low = 0;
    let high = this.chunks.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const head = this.chunks[middle]?.[0];
      if (head !== undefined && this.compare(head, value) <= 0) low = middle;
      else high = middle;
    }
    return low;
  }

  private lowerBound(chunk: readonly T[], value: Place): number {
    let low = 0;
    let high = chunk.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = chunk[middle];
      if (candidate !== undefined && this.compare(candidate, value) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private isAt(chunk: readonly T[], position: number, value: Place): boolean {
    const found = chunk[position];
    return found !== undefined && this.compare(found, value) === 0;
  }

  private insert(place: { at: number; chunk: T[]; position: number }, value: T): void {
    const { at, chunk, position } = place;
    if (chunk.length < CHUNK_LENGTH_MAX) {
      if (position === chunk.length) chunk.push(value);
      else chunk.splice(position, 0, value);
      return;
    }
    // Growth at the end is the usual case (log order): the full chunk stays full.
    if (position === chunk.length) {
      this.chunks.splice(at + 1, 0, [value]);
      return;
    }
    const half = CHUNK_LENGTH_MAX >>> 1;
    const upper = chunk.splice(half);
    this.chunks.splice(at + 1, 0, upper);
    if (position <= half) chunk.splice(position, 0, value);
    else upper.splice(position - half, 0, value);
  }
}
