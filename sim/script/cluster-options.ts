// What a script says about the cluster and its clients, in their own terms.

import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { ReplicatedLimits } from '../../src/locks/commands.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { CheckpointSettings } from '../../src/node/checkpoint-settings.ts';
import type { HostSettings, ReplicationLimits } from '../../src/node/host-types.ts';
import { present } from '../../src/base/assert.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import { TAIL_FACTOR } from '../world/direction.ts';
import type { SimClusterOptions } from '../cluster.ts';
import type { PastPlan } from '../past-plan.ts';
import type { ClockSettings } from '../world/clock.ts';
import type { NetworkSettings } from '../world/network.ts';
import { DRIFT_PPM_BOUND, KNOBS } from './ranges.ts';
import type { Clocks, Knobs, Script } from './types.ts';

const HEARTBEATS_PER_ELECTION = 10;
const TAILS_PER_ELECTION = 4;

/** As with real clusters, whose logs begin far above 0: newcomers get a checkpoint. */
const ORIGIN = 1_000;

/** Below so many free bytes of its disk a node takes no new sessions and locks. */
export const RESERVE_BYTES = 1024 * 1024;

/** The cluster of a script. */
export function clusterOptions(script: Script): Omit<SimClusterOptions, 'watch' | 'onExit'> {
  const { shape, knobs } = script;
  const ids = Array.from({ length: shape.nodes }, (_, place) => `n${place + 1}`);
  return {
    seed: script.noise,
    nodes: shape.nodes,
    origin: ORIGIN,
    settings: {
      electionMs: knobs.electionMs,
      // Longer, it would be silence to followers (RAFT.md §0).
      heartbeatMs: Math.min(knobs.heartbeatMs, knobs.electionMs / HEARTBEATS_PER_ELECTION),
      limits: limits(knobs, longestTtlMs(script)),
      replication: replication(knobs),
      ...watchLog(knobs),
      checkpoints: checkpoints(knobs),
      reserveBytes: RESERVE_BYTES,
      ...scrubbing(knobs),
    },
    network: network(script),
    shuffleTies: script.net.shuffleTies,
    clocks: Object.fromEntries(ids.map((id, place) => [id, machineClock(script, place)])),
    disk: { hasHoles: script.hasHoles },
  };
}

/** Longer than any run: operations limit their own holds. */
const MAX_HOLD_MS = 60_000;

/** What the client at this place, from 0, is told. */
export function clientOptions({ knobs }: Script, place = 0): Omit<ClientOptions, 'nodes' | 'name'> {
  const isThreaded = place < knobs.threads;
  const { ttlMs, marginMs, lockDelayMs, requestMs } = knobs;
  return {
    ttlMs: ttlMs === 0 ? null : ttlMs,
    marginMs,
    lockDelayMs,
    requestMs,
    ...(isThreaded ? { keepAlive: 'worker', maxHoldMs: MAX_HOLD_MS } : {}),
  };
}

/** The clock of a node that comes later: like that of the first one. */
export function newcomerClock(script: Script): ClockSettings {
  return machineClock(script, 0);
}

/** The clocks of the client at this place, from 0. */
export function clientClock(script: Script, place: number): ClockSettings {
  return machineClock(script, script.shape.nodes + place);
}

/** A rate error as far as the script allows one, in parts per million. */
export function boundDrift({ bound }: Clocks, driftPpm: number): number {
  if (bound === 'beyond') return driftPpm;
  return Math.max(-DRIFT_PPM_BOUND, Math.min(DRIFT_PPM_BOUND, driftPpm));
}

/** The rate error of the machine at this place, nodes first, then clients, unless it changes. */
export function scriptedDrift({ clocks }: Script, place: number): number {
  return boundDrift(clocks, clocks.driftPpm[place] ?? 0);
}

function machineClock(script: Script, place: number): ClockSettings {
  const { latenessUs, earlyUs } = script.clocks;
  return {
    driftPpm: scriptedDrift(script, place),
    // Timers that are never late but early would fire over and over until their time has come.
    latenessUsMax: Math.max(latenessUs, earlyUs),
    earlyUsMax: earlyUs,
  };
}

function network({ net, knobs }: Script): NetworkSettings {
  const latencyUsMax = net.latencyUs * 2;
  const tailUs = (latencyUsMax + net.jitterUs) * TAIL_FACTOR;
  return {
    latencyUsMin: Math.ceil(net.latencyUs / 2),
    latencyUsMax,
    jitterUs: net.jitterUs,
    // A network whose own delays look like a dead leader is none that an election time fits.
    tailOneIn: tailUs * TAILS_PER_ELECTION <= knobs.electionMs * US_PER_MS ? net.tailOneIn : 0,
    lossPerMille: net.lossPerMille,
    duplicatePerMille: net.duplicatePerMille,
    reorderPerMille: net.reorderPerMille,
  };
}

/** Least maximum TTL of a cluster with a past: the probe of liveness asks for as much. */
const TTL_MS_MAX_LEAST = 1_000;

/** Of a cluster with a past: what was before is made of it, and the embargo is as long. */
function longestTtlMs({ past, knobs }: Script): number {
  if (past.restores === 0) return DEFAULT_LIMITS.ttlMsMax;
  return Math.max(TTL_MS_MAX_LEAST, knobs.ttlMs);
}

/** What was before; null: nothing, it is founded. */
export function pastPlan(script: Script): PastPlan | null {
  const { past, shape, knobs } = script;
  if (past.restores === 0) return null;
  const { lockDelayMs } = knobs;
  const own = limits(knobs, longestTtlMs(script));
  return { ...past, nodes: shape.nodes, limits: own, lockDelayMs, origin: ORIGIN };
}

function limits(
  { window, holdings }: Pick<Knobs, 'window' | 'holdings'>,
  ttlMsMax = DEFAULT_LIMITS.ttlMsMax,
): ReplicatedLimits {
  const { holdingsPerSessionMax } = DEFAULT_LIMITS;
  return {
    ...DEFAULT_LIMITS,
    ttlMsMax,
    windowMax: window,
    holdingsPerSessionMax: holdings === 0 ? holdingsPerSessionMax : holdings,
  };
}

function watchLog({ watchEvents }: Knobs): Pick<HostSettings, 'watchLog'> {
  if (watchEvents === 0) return {};
  return { watchLog: { eventsMax: watchEvents, bytesMax: Number.MAX_SAFE_INTEGER } };
}

/** As much as there is in short runs. */
const SCRUB_BYTES = 64 * 1024;

function scrubbing({ scrubMs }: Knobs): Pick<HostSettings, 'scrub'> {
  return scrubMs === 0 ? {} : { scrub: { bytes: SCRUB_BYTES, periodMs: scrubMs } };
}

/** The limits that an operator asks for who sets them. */
export function limitsAsked(arg: number): ReplicatedLimits {
  const { holdings, window } = KNOBS;
  const at = <T>(choices: readonly T[], place: number): T =>
    present(choices[place % choices.length], 'a choice');
  return limits({ holdings: at(holdings, arg), window: at(window, arg >> 2) });
}

/** Whether a session may be refused for what it has already. */
export function isScarce({ knobs, ops }: Script): boolean {
  return knobs.holdings > 0 || ops.some(({ kind }) => kind === 'setLimits');
}

/** What a transfer pins of the log, for each entry that stays anyway. */
const PINNED_FACTOR = 8;
/** Short runs compare the states of their nodes now and then, too. */
const HASH_EVERY = 16;
/** Rows that may wait for a checkpoint, for each that is a reason to take one. */
const PAUSE_FACTOR = 4;
/** The power of two by which fewer rows are encoded in one turn: a checkpoint takes several. */
const SLICE_SHIFT = 4;

function checkpoints(knobs: Knobs): Partial<CheckpointSettings> {
  const { checkpointRows, trailingEntries, partBytes } = knobs;
  return {
    hashEvery: HASH_EVERY,
    ...(checkpointRows === 0
      ? {}
      : {
          dirtyRowsMax: checkpointRows,
          pauseRowsMax: checkpointRows * PAUSE_FACTOR,
          sliceRows: Math.max(1, checkpointRows >> SLICE_SHIFT),
        }),
    ...(trailingEntries === 0
      ? {}
      : { trailingEntries, pinnedEntriesMax: trailingEntries * PINNED_FACTOR }),
    ...(partBytes === 0 ? {} : { partBytesMax: partBytes }),
  };
}

function replication(knobs: Knobs): Partial<ReplicationLimits> {
  const limits: Partial<Record<keyof ReplicationLimits, number>> = {
    appendBytesMax: knobs.appendBytes,
    inflightAppendsMax: knobs.inflightAppends,
    uncommittedBytesMax: knobs.uncommittedBytes,
    persistBytesMax: knobs.persistBytes,
    tailBytesMax: knobs.tailBytes,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value > 0));
}
