// Two reports side by side: the ratio of each figure, and whether it differs by more than the
// rounds of either run do among themselves.

/**
 * All figures that both reports have. `mark` is `better` or `worse` where each median lies outside
 * of the other's spread, otherwise empty.
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
  const isOutside = !isWithin(now.median, then) && !isWithin(then.median, now);
  const isBetter = now.better === 'lower' ? now.median < then.median : now.median > then.median;
  return {
    experiment,
    name: now.name,
    unit: now.unit,
    then: then.median,
    now: now.median,
    ratio: now.median / then.median,
    mark: !isOutside ? '' : isBetter ? 'better' : 'worse',
  };
}

const isWithin = (value, { min, max }) => value >= min && value <= max;

function eachFigure(report) {
  return report.experiments.flatMap(({ name: experiment, figures }) =>
    figures.map((figure) => ({ key: `${experiment}\n${figure.name}`, experiment, figure })),
  );
}
