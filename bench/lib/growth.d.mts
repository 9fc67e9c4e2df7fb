import type { Figure } from './figures.mjs';

/** What a size costs. */
export interface Point {
  readonly size: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** `slope` is NaN where there are less than two sizes. */
export interface Growth {
  readonly slope: number;
  readonly isSteep: boolean;
}

/** One cost over all sizes. */
export interface Curve {
  readonly of: string;
  readonly unit: string;
  /** What the sizes count. */
  readonly sizes: string;
  readonly points: readonly Point[];
  /** Of each point to the first one. */
  readonly ratios: readonly number[];
  readonly growth: Growth;
}

/** Growth is fitted over sizes up to so many times smaller than the largest one. */
export const FITTED_RATIO: number;

/** Slope of the line of least squares through the logarithms; NaN for less than two sizes. */
export function slopeOf(points: readonly Pick<Point, 'size' | 'median'>[]): number;

/** Growth over the last sizes. */
export function growthOf(points: readonly Point[]): Growth;

/** The curves that figures make. */
export function curvesOf(figures: readonly Figure[]): readonly Curve[];
