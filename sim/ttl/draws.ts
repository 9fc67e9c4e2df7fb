// Which pauses are tried. As often as they happen, for the bare model, which costs nothing; for the
// simulated cluster the long ones far more often, each with the weight that makes up for it.

import { KeyedRandom } from '../world/random.ts';
import { PAUSES } from './model.ts';
import type { Setting, Trial } from './model.ts';

/** A trial, and how much it counts. */
export interface WeightedTrial extends Trial {
  readonly weight: number;
}

const U32 = 0x1_0000_0000;
const [SHORT, LONG] = PAUSES;

/** Of the weighted trials, the share that has a short pause. */
const SHORT_SHARE = 0.1;
/** Of the weighted trials, the share whose pause is long enough to come near the end of a lease. */
const NEAR_SHARE = 0.5;
/** So much before the shortest pause that could outlast the lease. */
const NEAR_MS = 1_000;
/** For TTLs that hardly any pause outlasts. */
const NEAR_SPAN_MS_MIN = 1_000;

/** Draws trials from a seed; the same number is the same trial. */
export class Draws {
  private readonly random: KeyedRandom;

  constructor(seed: number) {
    this.random = new KeyedRandom(seed);
  }

  /** As often as it happens. */
  plain(at: number, workMs: number): Trial {
    const range = this.unit('kind', at) < SHORT.share ? SHORT : LONG;
    const pauseMs = range.fromMs + this.unit('pause', at) * (range.toMs - range.fromMs);
    return { pauseAtMs: this.unit('moment', at) * workMs, pauseMs };
  }

  /** Long pauses more often than they happen, above all those that may outlast the lease. */
  weighted(at: number, { ttlMs, workMs }: Setting): WeightedTrial {
    const pauseAtMs = this.unit('moment', at) * workMs;
    const lot = this.unit('kind', at);
    const luck = this.unit('pause', at);
    const longMs = LONG.toMs - LONG.fromMs;
    if (lot < SHORT_SHARE) {
      const pauseMs = SHORT.fromMs + luck * (SHORT.toMs - SHORT.fromMs);
      return { pauseAtMs, pauseMs, weight: SHORT.share / SHORT_SHARE };
    }
    const nearMs = nearFromMs(ttlMs - workMs);
    const isAimed = lot < SHORT_SHARE + NEAR_SHARE;
    const fromMs = isAimed ? nearMs : LONG.fromMs;
    const pauseMs = fromMs + luck * (LONG.toMs - fromMs);
    const aimed = pauseMs >= nearMs ? NEAR_SHARE / (LONG.toMs - nearMs) : 0;
    const drawn = aimed + (1 - SHORT_SHARE - NEAR_SHARE) / longMs;
    return { pauseAtMs, pauseMs, weight: LONG.share / longMs / drawn };
  }

  private unit(label: string, at: number): number {
    return this.random.draw(label, at) / U32;
  }
}

function nearFromMs(outlastingMs: number): number {
  const latestMs = LONG.toMs - NEAR_SPAN_MS_MIN;
  return Math.min(latestMs, Math.max(LONG.fromMs, outlastingMs - NEAR_MS));
}
