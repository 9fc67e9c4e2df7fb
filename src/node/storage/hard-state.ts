// Term, vote, identity and the durable floor: one record, in two slot files. A new version goes
// into the first, synced, then into the second, synced, and only then may anything that depends on
// it leave. With slots that alternate, a torn write could not be told from rot of a version that
// was acted upon (RAFT.md §15.2, M-78).

import { assert } from '../../base/assert.ts';
import type { SlotFile, Stored } from '../../ports/storage.ts';
import { DecodeError } from '../../wire/msgpack.ts';
import type { SlotRecord } from '../../wire/slot-record.ts';
import { decodeSlot, encodeSlot } from '../../wire/slots.ts';
import type { StorageExit } from './types.ts';

/** What the caller may change; version and identity follow by themselves. */
export type HardStateChange = Partial<Omit<SlotRecord, 'version' | 'nodeId' | 'storeId'>>;

/** What one slot file holds. A slot that cannot be read counts as damaged. */
export type SlotFound =
  | { readonly state: 'missing' }
  | { readonly state: 'damaged'; readonly message: string }
  | { readonly state: 'valid'; readonly record: SlotRecord };

/** Callers that wait for one write; a node has a handful of sources of changes. */
const WAITING_MAX = 1_024;

type Done = (result: Stored<void>) => void;

/** Writes changes in order; those that arrive during a write share the next one. */
export class HardState {
  /** In the order in which they are written. */
  private readonly slots: readonly [SlotFile, SlotFile];
  private wanted: SlotRecord;
  private onDisk: SlotRecord;
  private waiting: Done[] = [];
  private isWriting = false;

  constructor(slots: readonly [SlotFile, SlotFile], found: SlotRecord) {
    this.slots = slots;
    this.wanted = found;
    this.onDisk = found;
  }

  /** The record that is, or is about to be, on disk. */
  get record(): SlotRecord {
    return this.wanted;
  }

  /** The record that both slots are known to hold. */
  get durable(): SlotRecord {
    return this.onDisk;
  }

  /** Durable in both slots before `done`. */
  change(change: HardStateChange, done: Done): void {
    assert(this.waiting.length < WAITING_MAX, `at most ${WAITING_MAX} wait for the hard state`);
    this.wanted = { ...this.wanted, ...change };
    this.waiting.push(done);
    if (!this.isWriting) this.writeBoth();
  }

  private writeBoth(): void {
    this.isWriting = true;
    this.wanted = { ...this.wanted, version: this.wanted.version + 1 };
    const record = this.wanted;
    const bytes = encodeSlot(record);
    const waiting = this.waiting;
    this.waiting = [];
    this.slots[0].write(bytes, (first) => {
      // The mark of a failed sync is for whichever slot still takes it.
      if (!first.ok && !record.fsyncFailed) return this.finish(waiting, record, first);
      this.slots[1].write(bytes, (second) => {
        this.finish(waiting, record, first.ok ? second : first);
      });
    });
  }

  private finish(waiting: readonly Done[], record: SlotRecord, result: Stored<void>): void {
    this.isWriting = false;
    if (result.ok) this.onDisk = record;
    for (const done of waiting) done(result);
    if (this.waiting.length > 0 && !this.isWriting) this.writeBoth();
  }
}

/**
 * After a failed write: marks the directory, as well as it still can be, so that no later start
 * trusts it. A full disk condemns nothing (RAFT.md §15.4). `done` comes in any case.
 */
export function markFailed(hardState: HardState, failure: StorageExit, done: () => void): void {
  if (failure.exitCode !== 85 || failure.isDiskFull) return done();
  hardState.change({ fsyncFailed: true }, () => done());
}

/** Reads both slots. */
export function readSlots(
  slots: readonly [SlotFile, SlotFile],
  done: (found: readonly [SlotFound, SlotFound]) => void,
): void {
  slots[0].read((first) => {
    slots[1].read((second) => {
      done([interpretSlot(first), interpretSlot(second)]);
    });
  });
}

/** The newest valid record, or null. */
export function newestRecord(found: readonly SlotFound[]): SlotRecord | null {
  let newest: SlotRecord | null = null;
  for (const slot of found) {
    if (slot.state !== 'valid') continue;
    if (newest === null || slot.record.version > newest.version) newest = slot.record;
  }
  return newest;
}

/**
 * The order to write the slots in: one that is damaged or missing first. The other is then the
 * only good one, and a power loss may tear whatever is being overwritten.
 */
export function writingOrder(
  slots: readonly [SlotFile, SlotFile],
  found: readonly [SlotFound, SlotFound],
): readonly [SlotFile, SlotFile] {
  const isFirstTheOnlyGood = found[0].state === 'valid' && found[1].state !== 'valid';
  return isFirstTheOnlyGood ? [slots[1], slots[0]] : slots;
}

function interpretSlot(read: Stored<Uint8Array | null>): SlotFound {
  if (!read.ok) return { state: 'damaged', message: read.failure.message };
  if (read.value === null) return { state: 'missing' };
  try {
    return { state: 'valid', record: decodeSlot(read.value) };
  } catch (error) {
    if (error instanceof DecodeError) return { state: 'damaged', message: error.message };
    throw error;
  }
}
