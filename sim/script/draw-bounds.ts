// Draws scripts in which leases are as tight as the proof of RAFT.md §14.3 allows, and locks change
// hands because of nothing else: clients as slow and nodes as fast as clocks may be, or more; no
// margin; every holder falls silent while another waits; leaders change at bad moments.

import { Dice } from './dice.ts';
import { drawKnobs as drawSomeKnobs } from './draw-settings.ts';
import { CLOCKS, DRIFT_PPM_BOUND, FAULTS_MAX, NET, NO_PAST, NOISE, OPS_MAX } from './ranges.ts';
import { Stage } from './stage.ts';
import type { Clocks, FaultKind, Knobs, Net, Script, Shape } from './types.ts';

const TTL_MS = 1_000;
/** Then there is a leader. */
const START_MS = 650;
/** A round is over when its holder's lease is, whatever becomes of leaders. */
const ROUND_MS = 1_700;
const ROUNDS = 3;
const CODA_MS = 300;

const SILENCES: readonly (readonly [FaultKind, number])[] = [
  ['clientIsolate', 24],
  ['clientIsolateOut', 16],
  ['clientIsolateIn', 10],
  ['clientPause', 14],
  ['clientSuspend', 10],
  ['clientBlock', 14],
  ['clientStale', 6],
  ['clientSlow', 3],
  ['clientThread', 3],
];
/** What happens to nodes in one round of so many, about when the lease runs out. */
const DISTURBED_PER_MILLE = 250;
const DISTURBANCES: readonly (readonly [FaultKind, number])[] = [
  ['pause', 20],
  ['crash', 20],
  ['isolate', 15],
  ['powerLoss', 8],
  ['stale', 8],
  ['slowDisk', 12],
  ['stallDisk', 6],
  ['slowNode', 12],
  ['suspend', 6],
];
/** Holders that may hold for half a second only. */
const BRIEF_PER_MILLE = 150;
const BEYOND_PPM = [100_000, 250_000, 400_000] as const;

/** The script of this seed: about 6 s, some ten hand-overs. `isBeyond`: clocks leave the bound. */
export function drawBoundsScript(seed: number, isBeyond: boolean): Script {
  const dice = new Dice(seed);
  const shape: Shape = { nodes: 3, clients: dice.within({ min: 4, max: 6 }, 'clients'), keys: 4 };
  const rounds = Array.from({ length: ROUNDS }, (_, number) => drawRound(dice, shape, number));
  const faults = rounds.flatMap((stage) => stage.faults);
  const ops = rounds.flatMap((stage) => stage.ops);
  return {
    horizonMs: START_MS + ROUNDS * ROUND_MS + CODA_MS,
    faults: faults.toSorted((left, right) => left.atMs - right.atMs).slice(0, FAULTS_MAX),
    ops: ops
      .toSorted((left, right) => left.atMs - right.atMs)
      .slice(0, OPS_MAX)
      .map((op, at) => ({ id: at + 1, ...op })),
    shape,
    past: NO_PAST,
    knobs: drawKnobs(dice, shape),
    net: drawNet(dice),
    clocks: drawClocks(dice, shape, isBeyond),
    hasHoles: false,
    noise: dice.within(NOISE, 'noise'),
  };
}

/** Each lock has a holder, which falls silent, and others that wait for it. */
function drawRound(dice: Dice, shape: Shape, number: number): Stage {
  const stage = new Stage(dice, shape, { number, startMs: START_MS + number * ROUND_MS });
  const first = stage.drawnClient();
  for (let key = 0; key < shape.keys; key++) {
    const holder = first + (key % 2);
    // It is blocked, or silent, when it should give the lock back: its thread renews no more.
    const isBrief = key < 2 && stage.isHit(BRIEF_PER_MILLE, `brief ${key}`);
    stage.ask(isBrief ? 'acquireBriefly' : 'acquire', {
      client: holder,
      key,
      afterMs: stage.drawn(0, 60, `hold ${key}`),
      holdMs: isBrief ? 900 : 5_000,
      arg: 0,
    });
    for (const heir of [2, 3]) {
      const afterMs = stage.drawn(80, 500, `heir ${heir} of ${key}`);
      stage.ask('acquire', { client: first + heir, key, afterMs, holdMs: 10, arg: 0 });
    }
  }
  for (const holder of [first, first + 1]) silence(stage, dice, { holder, number });
  if (stage.isHit(DISTURBED_PER_MILLE, 'disturbed')) disturb(stage, dice, number);
  return stage;
}

/** Not for long: it is to hold again in the next round. */
function silence(
  stage: Stage,
  dice: Dice,
  { holder, number }: { readonly holder: number; readonly number: number },
): void {
  const kind = dice.weigh(SILENCES, 'silence', number, holder);
  const afterMs = stage.drawn(120, 480, `silent ${holder}`);
  const forMs = stage.drawn(1_050, 1_250, `quiet ${holder}`);
  stage.strike(kind, { target: holder, afterMs, forMs, arg: 3 });
  // What it was told late is what it believes from early on.
  if (kind === 'clientIsolateIn') {
    const muteMs = afterMs + stage.drawn(20, 300, `mute ${holder}`);
    stage.strike('clientIsolateOut', { target: holder, afterMs: muteMs, forMs });
  }
}

function disturb(stage: Stage, dice: Dice, number: number): void {
  const kind = dice.weigh(DISTURBANCES, 'disturbance', number);
  const afterMs = stage.drawn(200, 1_500, 'disturbed at');
  const target = stage.isHit(700, 'leader') ? 0 : stage.drawnNode('whom');
  stage.strike(kind, { target, afterMs, forMs: stage.drawn(50, 900, 'disturbed for'), arg: 2 });
}

function drawKnobs(dice: Dice, { clients }: Shape): Knobs {
  const threads = dice.weigh(
    [
      [0, 2],
      [2, 2],
      [clients, 2],
    ],
    'threads',
  );
  return {
    ...drawSomeKnobs(dice),
    electionMs: dice.pick([500, 250], 'election'),
    heartbeatMs: dice.weigh(
      [
        [15, 8],
        [25, 2],
      ],
      'heartbeat',
    ),
    ttlMs: TTL_MS,
    marginMs: 0,
    lockDelayMs: 0,
    threads,
  };
}

function drawNet(dice: Dice): Net {
  return {
    latencyUs: dice.weigh(
      [
        [20, 5],
        [150, 2],
        [1_000, 2],
        [5_000, 2],
      ],
      'latency',
    ),
    jitterUs: dice.weigh(
      [
        [0, 5],
        [NET.jitterUs[0], 3],
        [500, 2],
      ],
      'jitter',
    ),
    tailOneIn: 0,
    lossPerMille: 0,
    duplicatePerMille: 0,
    reorderPerMille: 0,
    shuffleTies: dice.isHit(300, 'ties'),
  };
}

function drawClocks(dice: Dice, { nodes, clients }: Shape, isBeyond: boolean): Clocks {
  const off = (place: number): number =>
    isBeyond ? dice.pick(BEYOND_PPM, 'off', place) : DRIFT_PPM_BOUND;
  return {
    bound: isBeyond ? 'beyond' : 'within',
    driftPpm: Array.from({ length: nodes + clients }, (_, place) =>
      place < nodes ? off(place) : -off(place),
    ),
    latenessUs: dice.weigh(
      [
        [0, 4],
        [CLOCKS.latenessUs[0], 2],
      ],
      'lateness',
    ),
    earlyUs: dice.weigh(
      [
        [1_000, 7],
        [0, 3],
      ],
      'early',
    ),
  };
}
