// Curves as tables for the documentation: a row for each size, a column for each cost, and below
// them how each cost grows.

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

function cell({ points }, size) {
  const point = points.find((each) => each.size === size);
  if (point === undefined) return '';
  const { median, min, max } = point;
  return `${number(median)} (${number(min)}-${number(max)})`;
}

function growthText({ growth: { slope, isSteep } }) {
  return isSteep ? `**${number(slope)}**` : number(slope);
}
