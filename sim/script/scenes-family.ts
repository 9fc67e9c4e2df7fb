// Stories of shared locks, semaphores and several names: of who waits behind whom.

import type { Stage } from './stage.ts';
import type { OpKind } from './types.ts';

/** Readers wait behind a writer that never gets its turn, and goes in one way or another. */
export function readersBehindWriter(stage: Stage): void {
  const reader = stage.drawnClient();
  const writer = reader + 1;
  stage.ask('acquireShared', { client: reader, holdMs: stage.drawn(700, 1_400, 'hold'), arg: 0 });
  const waitMs = stage.drawn(60, 300, 'wait');
  const isPatient = stage.isHit(700, 'patient');
  const kind = stage.pick(['acquire', 'acquire', 'acquireAll'], 'writer');
  stage.ask(kind, { client: writer, afterMs: 40, arg: isPatient ? 0 : waitMs });
  for (let place = 0; place < stage.drawn(2, 4, 'readers'); place++) {
    const afterMs = 55 + stage.drawn(0, 30, `reader ${place}`);
    const holdMs = stage.drawn(5, 200, `hold ${place}`);
    stage.ask('acquireShared', { client: reader + 2 + place, afterMs, holdMs, arg: 0 });
  }
  if (!isPatient) return;
  const goneMs = 120 + stage.drawn(0, 200, 'gone');
  const way = stage.pick(['cancel', 'close', 'endSession', 'clientCrash', 'none'], 'way');
  if (way === 'none') return;
  if (way === 'clientCrash') stage.strike(way, { target: writer, afterMs: goneMs, forMs: 1_500 });
  else {
    // An operator is the client before the one whose session ends.
    const client = way === 'endSession' ? writer + stage.shape.clients - 1 : writer;
    stage.ask(way, { client, afterMs: goneMs, arg: 0 });
  }
}

/** Readers come one after the other, so that there is always one: the writer must get its turn. */
export function endlessReaders(stage: Stage): void {
  const writer = stage.drawnClient();
  const stepMs = stage.drawn(20, 60, 'step');
  for (let place = 0; place < 12; place++) {
    const client = writer + 1 + (place % Math.max(1, stage.shape.clients - 1));
    stage.ask('acquireShared', { client, afterMs: place * stepMs, holdMs: 2 * stepMs, arg: 0 });
  }
  const kind = stage.pick(['acquire', 'acquireAll', 'acquireMixed'], 'writer');
  stage.ask(kind, { client: writer, afterMs: 3 * stepMs + 5, holdMs: 15, arg: 0 });
  if (stage.isHit(500, 'crash')) stage.strike('crash', { afterMs: 4 * stepMs, forMs: 300 });
}

/** Everybody wants permits of one semaphore, for longer than there are any. */
export function permitHerd(stage: Stage): void {
  const kinds: readonly OpKind[] = [
    'acquirePermits',
    'acquirePermits',
    'acquirePermits',
    'acquireMixed',
  ];
  for (let place = 0; place < 10; place++) {
    const afterMs = stage.drawn(0, place < 5 ? 20 : 400, `at ${place}`);
    const holdMs = stage.drawn(20, 300, `hold ${place}`);
    const kind = stage.pick(kinds, `kind ${place}`);
    stage.ask(kind, { client: place, afterMs, holdMs, arg: stage.drawn(0, 6, `arg ${place}`) });
  }
  if (stage.isHit(500, 'release')) {
    stage.ask('release', { client: stage.drawnClient(), afterMs: 150 });
  }
  const fault = stage.pick(['clientCrash', 'clientReset', 'crash', 'crash'], 'fault');
  const target = fault === 'crash' ? 0 : stage.drawnClient();
  stage.strike(fault, { target, afterMs: stage.drawn(5, 300, 'when'), forMs: 200 });
}

/** Requests for several names of all kinds get in each other's way. */
export function tangle(stage: Stage): void {
  const kinds: readonly OpKind[] = [
    'acquireMixed',
    'acquireMixed',
    'acquireAll',
    'acquireShared',
    'acquirePermits',
    'acquire',
    'cancel',
    'release',
  ];
  for (let place = 0; place < 14; place++) {
    const afterMs = stage.drawn(0, 500, `at ${place}`);
    const key = stage.key + stage.drawn(0, 1, `key ${place}`);
    const holdMs = stage.drawn(1, 120, `hold ${place}`);
    const kind = stage.pick(kinds, `kind ${place}`);
    stage.ask(kind, {
      client: place,
      key,
      afterMs,
      holdMs,
      arg: stage.drawn(0, 7, `arg ${place}`),
    });
  }
  if (stage.isHit(500, 'crash')) {
    stage.strike('crash', { afterMs: stage.drawn(50, 500, 'when'), forMs: 300 });
  }
}

/** Shared grants of one entry are told apart: one is given back, the others stay. */
export function sharedTogether(stage: Stage): void {
  const writer = stage.drawnClient();
  const releaseMs = 150;
  stage.ask('acquire', { client: writer, holdMs: releaseMs, arg: 0 });
  // They are granted together when the writer goes, so with one token; two of them to one session.
  for (let place = 0; place < 4; place++) {
    const client = writer + 1 + (place >> 1);
    const holdMs = stage.drawn(60, 500, `hold ${place}`);
    stage.ask('acquireShared', { client, afterMs: 40 + 10 * place, holdMs, arg: 0 });
  }
  const lateMs = releaseMs + stage.drawn(30, 200, 'late');
  stage.ask('acquire', { client: writer, afterMs: lateMs, holdMs: 30, arg: 0 });
  if (stage.isHit(600, 'break')) {
    stage.ask('break', { client: writer, afterMs: releaseMs + stage.drawn(8, 60, 'break') });
  }
}
