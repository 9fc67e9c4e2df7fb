// A cluster that is quiet between operations, so that a month of it takes minutes: long intervals
// instead of few events. What is rare elsewhere is frequent here: logs are short, so every absence
// of some length ends with a snapshot.

import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { HostSettings } from '../../src/node/host-types.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { NetworkSettings } from '../world/network.ts';

/** A second in milliseconds. */
export const SECOND_MS = 1_000;
/** A minute in milliseconds. */
export const MINUTE_MS = 60 * SECOND_MS;
/** An hour in milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS;
/** A day in milliseconds. */
export const DAY_MS = 24 * HOUR_MS;

/** Of every node. */
export const MONTH_HOST: Partial<HostSettings> = {
  heartbeatMs: 5 * SECOND_MS,
  electionMs: 50 * SECOND_MS,
  limits: DEFAULT_LIMITS,
  checkpoints: {
    dirtyRowsMax: 128,
    pauseRowsMax: 1_024,
    intervalMs: 10 * MINUTE_MS,
    sliceRows: 64,
    trailingEntries: 400,
    partBytesMax: 8 * 1_024,
    partsInFlightMax: 2,
    hashEvery: 1_024,
  },
  scrub: { bytes: 64 * 1_024, periodMs: 10 * MINUTE_MS },
};

/** Links are looked at once a minute. */
export const MONTH_NETWORK: NetworkSettings = { pingUs: 60_000_000 };

/** Of every client: patient enough for two elections. */
export const MONTH_CLIENT: Omit<ClientOptions, 'nodes' | 'name'> = {
  ttlMs: 10 * MINUTE_MS,
  requestMs: 10 * MINUTE_MS,
};

/** An operator waits so long for a leader. */
export const OPERATOR_PATIENCE_MS = 10 * MINUTE_MS;
