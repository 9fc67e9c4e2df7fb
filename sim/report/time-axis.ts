// Where a time is in a picture. Time is not to scale: between two instants at which something
// happens the distance grows with the logarithm of the time between them, so that answers within
// a tenth of a millisecond can be told apart, and quiet seconds are folded.

/** What a stretch of time must have room for, in pixels. */
export interface Need {
  readonly fromUs: number;
  readonly toUs: number;
  readonly pixels: number;
}

/** A quiet stretch that was folded. */
export interface Fold {
  readonly fromUs: number;
  readonly toUs: number;
}

const LOG_PIXELS = 4;
const LOG_US = 20;
const FOLD_US = 100_000;
const FOLD_PIXELS = 44;
const LEFT_PIXELS = 24;
const RIGHT_PIXELS = 90;

/** See the head of this file. */
export class TimeAxis {
  readonly folds: readonly Fold[];
  /** Ascending, at least one. */
  readonly times: readonly number[];
  private readonly places: readonly number[];

  constructor(times: readonly number[], needs: readonly Need[]) {
    this.times = [...new Set(times.length === 0 ? [0] : times)].sort((left, right) => left - right);
    const gaps = this.times.slice(1).map((timeUs, at) => gapPixels(timeUs - (this.times[at] ?? 0)));
    const order = [...needs].sort((left, right) => spanUs(left) - spanUs(right));
    for (const need of order) this.makeRoom(gaps, need);
    const places = [LEFT_PIXELS];
    for (const gap of gaps) places.push((places.at(-1) ?? 0) + gap);
    this.places = places;
    this.folds = this.times
      .slice(1)
      .map((toUs, at) => ({ fromUs: this.times[at] ?? 0, toUs }))
      .filter(({ fromUs, toUs }) => toUs - fromUs >= FOLD_US);
  }

  /** Pixels from the left to the right border. */
  get width(): number {
    return (this.places.at(-1) ?? 0) + RIGHT_PIXELS;
  }

  /** Pixels from the left border; times outside are at the borders. */
  x(timeUs: number): number {
    const at = this.placeOf(timeUs);
    const leftUs = this.times[at] ?? 0;
    const rightUs = this.times[at + 1];
    const left = this.places[at] ?? 0;
    if (rightUs === undefined || timeUs <= leftUs) return left;
    const right = this.places[at + 1] ?? left;
    return left + ((right - left) * (timeUs - leftUs)) / (rightUs - leftUs);
  }

  private makeRoom(gaps: number[], { fromUs, toUs, pixels }: Need): void {
    const first = this.placeOf(fromUs);
    const last = this.placeOf(toUs);
    const total = gaps.slice(first, last).reduce((sum, gap) => sum + gap, 0);
    if (total === 0 || total >= pixels) return;
    for (let at = first; at < last; at++) gaps[at] = ((gaps[at] ?? 0) * pixels) / total;
  }

  /** The last of `times` that is not later, by halving; the first if all are. */
  private placeOf(timeUs: number): number {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.times[middle] ?? 0) <= timeUs) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function gapPixels(gapUs: number): number {
  const pixels = LOG_PIXELS * Math.log1p(gapUs / LOG_US);
  return gapUs >= FOLD_US ? Math.max(FOLD_PIXELS, pixels) : pixels;
}

function spanUs({ fromUs, toUs }: Need): number {
  return toUs - fromUs;
}
