// Stories of logs that are compacted, of nodes that come and go, and of leaders that hand over.

import type { Stage, Wishes } from './stage.ts';

/** A checkpoint after almost every entry, next to no log behind it, and small pieces of it. */
const COMPACT: Wishes = { knobs: { checkpointRows: 1, trailingEntries: 1, partBytes: 300 } };

/** A follower is away while the log goes on without it: it comes back to a checkpoint. */
export function leftBehind(stage: Stage): void {
  stage.wishes = COMPACT;
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  const forMs = stage.drawn(250, 900, 'away');
  stage.strike(stage.pick(['isolate', 'crash', 'pause'], 'how'), { target, forMs });
  stage.clamour(20, 200);
  stage.clamour(forMs, 150);
  // Whoever sends it may be gone before it is through.
  if (stage.isHit(400, 'sender')) {
    const afterMs = forMs + stage.drawn(1, 40, 'sender dies');
    stage.strike(stage.pick(['crash', 'isolate'], 'end'), { afterMs, forMs: 700 });
  }
  stage.lasts(forMs + 500);
}

/** The same again while it is still busy with the first one. */
export function twiceBehind(stage: Stage): void {
  stage.wishes = { knobs: { ...COMPACT.knobs, partBytes: 1 } };
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  stage.strike('isolate', { target, forMs: 300 });
  stage.clamour(20, 200);
  stage.strike('slowDisk', { target, afterMs: 290, forMs: 600, arg: 1 });
  stage.clamour(310, 300);
  stage.strike('isolate', { target, afterMs: stage.drawn(320, 420, 'again'), forMs: 200 });
  stage.strike('reset', { target, afterMs: stage.drawn(560, 700, 'reset') });
  stage.lasts(1_200);
}

/** A follower dies, or loses its power, while it puts a checkpoint in force. */
export function dyingInstall(stage: Stage): void {
  stage.wishes = COMPACT;
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  stage.strike('isolate', { target, forMs: 300 });
  stage.clamour(20, 250);
  // An odd arg waits for a write of that node.
  for (let round = 0; round < 3; round++) {
    const afterMs = 305 + round * 150 + stage.drawn(0, 60, `death ${round}`);
    const kind = stage.pick(['crash', 'powerLoss'], `how ${round}`);
    stage.strike(kind, { target, afterMs, forMs: stage.drawn(1, 40, `down ${round}`), arg: 1 });
  }
  stage.clamour(350, 300);
  stage.lasts(1_000);
}

/** A node that is down gives its place to a new one, while there is work. */
export function replacement(stage: Stage): void {
  if (stage.isHit(500, 'compact')) stage.wishes = COMPACT;
  const key = stage.drawn(0, stage.shape.nodes - 1, 'whom');
  if (stage.isHit(500, 'down')) stage.strike('crash', { target: key + 1, forMs: 3_000 });
  // Not the leader, unless the key says so; an even number: its machine is taken away.
  stage.ask('replaceMember', { afterMs: 20, key, arg: stage.pick([2, 2, 1], 'stays') });
  stage.clamour(0, 700);
  if (stage.isHit(400, 'leader')) {
    const afterMs = stage.drawn(60, 500, 'leader dies');
    stage.strike(stage.pick(['crash', 'isolate'], 'how'), { afterMs, forMs: 900 });
  }
  stage.lasts(1_500);
}

/** The leader itself leaves, or is replaced, and the next one perhaps at once. */
export function leaderLeaves(stage: Stage): void {
  const kind = stage.pick(['replaceMember', 'replaceMember', 'removeMember'], 'kind');
  stage.ask(kind, { arg: stage.pick([0, 0, 4], 'arg') });
  stage.clamour(0, 600);
  if (stage.isHit(300, 'cut')) {
    stage.strike('cutPair', { afterMs: stage.drawn(20, 300, 'cut'), forMs: 400 });
  }
  stage.ask('transferLeadership', { client: 1, afterMs: stage.drawn(300, 900, 'then') });
  stage.lasts(1_500);
}

/** Several operators at the same time: nodes join, become voters and leave, in any order. */
export function growth(stage: Stage): void {
  if (stage.isHit(500, 'compact')) stage.wishes = COMPACT;
  for (let round = 0; round < 4; round++) {
    const afterMs = round * 150 + stage.drawn(0, 120, `when ${round}`);
    const kinds = ['addMember', 'addMember', 'promoteMember', 'removeMember'] as const;
    const kind = round === 0 ? 'addMember' : stage.pick(kinds, `kind ${round}`);
    stage.ask(kind, { client: round, afterMs, key: stage.drawn(0, 4, `whom ${round}`) });
  }
  stage.clamour(0, 800);
  stage.ask('backup', { client: 1, afterMs: stage.drawn(100, 900, 'backup') });
  stage.lasts(1_500);
}

/** Leadership is handed over under load, also to somebody who does not hear of it. */
export function handOver(stage: Stage): void {
  stage.clamour(0, 400);
  for (let round = 0; round < 3; round++) {
    const afterMs = round * 180 + stage.drawn(5, 120, `when ${round}`);
    const key = stage.drawn(0, stage.shape.nodes - 1, `to ${round}`);
    const arg = stage.drawn(0, 1, `named ${round}`);
    stage.ask('transferLeadership', { client: round, afterMs, key, arg });
  }
  if (stage.isHit(500, 'lag')) {
    const target = stage.drawn(1, stage.shape.nodes, 'lags');
    const kind = stage.pick(['slowDisk', 'isolateIn', 'pause'], 'how');
    stage.strike(kind, { target, forMs: stage.drawn(100, 700, 'for'), arg: 1 });
  }
}

/** A row of a checkpoint goes bad, of a node that is down or of one that is about to send it. */
export function rottenCheckpoint(stage: Stage): void {
  stage.wishes = COMPACT;
  stage.clamour(0, 150);
  const away = stage.drawn(1, stage.shape.nodes, 'away');
  stage.strike('isolate', { target: away, afterMs: 20, forMs: 500 });
  const arg = stage.drawn(0, 127, 'which');
  const target = stage.drawnNode('whose');
  stage.strike('rotState', { target, afterMs: stage.drawn(160, 520, 'when'), forMs: 20, arg });
  stage.clamour(200, 400);
  stage.lasts(1_000);
}
