// Every point of a story at which a node can die: before a write happened, after it happened but
// unheard of, and with power lost.

import type { WriteEffect } from '../../sim/world/disk-options.ts';
import type { NodeStorage } from '../../src/node/storage/types.ts';
import type { Rig } from './rig.ts';

/** Steps of a node's life; each is begun when the one before was answered. */
export type Story = readonly ((storage: NodeStorage, answered: () => void) => void)[];

/** Where a node dies. */
export interface CrashPoint {
  /** Writes that happen and are answered; the next one is under way when the node dies. */
  readonly writes: number;
  readonly underWay: WriteEffect;
  readonly hasPower: boolean;
}

/** Every crash point of a story that takes `writes` writes. */
export function crashPoints(writes: number): readonly CrashPoint[] {
  const points: CrashPoint[] = [];
  for (let at = 0; at <= writes; at++) {
    for (const underWay of ['lost', 'landed'] as const) {
      for (const hasPower of [true, false]) points.push({ writes: at, underWay, hasPower });
    }
    points.push({ writes: at, underWay: 'torn', hasPower: false });
  }
  return points;
}

/** Tells the story up to the crash; how many of its steps were answered. */
export function crashDuring(
  rig: Rig,
  storage: NodeStorage,
  story: Story,
  point: CrashPoint,
): number {
  let answered = 0;
  rig.disk.writes.holdAfter(point.writes);
  const next = (): void =>
    story[answered]?.(storage, () => {
      answered += 1;
      next();
    });
  next();
  rig.settle();
  if (point.hasPower) rig.disk.crash(point.underWay);
  else rig.disk.losePower(point.underWay);
  return answered;
}

/** Writes that a story takes when nothing goes wrong. */
export function writesOf(prepare: () => { rig: Rig; storage: NodeStorage }, story: Story): number {
  for (let writes = 0; ; writes++) {
    const { rig, storage } = prepare();
    const point = { writes, underWay: 'lost', hasPower: true } as const;
    if (crashDuring(rig, storage, story, point) === story.length) return writes;
    if (writes > 100) throw new Error('the story has no end');
  }
}
