// Latencies in an HDR histogram: every value is kept to three digits, whatever their number is, and
// histograms of several processes are added up. Steps of 0.1 µs, up to 200 s.

import hdr from 'hdr-histogram-js';

const STEPS_PER_MS = 10_000;
const STEPS_MAX = 2_000_000_000;

/** Latencies of one kind of operation. */
export class Latencies {
  constructor(histogram = newHistogram()) {
    this.histogram = histogram;
  }

  note(ms) {
    this.histogram.recordValue(Math.min(STEPS_MAX, Math.max(1, Math.round(ms * STEPS_PER_MS))));
  }

  get count() {
    return this.histogram.totalCount;
  }

  /** The value below which this percentage lies, milliseconds; NaN without values. */
  percentile(percentage) {
    if (this.count === 0) return NaN;
    return this.histogram.getValueAtPercentile(percentage) / STEPS_PER_MS;
  }

  get maxMs() {
    return this.count === 0 ? NaN : this.histogram.maxValue / STEPS_PER_MS;
  }

  /** Text for another process. */
  encoded() {
    return hdr.encodeIntoCompressedBase64(this.histogram);
  }

  /** One for all that came as text. */
  static ofAll(texts) {
    const sum = newHistogram();
    for (const text of texts) sum.add(hdr.decodeFromCompressedBase64(text));
    return new Latencies(sum);
  }
}

function newHistogram() {
  return hdr.build({
    bitBucketSize: 32,
    lowestDiscernibleValue: 1,
    highestTrackableValue: STEPS_MAX,
    numberOfSignificantValueDigits: 3,
    autoResize: false,
    useWebAssembly: false,
  });
}
