// Compacting below this many consumed places is not worth the copy.
const COMPACT_AT = 1_024;

/** First in, first out, with cheap removal at the front. Its owner bounds it. */
export class Fifo<T> {
  // Those before the head are undefined: what was taken out must not be kept alive from here.
  private items: (T | undefined)[] = [];
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  peek(): T | undefined {
    return this.items[this.head];
  }

  shift(): void {
    this.items[this.head++] = undefined;
    const isEmpty = this.head === this.items.length;
    if (!isEmpty && (this.head < COMPACT_AT || this.head * 2 < this.items.length)) return;
    this.items = this.items.slice(this.head);
    this.head = 0;
  }

  /** Puts items before everything else, in their order. */
  putBack(items: readonly T[]): void {
    this.items = [...items, ...this.rest()];
    this.head = 0;
  }

  /** Removes those that nobody waits for. */
  keep(isWanted: (item: T) => boolean): void {
    this.items = this.rest().filter(isWanted);
    this.head = 0;
  }

  /** Removes and returns everything. */
  takeAll(): readonly T[] {
    const all = this.rest();
    this.items = [];
    this.head = 0;
    return all;
  }

  private rest(): T[] {
    return this.items.filter((item) => item !== undefined);
  }
}
