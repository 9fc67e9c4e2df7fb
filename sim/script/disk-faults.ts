// Faults of disks. Those that damage what was synced, or fail a write, condemn the node: it must
// refuse to serve. They strike a minority of the nodes of a run at most.

import { DecodeError } from '../../src/wire/msgpack.ts';
import { decodeSlot } from '../../src/wire/slots.ts';
import type { SimNode } from '../cluster-node.ts';
import type { DiskOperation } from '../world/disk-options.ts';
import type { Undo } from '../world/direction.ts';
import { LOG_ROWS, loseRow, misdirectRow, rotRow, rotSlot, STATE_ROWS } from '../world/damage.ts';
import type { RowsOf } from '../world/damage.ts';
import { RESERVE_BYTES } from './cluster-options.ts';
import type { FaultField, Injector } from './fault-field.ts';
import { DISK_MS, step } from './fault-steps.ts';
import type { Fault } from './types.ts';

/** By kind. */
export const DISK_FAULTS = {
  slowDisk: (field, fault) => {
    const { disk } = field.node(fault);
    const extraUs = step(DISK_MS, fault) * 1_000;
    disk.extraDelayUs += extraUs;
    return () => {
      disk.extraDelayUs -= extraUs;
    };
  },
  /** Writes begin and do not end. */
  stallDisk: (field, fault) => field.node(fault).disk.writes.stall(),
  /** No room at all; with an odd `arg` there is room for what frees locks (RAFT.md §15.4). */
  fullDisk: (field, fault) => fill(field, field.node(fault), fault.arg % 2 === 1),
  writeError: (field, fault) => failNext(field, fault, 'batch'),
  slotError: (field, fault) => failNext(field, fault, 'slotWrite'),
  /** The power fails while a slot is written, which then holds neither old nor new. */
  tornSlot: (field, fault) => {
    const node = field.node(fault);
    if (node.host === null) return null;
    node.losePower('torn');
    return () => field.revive(node);
  },
  /** The medium damages the log; with an odd `arg` while the node is down. */
  rotLog: (field, fault) => rot(field, fault, damageRows(LOG_ROWS)),
  /** The same with the state of the locks as its checkpoint holds it. */
  rotState: (field, fault) => rot(field, fault, damageRows(STATE_ROWS)),
  /** The newest of the two, or with the second bit of `arg` the other one. */
  rotSlot: (field, fault) => rot(field, fault, damageSlot),
} as const satisfies Readonly<Record<string, Injector>>;

function fill(field: FaultField, node: SimNode, hasRest: boolean): Undo | null {
  const { disk } = node;
  const { freeBytes } = disk;
  if (freeBytes < RESERVE_BYTES) return null;
  disk.freeBytes = hasRest ? RESERVE_BYTES - 1 : 0;
  field.noteFull(node);
  return () => {
    disk.freeBytes = freeBytes;
    field.revive(node);
  };
}

function failNext(field: FaultField, fault: Fault, operation: DiskOperation): Undo | null {
  const node = field.node(fault);
  if (node.host === null || !field.condemn(node)) return null;
  const cancel = node.disk.fail({
    operation,
    failure: { kind: 'io', message: 'the medium failed' },
  });
  return () => {
    cancel();
    // Somebody starts it again without a thought: it must refuse.
    if (node.host === null) node.start();
  };
}

/** False when there is nothing to damage. */
type Damage = (node: SimNode, fault: Fault) => boolean;

function rot(field: FaultField, fault: Fault, damage: Damage): Undo | null {
  const node = field.node(fault);
  if (!field.condemn(node)) return null;
  const isDown = fault.arg % 2 === 1;
  if (isDown) node.crash();
  const isHarmed = damage(node, fault);
  if (isHarmed) node.disk.isRotten = true;
  const isStruck = isHarmed || isDown;
  return isStruck ? () => field.revive(node) : null;
}

function damageRows(rows: RowsOf): Damage {
  return ({ disk: { store } }, { arg }) => {
    const pick = arg >> 3;
    switch ((arg >> 1) & 3) {
      case 0:
        return loseRow(store, rows, pick);
      case 1:
        return misdirectRow(store, rows, pick);
      default:
        return rotRow(store, rows, pick);
    }
  };
}

function damageSlot({ disk: { slots } }: SimNode, { arg }: Fault): boolean {
  const [first, second] = slots;
  const isSecondNewer = versionOf(second) > versionOf(first);
  const isNewestMeant = ((arg >> 1) & 1) === 0;
  return rotSlot(isSecondNewer === isNewestMeant ? second : first, arg >> 2);
}

/** 0 for one that cannot be read. */
function versionOf(slot: SimNode['disk']['slots'][number]): number {
  const content = slot.read();
  try {
    return content === null ? 0 : decodeSlot(content).version;
  } catch (error) {
    if (error instanceof DecodeError) return 0;
    throw error;
  }
}
