// Runs a hand-written script: cluster, clients and their oracles, and whatever a test does to them.

import type { NodeId } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { Beliefs } from '../../sim/oracle/belief.ts';
import { ClientHistory } from '../../sim/oracle/history.ts';
import { checkLiveness } from '../../sim/oracle/liveness.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import { WatchOracle } from '../../sim/oracle/watch.ts';
import { clientOptions } from '../../sim/script/cluster-options.ts';
import { NO_PAST } from '../../sim/script/ranges.ts';
import type { Op, Script } from '../../sim/script/types.ts';
import { startWorkload } from '../../sim/workload/workload.ts';
import type { Workload } from '../../sim/workload/workload.ts';
import type { ClockSettings } from '../../sim/world/clock.ts';

export interface Run {
  readonly cluster: SimCluster;
  readonly workload: Workload;
  readonly beliefs: Beliefs;
  readonly verdict: Verdict;
  /** Up to this virtual time, or the first violation. */
  until(timeMs: number): Promise<void>;
  /** To be called when everything is healed. */
  checkLiveness(away?: Away): Promise<void>;
}

/** Who need not be there when everything is healed. */
export interface Away {
  readonly condemned?: readonly NodeId[];
  readonly leftOut?: readonly NodeId[];
}

export interface RunOptions {
  readonly nodeClock?: ClockSettings;
  readonly clientClock?: (place: number) => ClockSettings;
}

/** Three nodes, two clients, two keys, and what is given. */
export function scriptOf(given: Partial<Script>): Script {
  return {
    horizonMs: 5_000,
    faults: [],
    ops: [],
    shape: { nodes: 3, clients: 2, keys: 2 },
    past: NO_PAST,
    knobs: {
      electionMs: 500,
      heartbeatMs: 50,
      ttlMs: 1_000,
      marginMs: 50,
      lockDelayMs: 0,
      requestMs: 3_000,
      appendBytes: 0,
      inflightAppends: 0,
      uncommittedBytes: 0,
      persistBytes: 0,
      tailBytes: 0,
      window: 4_096,
      holdings: 0,
      watchEvents: 0,
      threads: 0,
      checkpointRows: 0,
      trailingEntries: 0,
      partBytes: 0,
      scrubMs: 0,
    },
    net: {
      latencyUs: 150,
      jitterUs: 50,
      tailOneIn: 0,
      lossPerMille: 0,
      duplicatePerMille: 0,
      reorderPerMille: 0,
      shuffleTies: false,
    },
    clocks: { bound: 'within', driftPpm: [], latenessUs: 1_000, earlyUs: 0 },
    hasHoles: false,
    noise: 1,
    ...given,
  };
}

/** One operation; its place in the list is its id unless given. */
export function opOf(given: Partial<Op>): Op {
  return { id: 0, client: 0, kind: 'acquire', key: 0, atMs: 0, holdMs: 0, arg: 0, ...given };
}

/** A running cluster with a leader, and the clients of the script. */
export async function beginRun(script: Script, options: RunOptions = {}): Promise<Run> {
  const { clocks, shape, knobs, noise } = script;
  let nowUs = (): number => 0;
  const verdict = new Verdict(() => nowUs());
  const beliefs = new Beliefs({ verdict, isBound: clocks.bound === 'within' });
  const nodeClock = options.nodeClock ?? {};
  const cluster = await createSimCluster({
    seed: noise,
    nodes: shape.nodes,
    origin: 1_000,
    settings: { electionMs: knobs.electionMs, heartbeatMs: knobs.heartbeatMs },
    clocks: { n1: nodeClock, n2: nodeClock, n3: nodeClock },
    watch: watcher(beliefs),
  });
  cluster.oracle.follow(beliefs);
  nowUs = () => cluster.world.nowUs;
  const history = new ClientHistory(() => cluster.world.nowUs);
  const workload = startWorkload(cluster, script, {
    verdict,
    beliefs,
    watches: new WatchOracle({ verdict, history }),
    tap: (name) => history.tap(name),
    clientOptions: (place) => clientOptions(script, place),
    clientClock: options.clientClock ?? (() => ({})),
  });
  return {
    cluster,
    workload,
    beliefs,
    verdict,
    until: async (timeMs) => {
      const isOver = (): boolean =>
        verdict.violation !== null || cluster.world.nowUs >= timeMs * 1_000;
      await cluster.world.run(isOver, timeMs * 1_000 - cluster.world.nowUs);
    },
    checkLiveness: async ({ condemned = [], leftOut = [] } = {}) => {
      const faults = { condemned: new Set(condemned), leftOut: new Set(leftOut) };
      await checkLiveness(cluster, workload, script, { verdict, faults });
    },
  };
}

/** Tells the beliefs of every step and entry. */
function watcher(beliefs: Beliefs): () => HostWatch {
  return () => ({
    started: () => {},
    stepped: (event, effects) => beliefs.stepped(event, effects),
    applied: (entry, command) => beliefs.applied(entry, command),
    installed: () => {},
  });
}
