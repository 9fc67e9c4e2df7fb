// What a pause does to a lease, without any program: a holder works, stands still once at a
// uniformly random moment of its work, and the next holder acquires as soon as the lease is over.
// Nearly all pauses are short; what counts are the few that are not.

/** A pause lasts from `fromMs` to `toMs`, all alike, in this `share` of all cases. */
export interface PauseRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly share: number;
}

/** 99 % short collections of garbage, 1 % that a machine or an operator makes. */
export const PAUSES: readonly [PauseRange, PauseRange] = [
  { fromMs: 0, toMs: 200, share: 0.99 },
  { fromMs: 1_000, toMs: 30_000, share: 0.01 },
];

/** How long after its grant the next holder writes, in milliseconds. */
export const NEXT_WRITE_MS = 1_000;

/** What a holder is to do, and how long its lease lasts without being renewed. */
export interface Setting {
  readonly ttlMs: number;
  /** Shorter than the TTL. */
  readonly workMs: number;
}

/** One holder's fate. */
export interface Trial {
  /** Since the grant: from 0 to the length of the work. */
  readonly pauseAtMs: number;
  readonly pauseMs: number;
}

/** What a trial came to. */
export interface TrialOutcome {
  /** The lease ran out before the work was done. */
  readonly isExpired: boolean;
  /** It ran out during the pause, and the holder wrote after the next one had. */
  readonly isOverlap: boolean;
}

/** Shares of all cases, from 0 to 1. */
export interface Chances {
  readonly expired: number;
  readonly overlap: number;
}

/** What happens without renewal. */
export function outcomeOf(trial: Trial, { ttlMs, workMs }: Setting): TrialOutcome {
  const endMs = workMs + trial.pauseMs;
  const isAsleep = trial.pauseAtMs + trial.pauseMs > ttlMs;
  return { isExpired: endMs > ttlMs, isOverlap: isAsleep && endMs > ttlMs + NEXT_WRITE_MS };
}

/** The chances of the model in closed form: what trials come to when there are enough of them. */
export function exactChances(setting: Setting): Chances {
  const { ttlMs, workMs } = setting;
  const expired = PAUSES.map((range) => {
    const beyondMs = range.toMs - Math.max(range.fromMs, ttlMs - workMs);
    return (range.share * Math.max(0, beyondMs)) / (range.toMs - range.fromMs);
  });
  const overlap = PAUSES.map((range) => {
    const fromMs = Math.max(range.fromMs, ttlMs + NEXT_WRITE_MS - workMs);
    if (fromMs >= range.toMs) return 0;
    const area = asleepArea(range.toMs, setting) - asleepArea(fromMs, setting);
    return (range.share * area) / (range.toMs - range.fromMs);
  });
  return { expired: sum(expired), overlap: sum(overlap) };
}

/**
 * Integral, up to a pause of this length, of the share of moments at which such a pause begins and
 * covers the end of the lease: 0 for short ones, then rising to 1 over the length of the work.
 */
function asleepArea(pauseMs: number, { ttlMs, workMs }: Setting): number {
  const overMs = pauseMs - (ttlMs - workMs);
  if (overMs <= 0) return 0;
  return overMs < workMs ? overMs ** 2 / (2 * workMs) : workMs / 2 + (overMs - workMs);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
