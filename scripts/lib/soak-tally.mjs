// What the load saw: latencies and failures, in quiet time and in all, and how long nobody was
// granted anything around each fault.

import { Latencies } from '../../bench/lib/latencies.mjs';

/** Time is quiet when no fault was under way for so long. */
const QUIET_AFTER_MS = 10_000;
/** What a client may be told while the cluster is harmed. */
const HONEST_CODES = new Set(['UNAVAILABLE', 'OUTCOME_UNKNOWN', 'OVERLOADED', 'WAIT_OVER']);
/** What it is told when a lease has ended under it, which no fault here may bring about. */
const LOST_CODES = new Set(['LOCK_LOST', 'SESSION_EXPIRED', 'SESSION_GONE', 'EVENT_LOOP_BLOCKED']);
const KEPT_MAX = 100;

/** Sentences, and how many there were. */
class Findings {
  count = 0;
  texts = [];

  add(text) {
    this.count += 1;
    if (this.texts.length < KEPT_MAX) this.texts.push(text);
  }
}

/** Everything that is counted. */
export class Tally {
  turns = 0;
  grants = 0;
  violations = new Findings();
  misses = new Findings();
  latencies = new Map();
  failures = new Map();
  /** The fault that is under way or has just been: {number, gapMs}; and those before it. */
  fault = null;
  gaps = [];
  #isUnderWay = false;
  #calmMs = -Infinity;
  #grantedMs = performance.now();

  /** Something that must never happen, on no machine. */
  violate(text) {
    this.violations.add(text);
  }

  /** Something that must not happen on a machine that can do what it is asked for. */
  miss(text) {
    this.misses.add(text);
  }

  /** A fault begins now. */
  begin(number) {
    this.#closeGap();
    this.#isUnderWay = true;
    this.fault = { number, gapMs: 0 };
    this.gaps.push(this.fault);
  }

  /** It is over, and what it has done is made good. */
  over() {
    this.#isUnderWay = false;
    this.#calmMs = performance.now() + QUIET_AFTER_MS;
  }

  /** Whether all of the time since then was quiet. */
  isQuietSince(ms) {
    return !this.#isUnderWay && ms > this.#calmMs;
  }

  granted() {
    this.grants += 1;
    this.#closeGap();
  }

  /** Called now and then, so that a gap that has not ended counts too. */
  look() {
    this.#countGap(performance.now());
  }

  #closeGap() {
    const nowMs = performance.now();
    this.#countGap(nowMs);
    this.#grantedMs = nowMs;
  }

  #countGap(nowMs) {
    if (this.fault === null) return;
    if (!this.#isUnderWay && nowMs > this.#calmMs) this.fault = null;
    else this.fault.gapMs = Math.max(this.fault.gapMs, nowMs - this.#grantedMs);
  }

  /** A request of this kind, meant for then, is answered now. */
  note(kind, meantMs) {
    const tookMs = performance.now() - meantMs;
    this.#record(kind, meantMs, tookMs);
    this.#record('every request', meantMs, tookMs);
  }

  #record(kind, meantMs, tookMs) {
    let pair = this.latencies.get(kind);
    if (pair === undefined) {
      pair = { quiet: new Latencies(), whole: new Latencies() };
      this.latencies.set(kind, pair);
    }
    pair.whole.note(tookMs);
    if (this.isQuietSince(meantMs)) pair.quiet.note(tookMs);
  }

  /** A request of this kind has failed, for a reason that is good only while faults go on. */
  fail(kind, meantMs, error) {
    const isQuiet = this.isQuietSince(meantMs);
    const code = error.code ?? error.name;
    const key = `${kind}: ${code}`;
    const counts = this.failures.get(key) ?? { quiet: 0, whole: 0 };
    this.failures.set(key, counts);
    counts.whole += 1;
    if (isQuiet) counts.quiet += 1;
    if (LOST_CODES.has(code)) this.miss(`${key}: ${error.message}`);
    else if (!HONEST_CODES.has(code)) this.violate(`${key}: ${error.stack}`);
    else if (isQuiet) this.miss(`${key} in quiet time: ${error.message}`);
  }

  /** All of it, for the report. */
  told() {
    this.look();
    return {
      turns: this.turns,
      grants: this.grants,
      violations: this.violations,
      misses: this.misses,
      latencies: Object.fromEntries(
        [...this.latencies].map(([kind, { quiet, whole }]) => [
          kind,
          { quiet: figuresOf(quiet), whole: figuresOf(whole) },
        ]),
      ),
      failures: Object.fromEntries(this.failures),
      gaps: this.gaps,
    };
  }
}

/** Percentiles in milliseconds; null without values. */
function figuresOf(latencies) {
  if (latencies.count === 0) return null;
  const [p50, p99, p999] = [50, 99, 99.9].map((at) => latencies.percentile(at));
  return { count: latencies.count, p50, p99, p999, max: latencies.maxMs };
}
