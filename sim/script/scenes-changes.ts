// Stories of changes of the membership that are under way when something befalls their leader.

import { CHANGE, JOINT, LINGER_SHIFT } from './ambush.ts';
import type { Stage } from './stage.ts';
import type { OpKind } from './types.ts';

/** The leader is lost with a change in its log that perhaps nobody else has. */
export function lonelyChange(stage: Stage): void {
  begin(stage, ['addMember', 'addMember', 'replaceMember', 'removeMember']);
  // Its words take their time: those about the change reach nobody.
  if (stage.isHit(600, 'slow')) stage.strike('spike', { forMs: 900, arg: stage.drawn(0, 2, 'by') });
  const moment = stage.pick([CHANGE, CHANGE, JOINT], 'moment');
  lose(stage, moment, { linger: stage.drawn(0, 2, 'linger') });
  stage.ask(stage.pick(['addMember', 'removeMember', 'transferLeadership'], 'then'), {
    client: 1,
    afterMs: stage.drawn(700, 1_500, 'then'),
  });
  stage.lasts(2_000);
}

/** All that a lost leader leaves is a joint configuration: its successor has to end the change. */
export function orphanedChange(stage: Stage): void {
  begin(stage, ['replaceMember', 'removeMember', 'addMember']);
  for (let target = 1; target <= stage.shape.nodes; target++) {
    stage.strike('slowDisk', { target, forMs: 1_500, arg: stage.drawn(0, 2, 'slow') });
  }
  lose(stage, JOINT, { linger: stage.drawn(2, 6, 'linger') });
  stage.lasts(2_000);
}

/** Members old and new differ much in how fast they are while the change is decided. */
export function unevenHalves(stage: Stage): void {
  begin(stage, ['replaceMember']);
  // The newcomer may keep up before it is even decided that it is one.
  const isOldSlow = stage.isHit(500, 'old ones');
  for (let target = 1; target <= stage.shape.nodes; target++) {
    const arg = isOldSlow ? 3 : stage.drawn(0, 3, `disk ${target}`);
    stage.strike('slowDisk', { target, forMs: 1_800, arg });
  }
  stage.lasts(1_800);
}

/** A change of voters, with work beside it. Whoever leaves stays around half of the time. */
function begin(stage: Stage, kinds: readonly OpKind[]): void {
  const kind = stage.pick(kinds, 'kind');
  const key = stage.drawn(0, stage.shape.nodes - 1, 'whom');
  stage.ask(kind, { afterMs: 10, key, arg: stage.pick([1, 3, 2], 'arg') });
  stage.clamour(0, 600);
}

function lose(stage: Stage, moment: number, { linger }: { readonly linger: number }): void {
  const kind = stage.pick(['isolate', 'isolate', 'isolateOut', 'crash', 'pause'], 'how');
  const forMs = stage.drawn(700, 1_400, 'away');
  stage.strike(kind, { forMs, arg: moment + (linger << LINGER_SHIFT) });
}
