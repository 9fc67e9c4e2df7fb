// Two reports side by side: the ratio of each figure, and whether it differs by more than the
// rounds of either run do among themselves.

import { figure } from './figures.mjs';

/** What a limit of the machine is called among the figures. */
const LIMITS = { diskMs: 'limit: append + fdatasync', tcpMs: 'limit: TCP', wsMs: 'limit: ws' };

/**
 * All figures that both reports have, and the limits of the machine beside them. `mark` is `better`
 * or `worse` where each median lies outside of the other's spread, otherwise empty; empty too where
 * one of them is of a single round, for then nobody knows how much it varies, or is not known.
 */
export function compareReports(then, now) {
  const before = new Map(eachFigure(then).map((each) => [each.key, each]));
  return eachFigure(now).flatMap(({ key, experiment, figure }) => {
    const earlier = before.get(key);
    if (earlier === undefined || earlier.figure.unit !== figure.unit) return [];
    return [compareFigures(experiment, earlier.figure, figure)];
  });
}

function compareFigures(experiment, then, now) {
  const { name, unit } = now;
  const ratio = now.median / then.median;
  return {
    experiment,
    name,
    unit,
    then: then.median,
    now: now.median,
    ratio,
    mark: mark(then, now),
  };
}

function mark(then, now) {
  if (then.rounds.length < 2 || now.rounds.length < 2) return '';
  if (!Number.isFinite(then.median) || !Number.isFinite(now.median)) return '';
  if (isWithin(now.median, then) || isWithin(then.median, now)) return '';
  const isLower = now.median < then.median;
  return isLower === (now.better === 'lower') ? 'better' : 'worse';
}

const isWithin = (value, { min, max }) => value >= min && value <= max;

function eachFigure(report) {
  return report.experiments.flatMap(({ name: experiment, figures, limits }) =>
    [...limitFigures(limits), ...figures].map((figure) => ({
      key: `${experiment}\n${figure.name}`,
      experiment,
      figure,
    })),
  );
}

function limitFigures(limits) {
  if (limits === null) return [];
  return Object.entries(LIMITS).map(([key, name]) => figure(name, 'ms', [limits[key]]));
}
