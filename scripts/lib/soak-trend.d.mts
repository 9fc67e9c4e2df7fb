/** A value at a time. */
export interface TrendPoint {
  readonly atMs: number;
  readonly value: number;
}

/** When a measure counts as growing. */
export interface TrendLimits {
  readonly perHour: number;
  readonly least: number;
}

/** How a measure goes. */
export interface Trend {
  readonly slopePerHour: number;
  /** From the first point to the last one, by the slope. */
  readonly rise: number;
  /** Median distance from the line. */
  readonly noise: number;
  readonly from: number;
  readonly to: number;
  readonly isFlat: boolean;
}

/** What was seen of a process at a time; other fields are measures. */
export interface TrendSample {
  readonly node: string;
  readonly pid: number;
  readonly atMs: number;
  readonly [measure: string]: number | string | null;
}

/** Measures that are judged, with their limits. */
export const TREND_LIMITS: Readonly<
  Record<string, TrendLimits & { readonly of: 'process' | 'node'; readonly lifeLeast?: number }>
>;

/** Units per millisecond; 0 for less than two points. */
export function theilSenSlope(points: readonly TrendPoint[]): number;

/** Verdicts on all measures of the longest lives. */
export function judgeSamples(
  samples: readonly TrendSample[],
  totalMs: number,
): readonly (Trend & {
  readonly node: string;
  readonly measure: string;
  readonly livedMs: number;
})[];
