// Figures as tables for the documentation. Of what was measured once, a row for each figure; of
// curves, a row for each size, a column for each cost, and below them how each cost grows.

import { ratioToLimit } from './figures.mjs';
import { curvesOf } from './growth.mjs';
import { number } from './table.mjs';

const count = (size) => size.toLocaleString('en-US');
const row = (cells) => `| ${cells.join(' | ')} |`;

/** The table of one experiment of a report; no lines when it has no curves. */
export function curveTable({ figures }) {
  const curves = curvesOf(figures);
  if (curves.length === 0) return [];
  const sizes = [...new Set(curves.flatMap(({ points }) => points.map(({ size }) => size)))];
  sizes.sort((left, right) => left - right);
  return [
    row([curves[0].sizes, ...curves.map(({ of, unit }) => `${of}, ${unit}`)]),
    row(Array.from({ length: curves.length + 1 }, () => '---')),
    ...sizes.map((size) => row([count(size), ...curves.map((curve) => cell(curve, size))])),
    row(['growth', ...curves.map(growthText)]),
  ];
}

/** One table of all experiments, without their curves; no lines when nothing else is there. */
export function figureTable(experiments) {
  const rows = experiments.flatMap(({ name, limits, figures }) =>
    figures
      .filter(({ curve }) => curve === undefined)
      .map((figure) => figureRow(name, figure, limits ?? {})),
  );
  if (rows.length === 0) return [];
  const heads = ['experiment', 'figure', 'median (spread)', 'cold', 'of the limit'];
  return [row(heads), row(heads.map(() => '---')), ...rows];
}

function figureRow(experiment, figure, limits) {
  const { name, unit, median, min, max, cold, rounds, against } = figure;
  const spread = rounds.length > 1 ? ` (${number(min)}-${number(max)})` : '';
  const ratio = ratioToLimit(figure, limits);
  return row([
    experiment,
    name,
    `${number(median)}${spread} ${unit}`.trimEnd(),
    cold === null ? '' : number(cold),
    ratio === null ? '' : `${number(ratio)} × ${against}`,
  ]);
}

function cell({ points }, size) {
  const point = points.find((each) => each.size === size);
  if (point === undefined) return '';
  const { median, min, max } = point;
  return `${number(median)} (${number(min)}-${number(max)})`;
}

function growthText({ growth: { slope, isSteep } }) {
  return isSteep ? `**${number(slope)}**` : number(slope);
}
