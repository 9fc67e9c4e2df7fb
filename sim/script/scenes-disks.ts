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

/** A node goes down that has just voted, and the newest slot is gone when it comes back. */
export function forgottenVote(stage: Stage): void {
  stage.clamour(0, 100);
  stage.strike(stage.pick(['crash', 'crash', 'isolate'], 'vacancy'), { forMs: 400 });
  const arg = 1 + 4 * stage.drawn(0, 255, 'when');
  const forMs = stage.drawn(1, 100, 'down');
  const target = stage.drawn(1, stage.shape.nodes, 'whose');
  stage.strike('rotSlot', { target, afterMs: 2, forMs, arg });
}

/** A node goes down in the middle of work, and the end of its log is gone when it comes back. */
export function forgottenEnd(stage: Stage): void {
  stage.clamour(0, 120);
  // The newest batch, or the one before it.
  const arg = 1 + 8 * stage.drawn(0, 1, 'which');
  const afterMs = stage.drawn(60, 125, 'when');
  const forMs = stage.drawn(1, 100, 'down');
  stage.strike('rotLog', { target: stage.drawnNode('whose'), afterMs, forMs, arg });
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
  const target = stage.isHit(500, 'leader') ? 0 : stage.drawnNode('whose');
  const arg = stage.drawn(0, 1, 'arg');
  stage.strike(kind, { target, afterMs: 10, forMs: stage.drawn(100, 1_300, 'for'), arg });
  stage.clamour(400, 1_000);
}
