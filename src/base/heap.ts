/** Binary min-heap. Equal items come out in no particular order. */
export class MinHeap<T> {
  private readonly items: T[] = [];
  private readonly compare: (left: T, right: T) => number;

  constructor(compare: (left: T, right: T) => number) {
    this.compare = compare;
  }

  get size(): number {
    return this.items.length;
  }

  /** The smallest item, which stays. */
  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    const { items, compare } = this;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || compare(item, parent) >= 0) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  /** Takes the smallest item out. */
  pop(): T | undefined {
    const { items } = this;
    const smallest = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.sink(last);
    return smallest;
  }

  private sink(item: T): void {
    const { items, compare } = this;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = items[below];
      if (child === undefined) break;
      const right = items[below + 1];
      if (right !== undefined && compare(right, child) < 0) {
        below += 1;
        child = right;
      }
      if (compare(child, item) >= 0) break;
      items[at] = child;
      at = below;
    }
    items[at] = item;
  }
}
