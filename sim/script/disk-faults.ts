// Faults of disks. Those that damage what was synced, or fail a write, condemn the node: it must
// refuse to serve. They strike a minority of the nodes of a run at most.

import type { SimNode } from '../cluster-node.ts';
import type { DiskOperation } from '../world/disk-options.ts';
import type { Undo } from '../world/direction.ts';
import { NOTHING_TO_UNDO } from './fault-field.ts';
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
  stallDisk: (field, fault) => {
    const node = field.node(fault);
    return field.share(
      `stall ${node.id}`,
      () => node.disk.writes.holdAfter(0),
      () => node.disk.writes.release(),
    );
  },
  fullDisk: (field, fault) => fill(field, field.node(fault)),
  writeError: (field, fault) => failNext(field, fault, 'batch'),
  slotError: (field, fault) => failNext(field, fault, 'slotWrite'),
  /** The power fails while a slot is written, which then holds neither old nor new. */
  tornSlot: (field, fault) => {
    const node = field.node(fault);
    if (node.host === null) return null;
    node.losePower('torn');
    return () => field.revive(node);
  },
  /** The log on the medium is damaged or partly gone; odd: while the node is down. */
  rotLog: (field, fault) => rot(field, fault, rotChunk),
  rotSlot: (field, fault) => rot(field, fault, rotSlotFile),
} as const satisfies Readonly<Record<string, Injector>>;

function fill(field: FaultField, node: SimNode): Undo | null {
  const { disk } = node;
  const { freeBytes } = disk;
  if (freeBytes === 0) return null;
  disk.freeBytes = 0;
  field.noteFull(node);
  return () => {
    disk.freeBytes = freeBytes;
    field.revive(node);
  };
}

function failNext(field: FaultField, fault: Fault, operation: DiskOperation): Undo | null {
  const node = field.node(fault);
  if (node.host === null || !field.condemn(node)) return null;
  node.disk.fail({ operation, failure: { kind: 'io', message: 'the medium failed' } });
  return NOTHING_TO_UNDO;
}

type Damage = (node: SimNode, fault: Fault) => void;

function rot(field: FaultField, fault: Fault, damage: Damage): Undo | null {
  const node = field.node(fault);
  if (!field.condemn(node)) return null;
  const isDown = fault.arg % 2 === 1;
  if (isDown) node.crash();
  damage(node, fault);
  return isDown ? () => field.revive(node) : NOTHING_TO_UNDO;
}

/** A chunk of the log, which `arg` picks, is damaged, or gone. */
function rotChunk({ disk: { store } }: SimNode, { arg }: Fault): void {
  const keys = store.keys().filter((key) => key.startsWith('l/'));
  const place = arg >> 2;
  const key = keys[place % keys.length];
  if (key === undefined) return;
  const isGone = ((arg >> 1) & 1) === 1;
  store.overwrite(key, isGone ? null : flipped(store.value(key)));
}

function rotSlotFile({ disk: { slots } }: SimNode, { arg }: Fault): void {
  const slot = slots[((arg >> 1) & 1) === 1 ? 1 : 0];
  slot.overwrite(flipped(slot.read()));
}

/** One bit in the middle is another. */
function flipped(content: Uint8Array | null): Uint8Array | null {
  const middle = (content?.length ?? 0) >> 1;
  return content?.map((byte, at) => (at === middle ? byte ^ 1 : byte)) ?? null;
}
