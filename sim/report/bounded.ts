/** A list that keeps its newest items: what a violation follows from is at the end. */
export class Bounded<T> {
  private list: T[] = [];
  private readonly max: number;
  private droppedCount = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** How many it had to let go. */
  get dropped(): number {
    return this.droppedCount;
  }

  /** Oldest first. */
  items(): readonly T[] {
    return this.list.length > this.max ? this.list.slice(-this.max) : this.list;
  }

  add(item: T): void {
    this.list.push(item);
    if (this.list.length > this.max) this.droppedCount++;
    // Lets go of many at once, so that each costs little.
    if (this.list.length >= 2 * this.max) this.list = this.list.slice(-this.max);
  }
}
