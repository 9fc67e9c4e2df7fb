// Figures as text.

import { ratioToLimit } from './figures.mjs';
import { curvesOf } from './growth.mjs';

/** Three figures that count, with separators: 0.281, 14.2, 4,550. */
export function number(value) {
  if (value === null || Number.isNaN(value)) return '–';
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals });
}

/** The lines of one experiment. */
export function experimentLines({ name, about, limits, figures, notes, failed }) {
  const head = [`${name}: ${about}`];
  if (limits !== null) head.push(`  ${limitText(limits)}`);
  const lines = figures
    .filter(({ curve }) => curve === undefined)
    .map((figure) => `  ${figureText(figure, limits ?? {})}`);
  const curves = curvesOf(figures).flatMap(curveLines);
  const ends = notes.map((note) => `  ${note}`);
  if (failed !== null) ends.push(`  FAILED: ${failed}`);
  return [...head, ...lines, ...curves.map((line) => `  ${line}`), ...ends];
}

function limitText({ diskMs, tcpMs, wsMs, commitMs, fileSystem }) {
  return (
    `limits: append + fdatasync ${number(diskMs)} ms (${fileSystem}), round trip TCP ` +
    `${number(tcpMs)} ms, ws ${number(wsMs)} ms, a commit ${number(commitMs)} ms`
  );
}

function figureText(figure, limits) {
  const { name, unit, median, min, max, cold, rounds } = figure;
  const spread = rounds.length > 1 ? `(${number(min)}-${number(max)})` : '';
  const ratio = ratioToLimit(figure, limits);
  return [
    name.padEnd(34),
    `${number(median).padStart(9)} ${unit.padEnd(4)}`,
    spread.padEnd(20),
    (cold === null ? '' : `cold ${number(cold)}`).padEnd(14),
    ratio === null ? '' : `${number(ratio)} × ${figure.against}`,
  ]
    .join(' ')
    .trimEnd();
}

/** One cost over all sizes: median, spread, ratio to the first size; then how it grows. */
function curveLines({ of, unit, sizes, points, ratios, growth }) {
  const rows = points.map(({ size, median, min, max }, at) => {
    const spread = `(${number(min)}-${number(max)})`;
    return [
      size.toLocaleString('en-US').padStart(11),
      `${number(median).padStart(11)} ${unit.padEnd(3)}`,
      spread.padEnd(20),
      `× ${number(ratios[at])}`,
    ].join(' ');
  });
  const mark = growth.isSteep ? ', faster than a logarithm' : '';
  return [`${of}, over ${sizes}: growth ${number(growth.slope)}${mark}`, ...rows];
}

/** The lines of a comparison with an earlier run. */
export function comparisonLines(comparisons) {
  return comparisons.map(({ experiment, name, unit, then, now, ratio, mark }) =>
    [
      `${experiment}, ${name}`.padEnd(56),
      `${number(then).padStart(9)} → ${number(now).padStart(9)} ${unit.padEnd(4)}`,
      `× ${number(ratio).padEnd(7)}`,
      mark,
    ]
      .join(' ')
      .trimEnd(),
  );
}
