// Stories of the power and of disks that fail at the wrong moment.

import type { Stage } from './stage.ts';
import type { FaultKind } from './types.ts';

const DEATHS: readonly FaultKind[] = ['crash', 'powerLoss'];

/** The power fails everywhere, or almost, while there is work. */
export function darkness(stage: Stage): void {
  stage.clamour(0, 10);
  const kind = stage.pick(['powerLossAll', 'powerLossAll', 'crashAll'], 'kind');
  const forMs = stage.drawn(1, 300, 'dark');
  stage.strike(kind, { afterMs: stage.drawn(1, 10, 'when'), forMs, arg: stage.drawn(0, 3, 'arg') });
  if (stage.isHit(500, 'again')) {
    const afterMs = forMs + stage.drawn(20, 900, 'again');
    stage.strike(stage.pick(DEATHS, 'death'), { afterMs, forMs: 50, arg: 1 });
  }
}

/** A node that has just voted goes down, and its disk has lost the newest when it comes back. */
export function forgetfulDisk(stage: Stage): void {
  const forMs = stage.drawn(1, 100, 'down');
  const target = stage.drawnNode('whose');
  if (stage.isHit(200, 'log')) {
    // The newest batch, or the one before it.
    const arg = 1 + 8 * stage.drawn(0, 1, 'which');
    stage.clamour(0, 120);
    return stage.strike('rotLog', { target, afterMs: 125, forMs, arg });
  }
  stage.clamour(0, 100);
  stage.strike(stage.pick(['crash', 'crash', 'isolate'], 'vacancy'), { forMs: 400 });
  const arg = 1 + 4 * stage.drawn(0, 255, 'when');
  stage.strike('rotSlot', { target, afterMs: 2, forMs, arg });
}

/** A leader's disk hangs, which it must notice; or a write fails, and its node is started again. */
export function failingDisk(stage: Stage): void {
  stage.clamour(0, 60);
  const forMs = stage.drawn(2_100, 2_400, 'hangs');
  if (stage.isHit(400, 'hangs')) {
    stage.lasts(30 + forMs);
    return stage.strike('stallDisk', { afterMs: 30, forMs });
  }
  const kind = stage.pick(['writeError', 'slotError', 'fullDisk'], 'kind');
  const target = stage.drawnNode('whose');
  const arg = stage.drawn(0, 1, 'arg');
  stage.strike(kind, { target, afterMs: 10, forMs: stage.drawn(100, 1_300, 'for'), arg });
  stage.clamour(400, 1_000);
}
