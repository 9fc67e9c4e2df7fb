// A core's first moment (RAFT.md §3, §6.1 boot rule).

import { assert } from '../base/assert.ts';
import type { MonoUs } from '../base/units.ts';
import { OutputBarrier } from './barrier.ts';
import type { ClusterConfig } from './config.ts';
import { Configurations, isSoleVoter } from './configurations.ts';
import { armElectionTimer } from './election-timer.ts';
import type { RaftSettings, RaftStart } from './events.ts';
import { HardState } from './hard-state.ts';
import { Loader } from './loader.ts';
import { Log } from './log.ts';
import { noteStanding } from './membership-standing.ts';
import { PendingWrites } from './pending-writes.ts';
import type { Core } from './state.ts';

/** What a core is made of. */
export interface CoreParts {
  readonly start: RaftStart;
  readonly settings: RaftSettings;
  /** A whole number from 0 to 2^32 - 1. */
  readonly random: () => number;
  /** The payload of an entry that carries this configuration. */
  readonly encodeConfig: (config: ClusterConfig) => Uint8Array;
  readonly nowUs: MonoUs;
}

/** The state of a node that has just started. */
export function createCore(parts: CoreParts): Core {
  const { start, settings, random, encodeConfig, nowUs } = parts;
  assert(settings.electionUs >= 2 * settings.heartbeatUs, 'E is well above H');
  const log = new Log(start);
  assert(log.lastTerm <= start.term, 'no entry is of a later term than ours (INV-10)');
  const configurations = new Configurations(start.configs);
  // Polls and transfers are numbered from here: an answer to an earlier boot is of none of ours.
  const firstNumber = random();
  const core: Core = {
    self: { nodeId: start.nodeId, storeId: start.storeId },
    settings,
    random,
    encodeConfig,
    nowUs,
    lastTickUs: nowUs,
    hard: new HardState(start.term, start.vote),
    log,
    writes: new PendingWrites(start.lastIndex),
    configurations,
    loader: new Loader(log),
    barrier: new OutputBarrier(),
    role: 'follower',
    leaderId: null,
    commitIndex: start.applied,
    appliedIndex: start.applied,
    applyingIndex: 0,
    election: {
      deadlineUs: nowUs,
      stickyUntilUs: nowUs + settings.electionUs,
      repollUs: nowUs,
      repollSpanUs: settings.heartbeatUs,
      poll: firstNumber,
      startedUs: 0,
      isCalled: false,
      fastDraws: 0,
      votes: new Map(),
    },
    leader: null,
    snapshots: { sending: new Map(), lastTransfer: firstNumber, receiving: null, install: null },
    isStorageStuck: false,
    removedAt: null,
    isRemoved: false,
    isStopped: false,
    reported: {
      role: 'follower',
      term: start.term,
      leaderId: null,
      config: configurations.latest.config,
      isConfigCommitted: configurations.latest.index <= start.applied,
      isRemoved: false,
    },
    effects: [],
  };
  noteStanding(core);
  core.reported.isRemoved = core.isRemoved;
  // A sole voter has nobody to wait for.
  if (!isSoleVoter(configurations.latest.config, core.self)) armElectionTimer(core);
  return core;
}
