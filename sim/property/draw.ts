// Draws what goes wrong in one run. Chance alone would hardly ever meet the moment that hurts, so
// most runs have an ambush: whoever holds a lock falls silent for longer than its lease lasts, and
// comes back.

import { Dice } from '../script/dice.ts';
import type { WorldFault, WorldFaultKind } from './world-fault.ts';

/** What may be drawn. */
export interface FaultPlan {
  readonly kinds: readonly WorldFaultKind[];
  readonly targets: readonly (number | string)[];
  /** Most faults of one run. */
  readonly countMax: number;
  /** The last of them begins so many milliseconds after the beginning at the latest. */
  readonly horizonMs: number;
  /** How long a silent holder keeps its lock. */
  readonly ttlMs: number;
}

/** Numbers of a fault, from 0: limits of what is drawn, and of what shrinks. */
export const FAULT_MS_MAX = 600_000;
/** The largest `arg`. */
export const ARG_MAX = 1_023;

const AMBUSH_PER_MILLE = 650;
const SILENCES: readonly (readonly [WorldFaultKind, number])[] = [
  ['pause', 6],
  ['isolate', 3],
  ['isolateOut', 1],
  ['suspend', 1],
  ['crash', 2],
];
const OTHERS = [
  [0, 5],
  [1, 4],
  [2, 2],
  [3, 1],
  [6, 1],
] as const;
const OF_NODES: ReadonlySet<WorldFaultKind> = new Set<WorldFaultKind>(['split', 'slowDisk']);

/** The same for the same seed and plan. */
export function drawFaults(seed: number, plan: FaultPlan): readonly WorldFault[] {
  const dice = new Dice(seed);
  const ambush = dice.isHit(AMBUSH_PER_MILLE, 'ambush') ? drawAmbush(dice, plan) : [];
  const count = Math.max(dice.weigh(OTHERS, 'how many'), 1 - ambush.length);
  const others = Array.from({ length: count }, (_, place) => drawAny(dice, plan, place));
  return [...ambush, ...others].slice(0, plan.countMax);
}

function drawAmbush(dice: Dice, plan: FaultPlan): readonly WorldFault[] {
  const silences = SILENCES.filter(([kind]) => plan.kinds.includes(kind));
  if (silences.length === 0) return [];
  const { targets, horizonMs, ttlMs } = plan;
  const target = targets.includes('holder') ? 'holder' : dice.pick(targets, 'ambushed');
  const longest = Math.min(FAULT_MS_MAX, ttlMs * 3);
  const shortest = Math.min(longest, Math.ceil(ttlMs * 1.1));
  const isSoon = dice.isHit(500, 'soon');
  return [
    {
      kind: dice.weigh(silences, 'silence'),
      target,
      atMs: dice.within({ min: 0, max: horizonMs }, 'ambush at'),
      forMs: dice.within({ min: shortest, max: longest }, 'silent for'),
      arg: isSoon ? 0 : dice.within({ min: 0, max: 200 }, 'lingers'),
    },
  ];
}

function drawAny(dice: Dice, plan: FaultPlan, place: number): WorldFault {
  const kind = dice.pick(plan.kinds, 'kind', place);
  const nodes = plan.targets.filter((target) => /^(leader|n\d+)$/.test(String(target)));
  const targets = OF_NODES.has(kind) && nodes.length > 0 ? nodes : plan.targets;
  return {
    kind,
    target: dice.pick(targets, 'target', place),
    atMs: dice.within({ min: 0, max: plan.horizonMs }, 'at', place),
    forMs: drawSpanMs(dice, plan, place),
    arg: dice.within({ min: 0, max: ARG_MAX }, 'arg', place),
  };
}

/** Each order of magnitude is as likely as any other. */
function drawSpanMs(dice: Dice, { ttlMs }: FaultPlan, place: number): number {
  const orders = Math.ceil(Math.log2(Math.max(2, ttlMs * 2)));
  const most = 2 ** dice.within({ min: 1, max: orders }, 'order', place);
  return dice.within({ min: most >> 1, max: Math.min(most, FAULT_MS_MAX) }, 'for', place);
}
