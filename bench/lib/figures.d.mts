import type { Summary } from './statistics.mjs';

/** What was measured. */
export interface Figure extends Summary {
  readonly name: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** Which limit of the machine it is held against: `disk` for `diskMs` and so on. */
  readonly against: string | null;
  /** The first round, on a cluster and clients that have done nothing yet. */
  readonly cold: number | null;
  readonly rounds: readonly number[];
  /** Of a curve: which cost this is, at which size, and what the sizes count. */
  readonly curve?: { readonly of: string; readonly size: number; readonly sizes: string };
}

/** All but what has a default. */
export type FigureOptions = Partial<Pick<Figure, 'better' | 'against' | 'cold'>>;

/** A figure from the values of its rounds. */
export function figure(
  name: string,
  unit: string,
  values: readonly number[],
  options?: FigureOptions,
): Figure;

/** A figure of rounds of which the first one was cold. */
export function coldAndWarm(
  name: string,
  unit: string,
  values: readonly number[],
  options?: FigureOptions,
): Figure;

/** How many times the limit; null without one. */
export function ratioToLimit(
  figure: Pick<Figure, 'unit' | 'median' | 'against'>,
  limits: Readonly<Record<string, number>>,
): number | null;

/** The figure as the point of a curve. */
export function atSize(figure: Figure, size: number, sizes: string): Figure;
