// Stories of sessions that expire with a lock-delay, of processes that take up what others held.

import type { Stage } from './stage.ts';
import type { FaultKind, OpKind } from './types.ts';

const WAITERS: readonly OpKind[] = [
  'acquire',
  'acquireShared',
  'acquireAll',
  'acquireMixed',
  'tryAcquire',
];

/** A holder dies, its locks stay closed for a while, and the leader may change meanwhile. */
export function closedForNow(stage: Stage): void {
  const delayMs = stage.pick([150, 600, 600], 'delay');
  stage.wishes = {
    knobs: {
      ttlMs: 1_000,
      lockDelayMs: delayMs,
      electionMs: stage.pick([150, 250, 500], 'election'),
    },
  };
  const holder = stage.drawnClient();
  const kinds: readonly OpKind[] = ['acquire', 'acquireShared', 'acquireMixed', 'acquirePermits'];
  stage.ask(stage.pick(kinds, 'held'), { client: holder, holdMs: 4_000, arg: 0 });
  if (stage.isHit(400, 'more')) {
    stage.ask('acquireShared', { client: holder + 1, afterMs: 10, holdMs: 2_400, arg: 0 });
  }
  const deadMs = stage.drawn(60, 300, 'death');
  const death = stage.pick(['clientCrash', 'clientCrash', 'clientIsolate', 'clientPause'], 'how');
  stage.strike(death, { target: holder, afterMs: deadMs, forMs: 1_100 + delayMs, arg: 1 });
  // The last renewal was up to a third of a lease ago.
  const expiryMs = deadMs + stage.drawn(680, 1_100, 'expiry');
  for (let place = 0; place < 4; place++) {
    const afterMs =
      place < 2
        ? stage.drawn(80, expiryMs, `at ${place}`)
        : expiryMs + stage.drawn(0, delayMs, `at ${place}`);
    const client = holder + 1 + place;
    stage.ask(stage.pick(WAITERS, `kind ${place}`), { client, afterMs, arg: 0, holdMs: 40 });
  }
  // Its lease is over by then, whenever it renewed last, and a long delay is not.
  const closedMs = deadMs + 1_010;
  const tryMs = closedMs + stage.drawn(0, delayMs >> 1, 'try');
  stage.ask('tryAcquire', { client: holder + 1, afterMs: tryMs, arg: 0 });
  if (stage.isHit(300, 'break')) {
    const afterMs = closedMs + stage.drawn(0, delayMs >> 1, 'break');
    stage.ask('break', { client: holder + 1, afterMs });
  }
  if (stage.isHit(500, 'leader')) {
    const kind = stage.pick(['crash', 'isolate', 'pause', 'powerLoss'], 'leader');
    const afterMs = expiryMs + stage.drawn(-100, delayMs, 'leader');
    stage.strike(kind, { afterMs, forMs: stage.drawn(50, 900, 'leaderless') });
  }
  stage.lasts(expiryMs + delayMs + 700);
}

/** Everybody holds something, much of it together, and all fall silent, soon after each other. */
export function massExpiry(stage: Stage): void {
  const lockDelayMs = stage.pick([0, 150, 600, 600], 'delay');
  stage.wishes = { knobs: { ttlMs: 1_000, lockDelayMs } };
  const kinds: readonly OpKind[] = [
    'acquireShared',
    'acquireShared',
    'acquirePermits',
    'acquirePermits',
    'acquire',
    'acquireAll',
    'campaign',
  ];
  for (let place = 0; place < 2 * stage.shape.clients; place++) {
    const kind = stage.pick(kinds, `kind ${place}`);
    const afterMs = stage.drawn(0, 60, `at ${place}`);
    const key = stage.key + (stage.isHit(700, `together ${place}`) ? 0 : place);
    stage.ask(kind, { client: place, key, afterMs, holdMs: 3_000, arg: 0 });
  }
  const silentMs = stage.drawn(80, 250, 'silence');
  const silence = stage.pick(['clientPause', 'clientCrash', 'clientIsolateOut'], 'how');
  const spared = stage.drawnClient();
  for (let target = 0; target < stage.shape.clients; target++) {
    const afterMs = silentMs + stage.drawn(0, 150, `silence ${target}`);
    const forMs = 1_300 + lockDelayMs;
    if (target !== spared) stage.strike(silence, { target, afterMs, forMs, arg: 1 });
  }
  stage.ask('acquire', { client: spared, afterMs: silentMs + 300, arg: 0, holdMs: 100 });
  if (stage.isHit(300, 'leader')) {
    stage.strike('crash', { afterMs: silentMs + stage.drawn(700, 1_100, 'leader'), forMs: 300 });
  }
  stage.lasts(silentMs + 1_200 + lockDelayMs);
}

/** A process begins anew with what it had saved, before its lease is over or after. */
export function secondLife(stage: Stage): void {
  stage.wishes = { knobs: { ttlMs: 1_000 } };
  const client = stage.drawnClient();
  const kinds: readonly OpKind[] = [
    'acquire',
    'acquireShared',
    'acquirePermits',
    'campaign',
    'acquireAll',
  ];
  stage.ask(stage.pick(kinds, 'held'), { client, holdMs: 4_000, arg: 0 });
  stage.ask('acquire', { client: client + 1, afterMs: 30, holdMs: 200, arg: 0 });
  // It waits for something, too, when it dies; or its last request is still on its way.
  const deadMs = stage.drawn(100, 500, 'death');
  stage.ask('acquire', {
    client,
    key: stage.key + 1,
    afterMs: deadMs - stage.drawn(0, 60, 'ask'),
    arg: 0,
  });
  if (stage.isHit(300, 'stale')) {
    stage.strike('clientStale', { target: client, afterMs: deadMs - 2, forMs: 400 });
  }
  const isLate = stage.isHit(300, 'late');
  const downMs = isLate ? stage.drawn(900, 1_023, 'down') : stage.drawn(16, 500, 'down');
  stage.ask('resume', {
    client,
    afterMs: deadMs,
    holdMs: stage.drawn(50, 600, 'hold'),
    arg: downMs,
  });
  for (let place = 0; place < 3; place++) {
    const afterMs = deadMs + downMs + stage.drawn(5, 200, `again ${place}`);
    stage.ask('acquire', { client, key: place, afterMs, holdMs: 20 });
  }
  if (stage.isHit(400, 'leader')) {
    const afterMs = deadMs + stage.drawn(0, downMs, 'leader');
    stage.strike('crash', { afterMs, forMs: stage.drawn(50, 900, 'leaderless') });
  }
}

/** A grant is handed to a process that cannot be reached just then, or whose giver goes. */
export function handedOver(stage: Stage): void {
  const giver = stage.drawnClient();
  const kinds: readonly OpKind[] = ['acquire', 'acquireShared', 'campaign', 'acquirePermits'];
  const held = stage.pick(kinds, 'held');
  stage.ask(held, { client: giver, holdMs: 3_000, arg: 0 });
  // Whoever waits gets it as soon as it is nobody's any more.
  const wanted = held === 'acquireShared' ? 'acquire' : held;
  stage.ask(wanted, { client: giver + 2, afterMs: 30, holdMs: 50, arg: 0 });
  const handMs = stage.drawn(80, 400, 'hand');
  const holdMs = stage.drawn(100, 1_800, 'hold');
  stage.ask('handOver', { client: giver, afterMs: handMs, holdMs, arg: 0 });
  const silences: readonly FaultKind[] = ['clientIsolate', 'clientPause', 'clientIsolateIn'];
  const way = stage.pick(
    ['cut', 'close', 'close', 'close', 'drain', 'break', 'crash', 'leader'],
    'way',
  );
  const afterMs = handMs + stage.drawn(-3, 400, 'when');
  const forMs = stage.drawn(100, 1_500, 'for');
  if (way === 'cut') {
    stage.strike(stage.pick(silences, 'silence'), {
      target: giver + stage.drawn(0, 1, 'whom'),
      afterMs,
      forMs,
    });
  } else if (way === 'crash')
    stage.strike('clientCrash', { target: giver, afterMs, forMs, arg: 1 });
  else if (way === 'leader') stage.strike('crash', { afterMs, forMs });
  else {
    const client = way === 'break' ? giver + 2 : giver;
    // Who took over works under it by then.
    stage.ask(way, { client, afterMs: afterMs + 20, holdMs: 60 });
  }
}
