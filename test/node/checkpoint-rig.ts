// Machines with something in them, and the rows of a machine as the checkpoint of a disk that
// answers in its own time.

import { compareUtf8 } from '../../src/base/name.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type {
  CheckpointView,
  IncomingCheckpoint,
  StorageResult,
} from '../../src/node/storage/types.ts';
import type { SnapshotPoint } from '../../src/raft/events.ts';
import type { Checkpoint, StoredRow } from '../../src/wire/checkpoint.ts';
import type { FoundingRecord } from '../../src/wire/founding-record.ts';
import { encodeRowValue } from '../../src/wire/rows.ts';
import type { ManualClock } from './manual-clock.ts';

const MEMBERS = [
  { nodeId: 'n1', storeId: 'store-1', address: '127.0.0.1:1' },
  { nodeId: 'n2', storeId: 'store-2', address: '127.0.0.1:2' },
] as const;

export const FOUNDING: FoundingRecord = {
  clusterId: '00112233445566778899aabbccddeeff',
  clusterName: 'test',
  members: MEMBERS,
  limits: DEFAULT_LIMITS,
  origin: 0,
  restored: null,
};

/** A machine under entries with consecutive indices. */
export class MachineRig {
  readonly machine: LockMachine = createLockMachine(DEFAULT_LIMITS);
  index = 0;
  private session = '';
  private seq = 0;

  /** Opens a session, which the locks from then on belong to. */
  open(): void {
    this.index += 1;
    const nonce = `${this.index}`.padStart(16, 'n');
    const rest = { ttlMs: 60_000, lockDelayMs: 0, name: '', meta: '', stampMs: 0 };
    const { outcome } = this.machine.apply(this.index, 1, { op: 'openSession', nonce, ...rest });
    if (outcome.code !== 'OPENED') throw new Error(JSON.stringify(outcome));
    this.session = outcome.session;
    this.seq = 0;
  }

  /** Acquires this many locks, each of a name of its own. */
  lock(count: number, prefix = 'lock'): void {
    for (let at = 0; at < count; at++) {
      this.index += 1;
      this.seq += 1;
      const items = [{ name: `${prefix}/${at}`, mode: 'exclusive', permits: null }] as const;
      const rest = { ackedBelow: this.seq, bodyHash: at, waitMs: 0, meta: '', value: null };
      const { session, seq } = this;
      const command = { op: 'acquire', session, seq, items, ...rest, stampMs: 0 } as const;
      const { outcome } = this.machine.apply(this.index, 1, command);
      if (outcome.code !== 'GRANTED') throw new Error(JSON.stringify(outcome));
    }
  }
}

/** A machine that holds this many locks. */
export function machineWith(locks: number): MachineRig {
  const rig = new MachineRig();
  rig.open();
  rig.lock(locks);
  return rig;
}

export function pointAt(index: number): SnapshotPoint {
  const config = {
    voters: MEMBERS,
    votersOutgoing: [],
    learners: [],
    learnersNext: [],
    retired: [],
  };
  return { last: { index, term: 1 }, config, configIndex: 0 };
}

/** All rows of a machine, in key order, as they are stored. */
export function storedRows(machine: LockMachine): StoredRow[] {
  return [...machine.rows()]
    .sort((left, right) => compareUtf8(left.key, right.key))
    .map(({ key, value }) => ({ key, value: encodeRowValue(value) }));
}

/**
 * The present state of a machine, held still; the disk lost the row at this place, if any. Answers
 * when the clock turns.
 */
export function viewOf(
  rig: MachineRig,
  clock: ManualClock,
  lost: number | null = null,
): CheckpointView & { isClosed: boolean } {
  const rows = storedRows(rig.machine).filter((_row, place) => place !== lost);
  const checkpoint: Checkpoint = {
    point: pointAt(rig.index),
    rowSum: rig.machine.stateHash(),
  };
  const view = {
    checkpoint,
    founding: FOUNDING,
    isClosed: false,
    rows: (after: string, maxBytes: number, done: (result: StorageResult<Page>) => void) =>
      clock.soon(() => done({ ok: true, value: pageOf(rows, after, maxBytes) })),
    close: () => {
      view.isClosed = true;
    },
  };
  return view;
}

interface Page {
  readonly rows: readonly StoredRow[];
  readonly isLast: boolean;
}

// As a real store does: the end shows only behind the last row.
function pageOf(rows: readonly StoredRow[], after: string, maxBytes: number): Page {
  const from = after === '' ? 0 : rows.findIndex(({ key }) => compareUtf8(key, after) > 0);
  const left = from === -1 ? [] : rows.slice(from);
  let bytes = 0;
  const end = left.findIndex((row) => (bytes += row.key.length + row.value.length) > maxBytes);
  const page = end === -1 ? left : left.slice(0, end + 1);
  return { rows: page, isLast: page.length === 0 };
}

/** Where received rows go; `stored` has those whose `add` was answered. */
export class IncomingRig {
  readonly stored: StoredRow[] = [];
  discards = 0;
  /** Whether rows are answered when the clock turns, or only by `answer`. */
  isSlow = false;
  private readonly clock: ManualClock;
  private readonly waiting: (() => void)[] = [];

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  receive(checkpoint: Checkpoint): IncomingCheckpoint {
    this.stored.length = 0;
    return {
      checkpoint,
      add: (rows, done) => {
        const answer = (): void => {
          this.stored.push(...rows);
          done({ ok: true, value: undefined });
        };
        if (this.isSlow) this.waiting.push(answer);
        else this.clock.soon(answer);
      },
      install: (_keepsSuffix, done) => this.clock.soon(() => done({ ok: true, value: undefined })),
      discard: () => {
        this.discards += 1;
      },
    };
  }

  /** The disk has the oldest rows that wait. */
  answer(): void {
    this.waiting.shift()?.();
  }
}
