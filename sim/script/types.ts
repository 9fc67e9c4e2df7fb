// A script: everything that happens in one run, as plain JSON (SIMULATOR.md §4.10). What it does
// not say is drawn by keyed hashes of `noise`, so that deleting a line leaves all else as it was.
// Every number is a count from the mildest value up, and every reference wraps around: any script
// of this shape can be run, and shrinks by making numbers smaller and lists shorter.

/** What can go wrong. */
export const FAULT_KINDS = [
  // Nodes.
  'crash',
  'powerLoss',
  'crashAll',
  'powerLossAll',
  'pause',
  'suspend',
  'slowNode',
  'wallJump',
  'clockRate',
  // The network between nodes.
  'isolate',
  'isolateIn',
  'isolateOut',
  'cutPair',
  'cutOneWay',
  'halves',
  'bridge',
  'ring',
  'flap',
  'swizzle',
  'reset',
  'resetAll',
  'stale',
  'blackHole',
  'refuse',
  'hang',
  'slowLink',
  'spike',
  'loss',
  'duplicate',
  'reorder',
  // Clients and what is between them and the nodes.
  'clientCrash',
  'clientPause',
  'clientSuspend',
  /** Its main event loop runs nothing; a thread that renews its leases goes on. */
  'clientBlock',
  /** The thread that renews its leases fails, and is replaced by its main loop. */
  'clientThread',
  'clientSlow',
  'clientWallJump',
  'clientClockRate',
  'clientIsolate',
  'clientIsolateIn',
  'clientIsolateOut',
  'clientsOnly',
  'clientReset',
  'clientStale',
  // Disks.
  'slowDisk',
  'stallDisk',
  'fullDisk',
  'writeError',
  'slotError',
  'tornSlot',
  'rotLog',
  'rotState',
  'rotSlot',
] as const;

/** One of them. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * One thing that goes wrong. Of nodes, `target` 0 is whoever leads when it strikes, and n the n-th
 * one; clients are counted from 0. All references wrap around. `arg` chooses a variant or a second
 * party. What does not apply does nothing.
 */
export interface Fault {
  readonly kind: FaultKind;
  readonly target: number;
  readonly atMs: number;
  readonly forMs: number;
  readonly arg: number;
}

/** What a client may do. */
export const OP_KINDS = [
  /**
   * Waits for the lock up to 4 s, or less by `arg`: from 16 on as many milliseconds. Then works
   * under it for `holdMs`, writing to the store.
   */
  'acquire',
  'tryAcquire',
  /** The same as acquire, together with others of its kind. */
  'acquireShared',
  /** Some of the permits of the key's semaphore; rarely the wrong number of permits in all. */
  'acquirePermits',
  /** Key and the one after it, in one request. */
  'acquireAll',
  /** The key's lock, shared or not, its semaphore and the next lock shared, in one request. */
  'acquireMixed',
  /** The same as acquire, but it is never held for longer than half of `holdMs`. */
  'acquireBriefly',
  /** Waits like acquire to lead the key's election, and leads it for `holdMs`. */
  'campaign',
  /** Changes the value of the `arg`-th leadership of this client. */
  'proclaim',
  /** Takes the `arg`-th hold of this client once more, for `holdMs`. */
  'reenter',
  /** Gives the `arg`-th hold to the process of the next client, who works under it for `holdMs`. */
  'handOver',
  /** Ends the `arg`-th hold of this client early. */
  'release',
  /** Gives up the `arg`-th wait of this client. */
  'cancel',
  'inspect',
  'list',
  /** Listens for `holdMs` to who leads the key's election. */
  'observe',
  /** Listens for `holdMs` to what happens to the key's lock, from where it left off last time. */
  'watchName',
  /** The same, to all locks, semaphores, elections or everything, by `arg`. */
  'watchPrefix',
  /** Breaks the lock by force, or ends its delay. */
  'break',
  /** Ends the session of the next client, as an operator. */
  'endSession',
  /** Closes the client and begins a new one. */
  'close',
  /** The same, but whoever holds may finish for `holdMs`. */
  'drain',
  /** The process dies, and after `arg` ms its next life works for `holdMs` under what it had. */
  'resume',
  // Of operators.
  /** A new machine joins: as a learner, or with an odd `arg` as a voter. */
  'addMember',
  /** The key-th learner becomes a voter. */
  'promoteMember',
  /**
   * The key-th member leaves, or with an `arg` that 4 divides the leader; its machine is taken
   * away then, or with an odd `arg` goes on.
   */
  'removeMember',
  /** The same member gives its place to a new machine. */
  'replaceMember',
  /** The key-th member is to lead, or with an even `arg` whoever is best. */
  'transferLeadership',
  /** Takes a backup, and looks whether it contains what it should. */
  'backup',
  /** Other limits of what a session holds, and of how many answers are stored, by `arg`. */
  'setLimits',
] as const;

/** One of them. */
export type OpKind = (typeof OP_KINDS)[number];

/** One act of a client. `id` keys its luck, wherever it stands in the list. */
export interface Op {
  readonly id: number;
  readonly client: number;
  readonly kind: OpKind;
  readonly key: number;
  readonly atMs: number;
  readonly holdMs: number;
  readonly arg: number;
}

/** How many of what. */
export interface Shape {
  readonly nodes: 1 | 3 | 5;
  readonly clients: number;
  readonly keys: number;
}

/** Settings of the cluster and of its clients; the first choice of each is the default. */
export interface Knobs {
  readonly electionMs: number;
  readonly heartbeatMs: number;
  /** 0: sessions without end. */
  readonly ttlMs: number;
  /** The client's margin before the end of its lease; 0 is the tightest that the proof allows. */
  readonly marginMs: number;
  /** How long locks stay closed to others when a session expires. */
  readonly lockDelayMs: number;
  readonly requestMs: number;
  /** Overrides of RAFT.md §0, small ones: 0 leaves the default. */
  readonly appendBytes: number;
  readonly inflightAppends: number;
  readonly uncommittedBytes: number;
  readonly persistBytes: number;
  readonly tailBytes: number;
  /** Replicated limit: stored answers of a session. */
  readonly window: number;
  /** Replicated limit: what a session holds and waits for, permits and all; 0: the default. */
  readonly holdings: number;
  /** Events that nodes keep for watchers who come back; 0: the default. */
  readonly watchEvents: number;
  /** So many clients, the first ones, renew their leases from a thread of their own. */
  readonly threads: number;
  /** A checkpoint when so many rows have changed; 0: the default, thousands. */
  readonly checkpointRows: number;
  /** Entries that stay behind a checkpoint; 0: the default, thousands. */
  readonly trailingEntries: number;
  /** Bytes of a piece of a checkpoint on its way to another node; 0: the default. */
  readonly partBytes: number;
  /** Time between two looks at what lies on the disk; 0: the default, many seconds. */
  readonly scrubMs: number;
}

/** How the network behaves without faults. */
export interface Net {
  readonly latencyUs: number;
  readonly jitterUs: number;
  /** One frame in so many takes a hundred times as long; 0: none. */
  readonly tailOneIn: number;
  /** Frames between nodes are datagrams: lost, doubled and reordered, per thousand. */
  readonly lossPerMille: number;
  readonly duplicatePerMille: number;
  readonly reorderPerMille: number;
  /** Simultaneous events run in a drawn order. */
  readonly shuffleTies: boolean;
}

/** Whether the clocks keep to the bound of RAFT.md §14. */
export const CLOCK_BOUNDS = ['within', 'beyond'] as const;

/**
 * Rate errors of the clocks. `within` the bound of RAFT.md §14 everything is promised. `beyond` it
 * only what the log and fencing give.
 */
export interface Clocks {
  readonly bound: (typeof CLOCK_BOUNDS)[number];
  /** Parts per million by machine: nodes first, then clients; missing ones are 0. */
  readonly driftPpm: readonly number[];
  /** Timers fire up to so much late. */
  readonly latenessUs: number;
  /** Timers fire up to so much early, as some platforms have it. */
  readonly earlyUs: number;
}

/** What was before the cluster of the script. */
export interface Past {
  /**
   * That often it was made of a backup of the one before: of one at work with 1, of one that was
   * just restored itself with 2. 0: it was founded empty, and the rest says nothing.
   */
  readonly restores: 0 | 1 | 2;
  /** For so long the one before was known to be dead: the embargo is shorter. */
  readonly deadMs: number;
  /** A maximum TTL of which the first backup does not know, but its operator: it is longer. */
  readonly raisedMs: number;
}

/** One run. The order of the fields is the order in which it shrinks. */
export interface Script {
  /** When faults and operations are over and everything is healed. */
  readonly horizonMs: number;
  readonly faults: readonly Fault[];
  readonly ops: readonly Op[];
  readonly shape: Shape;
  readonly past: Past;
  readonly knobs: Knobs;
  readonly net: Net;
  readonly clocks: Clocks;
  /** Disks lose unsynced batches even before later synced ones (RAFT.md §15.1.5). */
  readonly hasHoles: boolean;
  /** Seed of everything that is not said above; a whole number below 2^32. */
  readonly noise: number;
}
