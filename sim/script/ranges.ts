// What the numbers of a script may be. The first of the choices is the default, to which a script
// shrinks; ranges shrink to their least.

/** From `min` to `max`, both inclusive. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const TIME: Range = { min: 0, max: 60_000 };
const REFERENCE: Range = { min: 0, max: 15 };
const DETAIL: Range = { min: 0, max: 1_023 };

/** A number below 2^32. */
export const NOISE: Range = { min: 0, max: 0xffff_ffff };
/** Of `horizonMs`. */
export const HORIZON_MS = TIME;
/** Most faults of a script. */
export const FAULTS_MAX = 32;
/** Most operations of a script. */
export const OPS_MAX = 160;
/** Most machines whose clocks a script can speak of. */
export const MACHINES_MAX = 16;

/** Numbers of a fault. */
export const FAULT = { target: REFERENCE, atMs: TIME, forMs: TIME, arg: DETAIL } as const;

/** Numbers of an operation. */
export const OP = {
  id: { min: 0, max: 0xffff },
  client: REFERENCE,
  key: REFERENCE,
  atMs: TIME,
  holdMs: TIME,
  arg: DETAIL,
} as const;

/** From here on the `arg` of an acquire is its longest wait in milliseconds. */
export const WAIT_ARG_MIN = 16;

/** How many nodes, and ranges of the rest of the shape. */
export const SHAPE = {
  nodes: [3, 5, 1],
  clients: { min: 1, max: 6 },
  keys: { min: 1, max: 6 },
} as const;

/** Choices of what was before. */
export const PAST = {
  restores: [0, 1, 2],
  deadMs: [0, 500, 60_000],
  raisedMs: [0, 2_000],
} as const;

/** The default: the cluster is founded. */
export const NO_PAST = { restores: 0, deadMs: 0, raisedMs: 0 } as const;

/** Choices of the knobs. */
export const KNOBS = {
  electionMs: [500, 150, 250, 1_000],
  heartbeatMs: [50, 15, 25, 100],
  ttlMs: [1_000, 1_500, 3_000, 0],
  marginMs: [50, 0, 250],
  lockDelayMs: [0, 150, 600],
  requestMs: [10_000, 300, 1_000, 3_000],
  appendBytes: [0, 1, 300],
  inflightAppends: [0, 1, 2],
  uncommittedBytes: [0, 1, 1_000],
  persistBytes: [0, 1, 300],
  tailBytes: [0, 1, 2_000],
  window: [4_096, 4, 8],
  holdings: [0, 3, 5],
  watchEvents: [0, 1, 12],
  threads: [0, 1, 2, 6],
  checkpointRows: [0, 1, 4, 16],
  trailingEntries: [0, 1, 5, 50],
  partBytes: [0, 1, 300],
  scrubMs: [0, 20, 200],
} as const;

/** Choices of the network. */
export const NET = {
  latencyUs: [150, 20, 1_000, 5_000],
  jitterUs: [50, 0, 500, 5_000],
  tailOneIn: [0, 1_000, 100],
  lossPerMille: [0, 10, 50, 150],
  duplicatePerMille: [0, 10, 50, 150],
  reorderPerMille: [0, 10, 50, 150],
} as const;

/** Rate error that leases allow for, in parts per million: 1 % (RAFT.md §14). */
export const DRIFT_PPM_BOUND = 10_000;

/** Choices of the clocks. */
export const CLOCKS = {
  driftPpm: [0, 10_000, -10_000, 5_000, -5_000, 100_000, -100_000, 400_000, -400_000],
  latenessUs: [1_000, 0, 5_000, 20_000],
  earlyUs: [0, 1_000],
} as const;
