// A map for up to millions of things by their names, of which some come and go all the time. The
// language's own Map is made for neither: with a million entries, a name that is set and deleted
// over and over gets a hundred times slower; each time that it makes itself anew stops the process;
// and its former tables keep alive what they held last, which the garbage collector then carries.
//
// This one is a chain for each bucket, through the values themselves. It grows by one bucket at a
// time (linear hashing), and so never stops. Names made up to share a bucket are found one after
// another: whoever may take as many locks as that needs can do worse.

import { present } from './assert.ts';
import { mix32 } from './hash.ts';

const SEGMENT_BITS = 12;
const SEGMENT_LENGTH = 2 ** SEGMENT_BITS;

/** A value with its name, and a link for the map that it is in. */
export interface Chained<V> {
  readonly name: string;
  /** The map's alone. */
  next: V | null;
}

/** Values by their own names, each in one map. For an order, keep OrderedNames beside it. */
export class NameMap<V extends Chained<V>> {
  /** The buckets. More come as values do, and stay: 8 bytes for each. */
  private readonly segments: (V | null)[][] = [emptySegment<V>()];
  private bucketCount = SEGMENT_LENGTH;
  /** The largest power of two that is at most `bucketCount`. */
  private evenCount = SEGMENT_LENGTH;
  private count = 0;
  /** A name is mostly looked for, not found and added: then hashed once. */
  private lastName = '';
  private lastHash = 0;

  get size(): number {
    return this.count;
  }

  get(name: string): V | undefined {
    for (let value = this.first(this.bucketOf(this.hashOf(name))); value !== null;) {
      if (value.name === name) return value;
      value = value.next;
    }
    return undefined;
  }

  /** Its name must not be there. */
  add(value: V): void {
    this.push(this.bucketOf(this.hashOf(value.name)), value);
    this.count++;
    if (this.count > this.bucketCount) this.split();
  }

  /** False if the value was not there. */
  delete(value: V): boolean {
    const bucket = this.bucketOf(this.hashOf(value.name));
    let before: V | null = null;
    let there = this.first(bucket);
    while (there !== null && there !== value) {
      before = there;
      there = there.next;
    }
    if (there === null) return false;
    if (before === null) this.setFirst(bucket, value.next);
    else before.next = value.next;
    value.next = null;
    this.count--;
    return true;
  }

  private hashOf(name: string): number {
    if (name !== this.lastName) {
      this.lastName = name;
      this.lastHash = hashOfName(name);
    }
    return this.lastHash;
  }

  /** Those buckets that were split already are told apart by one more bit. */
  private bucketOf(hash: number): number {
    const bucket = hash & (2 * this.evenCount - 1);
    return bucket < this.bucketCount ? bucket : bucket - this.evenCount;
  }

  /** One more bucket, with its part of the values of the one that it is split from. */
  private split(): void {
    const from = this.bucketCount - this.evenCount;
    if (this.bucketCount % SEGMENT_LENGTH === 0) this.segments.push(emptySegment<V>());
    this.bucketCount++;
    let value = this.first(from);
    this.setFirst(from, null);
    while (value !== null) {
      const { next }: V = value;
      this.push(this.bucketOf(hashOfName(value.name)), value);
      value = next;
    }
    if (this.bucketCount === 2 * this.evenCount) this.evenCount = this.bucketCount;
  }

  private push(bucket: number, value: V): void {
    value.next = this.first(bucket);
    this.setFirst(bucket, value);
  }

  private first(bucket: number): V | null {
    return this.segmentOf(bucket)[bucket & (SEGMENT_LENGTH - 1)] ?? null;
  }

  private setFirst(bucket: number, value: V | null): void {
    this.segmentOf(bucket)[bucket & (SEGMENT_LENGTH - 1)] = value;
  }

  private segmentOf(bucket: number): (V | null)[] {
    return present(this.segments[bucket >>> SEGMENT_BITS], 'a segment of buckets');
  }
}

function emptySegment<V>(): (V | null)[] {
  return new Array<V | null>(SEGMENT_LENGTH).fill(null);
}

// FNV-1a, whose bits are mixed because the low ones alone are weak.
function hashOfName(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  }
  return mix32(hash);
}
