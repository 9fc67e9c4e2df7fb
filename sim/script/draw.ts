// Draws scripts for campaigns. Which kinds of faults and operations exist at all is drawn first,
// script by script: with everything in every run, the rare meetings of few things would not come
// (swarm testing). What comes out is a value of `scriptArbitrary`, which shrinks it.

import { Dice } from './dice.ts';
import { drawClocks, drawKnobs, drawNet, drawShape } from './draw-settings.ts';
import { drawLooseFaults } from './draw-faults.ts';
import { drawLooseOps } from './draw-ops.ts';
import { FAULTS_MAX, NOISE, OPS_MAX } from './ranges.ts';
import { SCENES } from './scenes.ts';
import { Stage } from './stage.ts';
import type { Script, Shape } from './types.ts';

const HORIZON_MS = { min: 3_500, max: 7_500 };
const SCENE_COUNTS = [
  [0, 15],
  [1, 40],
  [2, 30],
  [3, 15],
] as const;
/** Before that there is no leader yet. */
const FIRST_SCENE_MS = 700;
const LAST_SCENE_MS = 2_200;

/** The script of this seed: about 5 s, 60 operations and 6 faults. */
export function drawScript(seed: number): Script {
  const dice = new Dice(seed);
  const shape = drawShape(dice);
  const horizonMs = dice.within(HORIZON_MS, 'horizon');
  const scenes = drawScenes(dice, shape, horizonMs);
  const loose = drawLooseFaults(dice, shape, { horizonMs, scenes: scenes.length });
  const faults = [...scenes.flatMap((scene) => scene.faults), ...loose];
  const ops = [...scenes.flatMap((scene) => scene.ops), ...drawLooseOps(dice, shape, horizonMs)];
  return {
    horizonMs,
    faults: byTime(faults).slice(0, FAULTS_MAX),
    ops: byTime(ops)
      .slice(0, OPS_MAX)
      .map((op, at) => ({ id: at + 1, ...op })),
    shape,
    knobs: scenes.reduce((knobs, { wishes }) => ({ ...knobs, ...wishes.knobs }), drawKnobs(dice)),
    net: scenes.reduce((net, { wishes }) => ({ ...net, ...wishes.net }), drawNet(dice)),
    clocks: drawClocks(dice, shape),
    hasHoles: dice.isHit(200, 'holes'),
    noise: dice.within(NOISE, 'noise'),
  };
}

function drawScenes(dice: Dice, shape: Shape, horizonMs: number): readonly Stage[] {
  const count = dice.weigh(SCENE_COUNTS, 'scenes');
  return Array.from({ length: count }, (_, number) => {
    const when = { min: FIRST_SCENE_MS, max: horizonMs - LAST_SCENE_MS };
    const startMs = dice.within(when, 'scene start', number);
    const stage = new Stage(dice, shape, { number, startMs });
    dice.weigh(SCENES, 'scene', number)(stage);
    return stage;
  });
}

function byTime<T extends { readonly atMs: number }>(list: readonly T[]): readonly T[] {
  return list.toSorted((left, right) => left.atMs - right.atMs);
}
