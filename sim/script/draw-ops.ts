// What clients do besides the scenes: mostly asking for few locks and holding them briefly, often
// several of them at the same time.

import type { Dice } from './dice.ts';
import { SCENE_KEYS } from './stage.ts';
import type { OpPlan } from './stage.ts';
import type { OpKind, Shape } from './types.ts';

const COUNT = { min: 25, max: 50 };
const SIDE_KINDS: readonly (readonly [OpKind, number])[] = [
  ['tryAcquire', 20],
  ['acquireAll', 12],
  ['release', 8],
  ['cancel', 8],
  ['inspect', 10],
  ['list', 4],
  ['break', 4],
  ['endSession', 3],
  ['close', 3],
  ['drain', 3],
  ['campaign', 16],
  ['proclaim', 8],
  ['observe', 4],
  ['watchName', 5],
  ['watchPrefix', 5],
  ['reenter', 8],
  ['handOver', 6],
  ['resume', 5],
  ['acquireShared', 30],
  ['acquirePermits', 24],
  ['acquireMixed', 10],
  ['acquireBriefly', 8],
  ['addMember', 2],
  ['promoteMember', 2],
  ['removeMember', 2],
  ['replaceMember', 3],
  ['transferLeadership', 3],
  ['backup', 3],
  ['setLimits', 3],
];
/** Of those for which more than 15 means something else than a wait. */
const ARG_MAX: Readonly<Partial<Record<OpKind, number>>> = {
  inspect: 47,
  break: 47,
  resume: 400,
};
const ACQUIRE_WEIGHT = 60;
const CROWD_MS = 12;

/** Longest hold of most operations of a run: some are about throughput, others about leases. */
const HOLDS_MS: readonly (readonly [number, number])[] = [
  [5, 35],
  [60, 45],
  [250, 20],
];
const LONG_HOLD_MS = { min: 600, max: 2_500 };

/** Operations over the whole run. */
export function drawLooseOps(dice: Dice, shape: Shape, horizonMs: number): readonly OpPlan[] {
  const sides = SIDE_KINDS.filter(([kind]) => dice.isHit(500, 'op kind', kind));
  const kinds = [['acquire', ACQUIRE_WEIGHT] as const, ...sides];
  const holdMsMax = dice.weigh(HOLDS_MS, 'hold scale');
  const isLong = dice.isHit(300, 'long holds');
  const starts = drawStarts(dice, horizonMs);
  return starts.map((atMs, place) => {
    const kind = dice.weigh(kinds, 'op kind', place);
    return {
      client: dice.within({ min: 0, max: shape.clients - 1 }, 'op client', place),
      kind,
      key: drawKey(dice, shape, place),
      atMs,
      holdMs:
        isLong && dice.isHit(40, 'long', place)
          ? dice.within(LONG_HOLD_MS, 'hold', place)
          : dice.within({ min: 0, max: holdMsMax }, 'hold', place),
      arg: dice.within({ min: 0, max: ARG_MAX[kind] ?? 15 }, 'op arg', place),
    };
  });
}

/** A crowd around the first locks; few at those of the scenes. */
function drawKey(dice: Dice, { keys }: Shape, place: number): number {
  const isAnywhere = dice.isHit(250, 'op anywhere', place);
  const count = isAnywhere ? keys : Math.max(1, keys - SCENE_KEYS);
  return dice.within({ min: 0, max: count - 1 }, 'op key', place);
}

/** Two in five come together with the one before. */
function drawStarts(dice: Dice, horizonMs: number): readonly number[] {
  const starts: number[] = [];
  for (let place = 0; place < dice.within(COUNT, 'op count'); place++) {
    const before = starts.at(-1);
    const isCrowd = before !== undefined && dice.isHit(400, 'crowd', place);
    const crowdMs = (before ?? 0) + dice.within({ min: 0, max: CROWD_MS }, 'op at', place);
    starts.push(isCrowd ? crowdMs : dice.within({ min: 0, max: horizonMs }, 'op at', place));
  }
  return starts;
}
