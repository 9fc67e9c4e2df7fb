import type { Timer } from '../../src/ports/clock.ts';
import type { EventKind, Occurrence } from './trace.ts';

/** One call-back into a process. */
export interface Work {
  readonly kind: EventKind;
  /** For the trace: which link, which timer; default 0. */
  readonly a?: number;
  readonly b?: number;
  readonly c?: number;
  /** Works of one lane are never reordered; without a lane each is free. */
  readonly lane?: string;
  readonly run: () => void;
}

/** Work that waits for its time, for a process that stands still, or not at all. */
export class Task implements Occurrence, Timer {
  readonly kind: EventKind;
  readonly process: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly cause: number;
  readonly lane: string | undefined;
  readonly run: () => void;
  isCancelled = false;
  /** Brings it up at its time; null for what comes at once. */
  pending: Timer | null = null;

  constructor(work: Work, process: number, cause: number) {
    this.kind = work.kind;
    this.process = process;
    this.a = work.a ?? 0;
    this.b = work.b ?? 0;
    this.c = work.c ?? 0;
    this.cause = cause;
    this.lane = work.lane;
    this.run = work.run;
  }

  cancel(): void {
    this.isCancelled = true;
    this.pending?.cancel();
  }
}

/** In the order of `rank`, except that tasks of one lane keep theirs: they share its places. */
export function shuffleLanes(tasks: readonly Task[], rank: (place: number) => number): Task[] {
  const order = tasks
    .map((task, place) => ({ task, rank: rank(place), place }))
    .sort((left, right) => left.rank - right.rank || left.place - right.place);
  const lanes = new Map<string, Task[]>();
  for (const task of tasks) {
    if (task.lane === undefined) continue;
    const lane = lanes.get(task.lane) ?? [];
    lane.push(task);
    lanes.set(task.lane, lane);
  }
  return order.map(({ task }) => {
    if (task.lane === undefined) return task;
    return lanes.get(task.lane)?.shift() ?? task;
  });
}
