// One figure: what was measured, in which unit, in which rounds, and which limit of the machine it
// is held against.

import { summarise } from './statistics.mjs';

/**
 * A figure from the values of its rounds. `cold` is the value of the first round, which is not one
 * of the others; null where there is none. `against` names a limit (lib/limits.mjs).
 */
export function figure(name, unit, values, { better = 'lower', against = null, cold = null } = {}) {
  return { name, unit, better, against, cold, rounds: values, ...summarise(values) };
}

/** A figure of rounds of which the first one was cold. */
export function coldAndWarm(name, unit, [cold, ...warm], options = {}) {
  return figure(name, unit, warm, { ...options, cold: Number.isNaN(cold) ? null : cold });
}

/** The figure as the point of a curve, at this size; `sizes` is what they count. */
export function atSize(figure, size, sizes) {
  const of = figure.name;
  return { ...figure, name: `${of}, ${size} ${sizes}`, curve: { of, size, sizes } };
}

/**
 * How many times the limit: milliseconds as such; of a rate, how often it fits into the rate of
 * what takes that long, one after the other. Null without a limit.
 */
export function ratioToLimit({ unit, median, against }, limits) {
  const limitMs = against === null ? undefined : limits[`${against}Ms`];
  if (limitMs === undefined) return null;
  return unit === '/s' ? (median * limitMs) / 1_000 : median / limitMs;
}
