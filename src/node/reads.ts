/** Called with true when the state machine may be asked, with false when leadership is over. */
export type ReadHandler = (isConfirmed: boolean) => void;

/**
 * Reads and keepalives that wait for a quorum round (RAFT.md §8). Asked for in one turn, they
 * share one number, and so one line of the core's book-keeping.
 */
export class Reads {
  private readonly waiting = new Map<number, ReadHandler[]>();
  private readonly ask: (id: number) => void;
  private readonly soon: (callback: () => void) => void;
  private gathering: ReadHandler[] = [];
  private lastId = 0;
  private isOver = false;

  constructor(options: {
    readonly ask: (id: number) => void;
    readonly soon: (callback: () => void) => void;
  }) {
    this.ask = options.ask;
    this.soon = options.soon;
  }

  request(done: ReadHandler): void {
    this.gathering.push(done);
    if (this.gathering.length === 1) this.soon(() => this.flush());
  }

  settle(ids: readonly number[], isConfirmed: boolean): void {
    for (const id of ids) {
      const handlers = this.waiting.get(id) ?? [];
      this.waiting.delete(id);
      for (const done of handlers) done(isConfirmed);
    }
  }

  /** Nobody confirms anything any more: all that waits, and all that comes, is answered so. */
  stop(): void {
    this.isOver = true;
    this.settle([...this.waiting.keys()], false);
  }

  private flush(): void {
    const id = ++this.lastId;
    this.waiting.set(id, this.gathering);
    this.gathering = [];
    if (this.isOver) this.settle([id], false);
    else this.ask(id);
  }
}
