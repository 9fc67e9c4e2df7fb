// Compacting below this many consumed places is not worth the copy.
const COMPACT_AT = 1_024;

/** First in, first out, with cheap removal at the front. Its owner bounds it. */
export class Fifo<T> {
  private items: T[] = [];
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
    this.head++;
    if (this.head < COMPACT_AT || this.head * 2 < this.items.length) return;
    this.items = this.items.slice(this.head);
    this.head = 0;
  }

  /** Puts items before everything else, in their order. */
  putBack(items: readonly T[]): void {
    this.items = [...items, ...this.items.slice(this.head)];
    this.head = 0;
  }

  /** Removes those that nobody waits for. */
  keep(isWanted: (item: T) => boolean): void {
    this.items = this.items.slice(this.head).filter(isWanted);
    this.head = 0;
  }

  /** Removes and returns everything. */
  takeAll(): readonly T[] {
    const all = this.items.slice(this.head);
    this.items = [];
    this.head = 0;
    return all;
  }
}
