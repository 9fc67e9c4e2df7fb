// Cuts that move while the fault lasts.

import { US_PER_MS } from '../../src/base/units.ts';
import type { Undo } from '../world/direction.ts';
import { FLAP_MS, step } from './fault-steps.ts';
import type { FaultField } from './fault-field.ts';
import type { Fault } from './types.ts';

/** Cuts and mends in turn, until it is undone. */
export function flap(field: FaultField, fault: Fault, cut: () => Undo | null): Undo | null {
  const { world } = field.cluster;
  const periodUs = step(FLAP_MS, fault) * US_PER_MS;
  let isOver = false;
  let mend = cut();
  if (mend === null) return null;
  const turn = (): void => {
    if (isOver) return;
    if (mend === null) {
      mend = cut();
    } else {
      mend();
      mend = null;
    }
    world.at(world.nowUs + periodUs, turn);
  };
  world.at(world.nowUs + periodUs, turn);
  return () => {
    isOver = true;
    mend?.();
  };
}

/** One node after the other is cut off from the rest, then they come back in another order. */
export function swizzle(field: FaultField, fault: Fault): Undo | null {
  const { world } = field.cluster;
  const names = field.nodeNames;
  if (names.length === 1) return null;
  const order = shuffled(field, fault, 'out');
  const back = shuffled(field, fault, 'back');
  const mends = new Map<string, Undo | null>();
  const stepUs = Math.ceil((fault.forMs * US_PER_MS) / (2 * names.length));
  let isOver = false;
  const later = (place: number, act: () => void): void => {
    world.at(world.nowUs + place * stepUs, () => {
      if (!isOver) act();
    });
  };
  const mend = (name: string): void => {
    mends.get(name)?.();
    mends.delete(name);
  };
  order.forEach((name, place) =>
    later(place, () => mends.set(name, field.impair([name], names, { isCut: true }))),
  );
  back.forEach((name, place) => later(names.length + place, () => mend(name)));
  return () => {
    isOver = true;
    for (const name of names) mend(name);
  };
}

function shuffled(field: FaultField, fault: Fault, label: string): readonly string[] {
  const { random } = field.cluster.world;
  return field.nodeNames
    .map((name) => ({ name, rank: random.draw(label, name, fault.arg) }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ name }) => name);
}
