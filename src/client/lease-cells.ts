// Numbers that the owner of a lease and its renewers tell each other. A renewer may run in another
// thread, so they lie in memory that threads share, if they have to.

/** A few numbers by place: microseconds, or Infinity; 0 at first. */
export interface Cells {
  get(place: number): number;
  set(place: number, value: number): void;
  /** Sets it unless it is larger already, in one step for all threads. */
  raise(place: number, value: number): void;
}

/** For one thread. */
export class LocalCells implements Cells {
  private readonly values: number[];

  constructor(count: number) {
    this.values = Array.from({ length: count }, () => 0);
  }

  get(place: number): number {
    return this.values[place] ?? 0;
  }

  set(place: number, value: number): void {
    this.values[place] = value;
  }

  raise(place: number, value: number): void {
    if (value > this.get(place)) this.values[place] = value;
  }
}

const CELL_BYTES = 8;
const INFINITE = 2n ** 62n;

/** For all threads that have its buffer. Whole numbers: what is set is rounded down. */
export class SharedCells implements Cells {
  readonly buffer: SharedArrayBuffer;
  private readonly values: BigInt64Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.values = new BigInt64Array(buffer);
  }

  /** New ones. */
  static make(count: number): SharedCells {
    return new SharedCells(new SharedArrayBuffer(count * CELL_BYTES));
  }

  get(place: number): number {
    const value = Atomics.load(this.values, place);
    return value === INFINITE ? Infinity : Number(value);
  }

  set(place: number, value: number): void {
    Atomics.store(this.values, place, wholeOf(value));
  }

  raise(place: number, value: number): void {
    const wanted = wholeOf(value);
    let before = Atomics.load(this.values, place);
    while (before < wanted) {
      const found = Atomics.compareExchange(this.values, place, before, wanted);
      if (found === before) return;
      before = found;
    }
  }
}

function wholeOf(value: number): bigint {
  return value === Infinity ? INFINITE : BigInt(Math.floor(value));
}
