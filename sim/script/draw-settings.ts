// The shape of a drawn cluster, its knobs, network and clocks: mostly defaults, and each extreme
// often enough to be met.

import type { Dice } from './dice.ts';
import * as ranges from './ranges.ts';
import type { Wishes } from './stage.ts';
import type { Clocks, Knobs, Net, Past, Shape } from './types.ts';

const NODES = [
  [3, 87],
  [5, 10],
  [1, 3],
] as const;
const KEYS = [
  [1, 5],
  [2, 10],
  [3, 40],
  [4, 30],
  [5, 15],
] as const;
const CLOCK_KINDS = [
  ['exact', 45],
  ['tight', 18],
  ['tightest', 17],
  ['edges', 12],
  ['wild', 8],
] as const;
const EARLY_US = 1_000;
const EXTREME_PER_MILLE = 60;
const BOUND_PPM = ranges.DRIFT_PPM_BOUND;
const EDGE_PPM = [-BOUND_PPM, 0, BOUND_PPM] as const;
const WILD_PPM = [-400_000, -100_000, 0, 100_000, 400_000] as const;

type CheckpointKnobs = Pick<Knobs, 'checkpointRows' | 'trailingEntries' | 'partBytes'>;

/** Three nodes mostly; few locks, so that clients meet. */
export function drawShape(dice: Dice): Shape {
  return {
    nodes: dice.weigh(NODES, 'nodes'),
    clients: dice.within({ min: 2, max: 5 }, 'clients'),
    keys: dice.weigh(KEYS, 'keys'),
  };
}

const RESTORES = [
  [0, 92],
  [1, 5],
  [2, 3],
] as const;

/** One cluster in a dozen was made of a backup. */
export function drawPast(dice: Dice): Past {
  const restores = dice.weigh(RESTORES, 'restores');
  if (restores === 0) return ranges.NO_PAST;
  return { restores, ...drawEmbargo(dice) };
}

function drawEmbargo(dice: Dice): Omit<Past, 'restores'> {
  return {
    deadMs: dice.settle(ranges.PAST.deadMs, 200, 'dead'),
    raisedMs: dice.settle(ranges.PAST.raisedMs, 250, 'raised'),
  };
}

/** Settings of the cluster and its clients. */
export function drawKnobs(dice: Dice): Knobs {
  const some = <T>(choices: readonly T[], name: string, perMille = EXTREME_PER_MILLE): T =>
    dice.settle(choices, perMille, 'knob', name);
  const electionMs = some(ranges.KNOBS.electionMs, 'electionMs', 80);
  const heartbeats = ranges.KNOBS.heartbeatMs.filter((each) => each * 10 <= electionMs);
  return {
    electionMs,
    heartbeatMs: some(heartbeats, 'heartbeatMs', 80),
    ttlMs: some(ranges.KNOBS.ttlMs, 'ttlMs'),
    // 0 is the tightest that leases allow for.
    marginMs: dice.isHit(650, 'no margin') ? 0 : some(ranges.KNOBS.marginMs, 'marginMs'),
    lockDelayMs: some(ranges.KNOBS.lockDelayMs, 'lockDelayMs', 130),
    requestMs: some(ranges.KNOBS.requestMs, 'requestMs'),
    appendBytes: some(ranges.KNOBS.appendBytes, 'appendBytes'),
    inflightAppends: some(ranges.KNOBS.inflightAppends, 'inflightAppends'),
    uncommittedBytes: some(ranges.KNOBS.uncommittedBytes, 'uncommittedBytes', 50),
    persistBytes: some(ranges.KNOBS.persistBytes, 'persistBytes'),
    tailBytes: some(ranges.KNOBS.tailBytes, 'tailBytes', 100),
    window: some(ranges.KNOBS.window, 'window'),
    holdings: some(ranges.KNOBS.holdings, 'holdings', 40),
    watchEvents: some(ranges.KNOBS.watchEvents, 'watchEvents', 100),
    threads: some(ranges.KNOBS.threads, 'threads', 350),
    scrubMs: some(ranges.KNOBS.scrubMs, 'scrubMs'),
    ...drawCheckpoints(dice),
  };
}

/** Every other run compacts its log all the time, so that whoever is away misses what is gone. */
function drawCheckpoints(dice: Dice): CheckpointKnobs {
  const { checkpointRows, trailingEntries, partBytes } = ranges.KNOBS;
  if (!dice.isHit(500, 'compacts')) {
    return { checkpointRows: 0, trailingEntries: 0, partBytes: 0 };
  }
  return {
    checkpointRows: dice.pick(checkpointRows.slice(1), 'checkpoint rows'),
    trailingEntries: dice.pick(trailingEntries.slice(1), 'trailing entries'),
    partBytes: dice.pick(partBytes, 'part bytes'),
  };
}

/** One run in five has a network that loses, doubles and reorders frames between nodes. */
export function drawNet(dice: Dice): Net {
  const isDatagram = dice.isHit(200, 'datagram');
  const evil = (choices: readonly number[], name: string): number =>
    isDatagram ? dice.pick(choices, 'net', name) : 0;
  const latencyUs = dice.settle(ranges.NET.latencyUs, EXTREME_PER_MILLE, 'net', 'latency');
  const hasTail = latencyUs < 1_000;
  return {
    latencyUs,
    jitterUs: dice.settle(ranges.NET.jitterUs, 80, 'net', 'jitter'),
    tailOneIn: hasTail ? dice.settle(ranges.NET.tailOneIn, 120, 'net', 'tail') : 0,
    lossPerMille: evil(ranges.NET.lossPerMille, 'loss'),
    duplicatePerMille: evil(ranges.NET.duplicatePerMille, 'duplicate'),
    reorderPerMille: evil(ranges.NET.reorderPerMille, 'reorder'),
    shuffleTies: dice.isHit(300, 'shuffleTies'),
  };
}

/** Most frames lost, of a thousand, where one Append at a time must do. */
const BEARABLE_PER_MILLE = 10;

/** Where each loss holds up all that comes after it, the log would grow faster than it travels. */
export function bearable(net: Net, { inflightAppends }: Knobs): Net {
  if (inflightAppends !== 1) return net;
  return { ...net, lossPerMille: Math.min(net.lossPerMille, BEARABLE_PER_MILLE) };
}

/** Mostly exact; else at the very bound, tight for leases in most cases; rarely far beyond it. */
export function drawClocks(dice: Dice, shape: Shape): Clocks {
  const kind = dice.weigh(CLOCK_KINDS, 'clocks');
  const machines = shape.nodes + shape.clients;
  const drift = (place: number): number => {
    // The tightest case for a lease: clients too slow, nodes too fast.
    if (kind === 'tight' || kind === 'tightest')
      return place < shape.nodes ? BOUND_PPM : -BOUND_PPM;
    return dice.pick(kind === 'edges' ? EDGE_PPM : WILD_PPM, 'drift', place);
  };
  return {
    bound: kind === 'wild' ? 'beyond' : 'within',
    driftPpm: kind === 'exact' ? [] : Array.from({ length: machines }, (_, place) => drift(place)),
    latenessUs: dice.settle(ranges.CLOCKS.latenessUs, 80, 'lateness'),
    earlyUs: kind === 'tightest' ? EARLY_US : dice.settle(ranges.CLOCKS.earlyUs, 200, 'early'),
  };
}

/**
 * What makes leases tightest where the clocks are: no margin, renewals that arrive at once, and
 * nodes that look often, with timers that are early.
 */
export function tightestWishes({ driftPpm, earlyUs }: Clocks, { nodes }: Shape): Wishes {
  const isTight = driftPpm[0] === BOUND_PPM && driftPpm[nodes] === -BOUND_PPM;
  if (!isTight || earlyUs !== EARLY_US) return {};
  return {
    knobs: { heartbeatMs: 15, ttlMs: 1_000, marginMs: 0 },
    net: { latencyUs: 20, jitterUs: 0, tailOneIn: 0 },
  };
}
