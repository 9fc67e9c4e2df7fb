// Stories of leadership that is handed over while something is in the way, and of checkpoints that
// take the place of a state which is at work.

import type { Stage, Wishes } from './stage.ts';
import type { FaultKind } from './types.ts';

/** A checkpoint after almost every entry, next to no log behind it, and all of it in one piece. */
const COMPACT = { checkpointRows: 1, trailingEntries: 1, partBytes: 0 } as const;

/** Of the steps of a slow disk. */
const DISK_20_MS = 2;
const DISK_100_MS = 3;
const DISK_300_MS = 4;
/** Nothing but the scene is in the way of what takes exactly its time. */
const CALM: Wishes = {
  knobs: {
    ...{ heartbeatMs: 25, requestMs: 10_000, uncommittedBytes: 0, watchEvents: 0, holdings: 0 },
    ...{ appendBytes: 0, inflightAppends: 0, persistBytes: 0, tailBytes: 0, window: 4_096 },
  },
  net: {
    ...{ latencyUs: 150, jitterUs: 50, tailOneIn: 0 },
    ...{ lossPerMille: 0, duplicatePerMille: 0, reorderPerMille: 0 },
  },
};

/** Who is to lead lags, or falls silent right then, and requests keep coming. */
export function troubledHeir(stage: Stage): void {
  const key = stage.drawn(0, stage.shape.nodes - 1, 'to');
  const askedMs = stage.drawn(20, 120, 'asked');
  stage.clamour(0, askedMs + 60);
  stage.clamour(askedMs, 500);
  const kinds: readonly FaultKind[] = ['slowDisk', 'stallDisk', 'isolate', 'isolateIn', 'pause'];
  const afterMs = askedMs + stage.drawn(-15, 20, 'when');
  const forMs = stage.drawn(100, 1_400, 'for');
  const arg = stage.pick([DISK_20_MS, DISK_100_MS, DISK_300_MS], 'how slow');
  stage.strike(stage.pick(kinds, 'how'), { target: key + 1, afterMs, forMs, arg });
  if (stage.isHit(350, 'change')) {
    const kind = stage.pick(['addMember', 'replaceMember', 'removeMember'], 'change');
    stage.ask(kind, { client: 2, afterMs: askedMs - stage.drawn(0, 20, 'change') });
  }
  stage.ask('transferLeadership', { afterMs: askedMs, key, arg: 1 });
  if (stage.isHit(500, 'again')) {
    const afterMs = askedMs + stage.drawn(0, 250, 'again');
    const other = key + stage.drawn(0, 2, 'another');
    stage.ask('transferLeadership', { client: 1, afterMs, key: other, arg: 1 });
  }
  if (stage.isHit(250, 'leader')) {
    const afterMs = askedMs + stage.drawn(0, 100, 'leader dies');
    stage.strike(stage.pick(['crash', 'isolate'], 'end'), { afterMs, forMs: 700 });
  }
  stage.lasts(askedMs + 900);
}

/** Watchers go on where a checkpoint carried the new leader past what happened meanwhile. */
export function skippedPast(stage: Stage): void {
  stage.wishes = { ...CALM, knobs: { ...CALM.knobs, ...COMPACT, electionMs: 500 } };
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  const heardMs = stage.drawn(130, 220, 'heard');
  const awayMs = heardMs + stage.drawn(150, 300, 'away');
  const goneMs = stage.drawn(60, 110, 'gone');
  // Whoever leads now is not the one to be left behind.
  stage.ask('transferLeadership', { key: target, arg: 1 });
  stage.strike('isolate', { target, afterMs: goneMs, forMs: awayMs - goneMs });
  // By itself what was on its way would only come later.
  stage.strike('reset', { target, afterMs: goneMs + 2, arg: 0 });
  stage.strike('reset', { target, afterMs: goneMs + 2, arg: 1 });
  stage.clamour(30, heardMs);
  stage.clamour(heardMs + 10, 120);
  for (let client = 0; client < 3; client++) {
    stage.ask('watchPrefix', { client, holdMs: heardMs, arg: 1 });
    const leadsMs = awayMs + 250 + 200 * client + stage.drawn(0, 60, `leads ${client}`);
    stage.ask('transferLeadership', { client, afterMs: leadsMs, key: target - 1, arg: 1 });
    const backMs = awayMs + 450 + 250 * client + stage.drawn(0, 100, `back ${client}`);
    stage.ask('watchPrefix', { client, afterMs: backMs, holdMs: 1_500, arg: 1 });
  }
  stage.clamour(awayMs + 450, 400);
  stage.lasts(awayMs + 1_200);
}

/** A follower has committed more than its disk lets it apply, and is sent what is behind that. */
export function busyInstall(stage: Stage): void {
  // Each entry waits for the checkpoint before it.
  const electionMs = stage.pick([500, 1_000], 'election');
  stage.wishes = { knobs: { ...COMPACT, electionMs, appendBytes: 0 } };
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  // Whoever leads now is not the one to be left behind.
  stage.ask('transferLeadership', { key: target, arg: 1 });
  const afterMs = stage.drawn(15, 60, 'slow');
  const arg = stage.pick([DISK_20_MS, DISK_100_MS, DISK_100_MS], 'how slow');
  stage.strike('slowDisk', { target, afterMs, forMs: 1_000, arg });
  for (const workMs of [20, 60, 120, 250]) stage.clamour(workMs, 200);
  for (let round = 0; round < 2; round++) {
    const cutMs = 110 + round * 220 + stage.drawn(0, 80, `cut ${round}`);
    const kind = stage.pick(['isolate', 'isolateIn', 'isolateIn'], `how ${round}`);
    const forMs = stage.drawn(40, 140, `for ${round}`);
    stage.strike(kind, { target, afterMs: cutMs, forMs });
  }
  if (stage.isHit(300, 'dies')) {
    const kind = stage.pick(['crash', 'powerLoss'], 'death');
    stage.strike(kind, { target, afterMs: stage.drawn(500, 1_100, 'dies'), forMs: 30, arg: 1 });
  }
  stage.lasts(1_200);
}

/**
 * A follower got the last entries of a burst, and was cut off before it heard that any of them were
 * committed and before anybody heard that it has them.
 */
export function unheardBurst(stage: Stage): void {
  const checkpointRows = stage.pick([4, 16, 1], 'rows');
  const knobs: Wishes['knobs'] = { ...COMPACT, checkpointRows, inflightAppends: 0 };
  const latencyUs = stage.pick([1_000, 5_000], 'latency');
  stage.wishes = { knobs: { ...knobs, electionMs: 500 }, net: { latencyUs, jitterUs: 0 } };
  const target = stage.drawn(1, stage.shape.nodes, 'who');
  const slow = stage.isHit(500, 'slow');
  if (slow) stage.strike('slowDisk', { target, forMs: 150, arg: DISK_100_MS });
  stage.clamour(0, 8);
  const afterMs = stage.drawn(1, 24, 'cut');
  const kind = stage.pick(['isolate', 'isolateIn', 'isolateOut', 'reset'], 'how');
  stage.strike(kind, { target, afterMs, forMs: stage.drawn(5, 90, 'for') });
  stage.strike('reset', { target, afterMs: afterMs + stage.drawn(1, 90, 'reset') });
  stage.lasts(500);
}

/**
 * A leader whose disk is slow is cut off, and what it wrote is cut when its writes end: a
 * checkpoint of what was committed before waits meanwhile, and it dies in between.
 */
export function slowCut(stage: Stage): void {
  stage.wishes = { ...CALM, knobs: { ...CALM.knobs, ...COMPACT, electionMs: 250 } };
  const key = stage.drawn(0, stage.shape.nodes - 1, 'who');
  const target = key + 1;
  stage.ask('transferLeadership', { key, arg: 1 });
  const startMs = 120;
  stage.strike('slowDisk', { target, afterMs: startMs, forMs: 70, arg: DISK_100_MS });
  stage.strike('slowDisk', { target, afterMs: startMs + 70, forMs: 60, arg: DISK_300_MS + 1 });
  stage.clamour(startMs + 5, 90);
  stage.clamour(startMs + 20, 90);
  const cutMs = startMs + stage.drawn(60, 100, 'cut off');
  const healedMs = startMs + stage.drawn(600, 950, 'healed');
  stage.strike('isolate', { target, afterMs: cutMs, forMs: healedMs - cutMs });
  const writtenMs = startMs + 1_060;
  stage.strike('slowDisk', { target, afterMs: writtenMs, forMs: 190, arg: DISK_100_MS });
  stage.strike('slowDisk', { target, afterMs: writtenMs + 190, forMs: 160, arg: DISK_300_MS });
  const afterMs = writtenMs + stage.drawn(230, 560, 'dies');
  stage.strike('crash', { target, afterMs, forMs: stage.drawn(1, 100, 'down') });
  stage.lasts(writtenMs + 600);
}

/** The disk of a leader hangs, and so does that of whoever it would hand over to. */
export function hangingHeir(stage: Stage): void {
  const electionMs = stage.pick([150, 250, 500], 'election');
  stage.wishes = { knobs: { electionMs } };
  stage.clamour(0, 80);
  const forMs = 2_050 + electionMs + stage.drawn(50, 300, 'hangs');
  stage.strike('stallDisk', { afterMs: 10, forMs });
  // Who leads next is whoever has most of its log.
  for (let target = 1; target <= stage.shape.nodes; target++) {
    const afterMs = stage.drawn(1_700, 1_950, `heir ${target}`);
    stage.strike('stallDisk', { target, afterMs, forMs: forMs - afterMs });
  }
  stage.lasts(forMs + 200);
}
