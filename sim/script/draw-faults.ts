// Faults besides those of the scenes: few kinds in each run, aimed at the leader half of the time,
// often within moments of each other, for one millisecond up to three seconds.

import type { Dice } from './dice.ts';
import { CLIENT_TARGETS } from './fault-groups.ts';
import type { Range } from './ranges.ts';
import type { Fault, FaultKind, Shape } from './types.ts';

/** How often each kind is chosen, among those that exist in a run. */
const KINDS: readonly (readonly [FaultKind, number])[] = [
  ['crash', 12],
  ['powerLoss', 8],
  ['crashAll', 2],
  ['powerLossAll', 3],
  ['pause', 8],
  ['suspend', 3],
  ['slowNode', 3],
  ['wallJump', 2],
  ['clockRate', 2],
  ['isolate', 8],
  ['isolateIn', 4],
  ['isolateOut', 4],
  ['cutPair', 4],
  ['cutOneWay', 4],
  ['halves', 4],
  ['bridge', 3],
  ['ring', 2],
  ['flap', 2],
  ['swizzle', 2],
  ['reset', 4],
  ['resetAll', 3],
  ['stale', 4],
  ['blackHole', 2],
  ['refuse', 2],
  ['hang', 2],
  ['slowLink', 2],
  ['spike', 3],
  ['loss', 3],
  ['duplicate', 3],
  ['reorder', 3],
  ['clientCrash', 6],
  ['clientPause', 6],
  ['clientSuspend', 2],
  ['clientBlock', 4],
  ['clientThread', 2],
  ['clientSlow', 2],
  ['clientWallJump', 2],
  ['clientClockRate', 2],
  ['clientIsolate', 5],
  ['clientIsolateIn', 3],
  ['clientIsolateOut', 3],
  ['clientsOnly', 3],
  ['clientReset', 5],
  ['clientStale', 4],
  ['slowDisk', 4],
  ['stallDisk', 3],
  ['fullDisk', 2],
  ['writeError', 2],
  ['slotError', 2],
  ['tornSlot', 3],
  ['rotLog', 2],
  ['rotState', 2],
  ['rotSlot', 2],
];

const KIND_PER_MILLE = 250;
const VACANCY_PER_MILLE = 250;
const DURATIONS_MS: readonly Range[] = [
  { min: 1, max: 20 },
  { min: 20, max: 200 },
  { min: 200, max: 1_000 },
  { min: 1_000, max: 3_000 },
];
const BURST_MS = 50;
/** Wide, for it picks what is damaged. */
const ARG = { min: 0, max: 255 };

/** Between one and nine of them; fewer when there are scenes. */
export function drawLooseFaults(
  dice: Dice,
  shape: Shape,
  { horizonMs, scenes }: { readonly horizonMs: number; readonly scenes: number },
): readonly Fault[] {
  const chosen = KINDS.filter(([kind]) => dice.isHit(KIND_PER_MILLE, 'fault kind', kind));
  const kinds = chosen.length === 0 ? KINDS : chosen;
  const range = scenes === 0 ? { min: 2, max: 8 } : { min: 1, max: 4 };
  const count = dice.within(range, 'fault count');
  const faults: Fault[] = [];
  for (let place = 0; place < count; place++) {
    const kind = dice.weigh(kinds, 'fault kind', place);
    const before = faults.at(-1);
    const isBurst = before !== undefined && dice.isHit(400, 'burst', place);
    const burst = { min: 0, max: BURST_MS };
    faults.push({
      kind,
      target: drawTarget(dice, kind, { shape, place }),
      atMs: isBurst
        ? before.atMs + dice.within(burst, 'fault at', place)
        : dice.within({ min: 300, max: horizonMs }, 'fault at', place),
      forMs: dice.within(dice.pick(DURATIONS_MS, 'scale', place), 'fault for', place),
      arg: dice.within(ARG, 'fault arg', place),
    });
  }
  if (dice.isHit(VACANCY_PER_MILLE, 'vacancy')) faults.push(drawVacancy(dice, horizonMs));
  return faults;
}

/** The leader is gone for long enough that there is another one. */
function drawVacancy(dice: Dice, horizonMs: number): Fault {
  return {
    kind: dice.pick(['crash', 'isolate', 'pause'], 'vacancy kind'),
    target: 0,
    atMs: dice.within({ min: 700, max: horizonMs - 700 }, 'vacancy at'),
    forMs: dice.within({ min: 700, max: 1_500 }, 'vacancy for'),
    arg: 0,
  };
}

function drawTarget(
  dice: Dice,
  kind: FaultKind,
  { shape, place }: { readonly shape: Shape; readonly place: number },
): number {
  if (CLIENT_TARGETS.has(kind)) {
    return dice.within({ min: 0, max: shape.clients - 1 }, 'target', place);
  }
  if (dice.isHit(500, 'leader', place)) return 0;
  return dice.within({ min: 1, max: shape.nodes }, 'target', place);
}
