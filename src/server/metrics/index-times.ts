import type { Index, MonoUs } from '../../base/units.ts';

/** How far readings are apart, and how many are kept: seconds closely, hours coarsely. */
const FINE = { gapUs: 1_000, size: 8_192 };
const COARSE = { gapUs: 250_000, size: 32_768 };

/**
 * When entries were applied. A token is the index of its grant, so this tells how old a grant is,
 * and costs nothing for each of a million that are held.
 */
export class IndexTimes {
  private readonly fine = new Readings(FINE);
  private readonly coarse = new Readings(COARSE);

  /** Entries up to this one are applied now. Indexes and times grow. */
  note(index: Index, nowUs: MonoUs): void {
    this.fine.note(index, nowUs);
    this.coarse.note(index, nowUs);
  }

  /** How long ago it was applied; for what is older than all readings at least so long ago. */
  ageUs(index: Index, nowUs: MonoUs): number {
    const readings = this.fine.covers(index) ? this.fine : this.coarse;
    return Math.max(0, nowUs - (readings.timeOf(index) ?? nowUs));
  }
}

/** The last of them, in a ring: entries above the reading before, up to `index`, at that time. */
class Readings {
  private readonly gapUs: number;
  private readonly indexes: Float64Array;
  private readonly times: Float64Array;
  private count = 0;
  private newestUs = -Infinity;
  /** Of entries up to here the time is not known any more. */
  private forgotten: Index = 0;

  constructor({ gapUs, size }: { readonly gapUs: number; readonly size: number }) {
    this.gapUs = gapUs;
    this.indexes = new Float64Array(size);
    this.times = new Float64Array(size);
  }

  note(index: Index, nowUs: MonoUs): void {
    const { length } = this.indexes;
    // Soon after the last reading: it stands for these entries too.
    if (nowUs - this.newestUs < this.gapUs) {
      this.indexes[(this.count - 1) % length] = index;
      return;
    }
    if (this.count >= length) this.forgotten = this.at(this.indexes, this.count);
    this.indexes[this.count % length] = index;
    this.times[this.count % length] = nowUs;
    this.newestUs = nowUs;
    this.count += 1;
  }

  covers(index: Index): boolean {
    return index > this.forgotten;
  }

  /** The time of the first reading that covers it, or the oldest; null: none does yet. */
  timeOf(index: Index): number | null {
    let low = Math.max(0, this.count - this.indexes.length);
    let high = this.count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.at(this.indexes, middle) < index) low = middle + 1;
      else high = middle;
    }
    return low === this.count ? null : this.at(this.times, low);
  }

  private at(values: Float64Array, number: number): number {
    return values[number % values.length] ?? 0;
  }
}
