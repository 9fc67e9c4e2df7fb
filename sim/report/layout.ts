// Where lanes are from top to bottom: faults, nodes, processes, stores, locks. What overlaps in one
// lane is put in rows.

import type { Lane, LaneKind, Span, SpanKind } from './recording.ts';
import type { Item, View } from './view.ts';

/** A lane in a picture. */
export interface PlacedLane {
  readonly name: string;
  readonly kind: LaneKind | 'faults';
  /** Upper border and height, in pixels. */
  readonly top: number;
  readonly height: number;
  /** Where frames begin and end, and marks are. */
  readonly middle: number;
}

/** Where everything is. */
export interface Layout {
  readonly lanes: readonly PlacedLane[];
  readonly byName: ReadonlyMap<string, PlacedLane>;
  /** Row of a span within its lane, by its number. */
  readonly rows: ReadonlyMap<number, number>;
  readonly height: number;
}

/** The lane of all faults. */
export const FAULT_LANE = 'faults';
/** Height of the axis above the lanes. */
export const AXIS_HEIGHT = 46;
/** Height of a row of bars in a lane. */
export const ROW_HEIGHT = 18;
const BAND_HEIGHT = 20;
const GAP = 16;

/** Bars that are put below the band of their lane. */
const IN_ROWS: ReadonlySet<SpanKind> = new Set<SpanKind>([
  'belief',
  'hold',
  'wait',
  'delay',
  'fault',
]);

/** Whether bars of this kind have rows of their own, below the band of their lane. */
export function isInRows(kind: SpanKind): boolean {
  return IN_ROWS.has(kind);
}

/** Places the lanes of a view. */
export function layoutOf(lanes: readonly Lane[], view: View): Layout {
  const rows = new Map<number, number>();
  const placed: PlacedLane[] = [];
  let top = AXIS_HEIGHT;
  const place = (name: string, kind: PlacedLane['kind'], bars: readonly Item<Span>[]): void => {
    const count = fillRows(bars, rows);
    const band = kind === 'node' || kind === 'process' || kind === 'store' ? BAND_HEIGHT : 0;
    const height = Math.max(band + count * ROW_HEIGHT, BAND_HEIGHT);
    placed.push({ name, kind, top, height, middle: top + BAND_HEIGHT / 2 });
    top += height + GAP;
  };
  const bars = view.spans.filter(({ of }) => isInRows(of.kind));
  const faults = bars.filter(({ of }) => of.kind === 'fault');
  if (faults.length > 0) place(FAULT_LANE, 'faults', faults);
  for (const { name, kind } of lanes) {
    const own = bars.filter(({ of }) => of.lane === name && of.kind !== 'fault');
    place(name, kind, own);
  }
  return {
    lanes: placed,
    byName: new Map(placed.map((lane) => [keyOf(lane), lane])),
    rows,
    height: top,
  };
}

/** The lane of a span, a mark, or an end of a frame; a lock may have the name of a process. */
export function laneOf(layout: Layout, name: string, isLock = false): PlacedLane | undefined {
  return layout.byName.get(isLock ? `lock ${name}` : name);
}

function keyOf({ name, kind }: PlacedLane): string {
  return kind === 'lock' ? `lock ${name}` : name;
}

/** Each into the first row that is free by then; gives the number of rows. */
function fillRows(bars: readonly Item<Span>[], rows: Map<number, number>): number {
  const ends: number[] = [];
  const order = [...bars].sort((left, right) => left.of.fromUs - right.of.fromUs);
  for (const { number, of } of order) {
    const free = ends.findIndex((endUs) => endUs <= of.fromUs);
    const row = free >= 0 ? free : ends.length;
    ends[row] = of.toUs;
    rows.set(number, row);
  }
  return ends.length;
}
