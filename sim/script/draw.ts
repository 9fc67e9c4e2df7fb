// Draws scripts for campaigns. Which kinds of faults and operations exist at all is drawn first,
// script by script: with everything in every run, the rare meetings of few things would not come
// (swarm testing). What comes out is a value of `scriptArbitrary`, which shrinks it.

import { Dice } from './dice.ts';
import {
  bearable,
  drawClocks,
  drawKnobs,
  drawNet,
  drawPast,
  drawShape,
  tightestWishes,
} from './draw-settings.ts';
import { drawLooseFaults } from './draw-faults.ts';
import { drawLooseOps } from './draw-ops.ts';
import { FAULTS_MAX, NOISE, OPS_MAX } from './ranges.ts';
import { SCENES } from './scenes.ts';
import { Stage } from './stage.ts';
import type { Script, Shape } from './types.ts';

/** Without scenes, or when they are over sooner. */
const HORIZON_MS = { min: 2_200, max: 4_000 };
const HORIZON_MS_MAX = 5_000;
/** Between the last act of the scenes and the healing. */
const CODA_MS = { min: 50, max: 500 };
const SCENE_COUNTS = [
  [0, 5],
  [1, 20],
  [2, 40],
  [3, 35],
] as const;
/** When scenes begin: before that there is no leader yet. */
const SCENE_MS = { min: 620, max: 1_500 };

/** The script of this seed: about 3.5 s, 60 operations and 6 faults. */
export function drawScript(seed: number): Script {
  const dice = new Dice(seed);
  const shape = drawShape(dice);
  const scenes = drawScenes(dice, shape);
  const horizonMs = drawHorizonMs(dice, scenes);
  const loose = drawLooseFaults(dice, shape, { horizonMs, scenes: scenes.length });
  const clocks = drawClocks(dice, shape);
  const wishes = [tightestWishes(clocks, shape), ...scenes.map((scene) => scene.wishes)];
  const faults = [...scenes.flatMap((scene) => scene.faults), ...loose];
  const ops = [...scenes.flatMap((scene) => scene.ops), ...drawLooseOps(dice, shape, horizonMs)];
  const knobs = wishes.reduce((all, wish) => ({ ...all, ...wish.knobs }), drawKnobs(dice));
  const past = wishes.reduce((all, wish) => ({ ...all, ...wish.past }), drawPast(dice));
  const net = wishes.reduce((all, wish) => ({ ...all, ...wish.net }), drawNet(dice));
  return {
    horizonMs,
    faults: byTime(faults).slice(0, FAULTS_MAX),
    ops: byTime(ops)
      .slice(0, OPS_MAX)
      .map((op, at) => ({ id: at + 1, ...op })),
    shape,
    past,
    knobs,
    net: bearable(net, knobs),
    clocks,
    hasHoles: dice.isHit(200, 'holes'),
    noise: dice.within(NOISE, 'noise'),
  };
}

function drawScenes(dice: Dice, shape: Shape): readonly Stage[] {
  const count = dice.weigh(SCENE_COUNTS, 'scenes');
  return Array.from({ length: count }, (_, number) => {
    const startMs = dice.within(SCENE_MS, 'scene start', number);
    const stage = new Stage(dice, shape, { number, startMs });
    dice.weigh(SCENES, 'scene', number)(stage);
    return stage;
  });
}

/** Runs end soon after their scenes: what is rare comes by the second, not by the run. */
function drawHorizonMs(dice: Dice, scenes: readonly Stage[]): number {
  const endMs = Math.max(0, ...scenes.map((scene) => scene.endMs));
  const horizonMs = dice.within(HORIZON_MS, 'horizon');
  if (scenes.length === 0) return horizonMs;
  const codaMs = dice.within(CODA_MS, 'coda');
  return Math.min(HORIZON_MS_MAX, Math.max(HORIZON_MS.min, endMs + codaMs));
}

function byTime<T extends { readonly atMs: number }>(list: readonly T[]): readonly T[] {
  return list.toSorted((left, right) => left.atMs - right.atMs);
}
