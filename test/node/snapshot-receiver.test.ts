import { describe, expect, test } from 'vitest';
import type { PartAnswer } from '../../src/node/snapshot-receiver.ts';
import type { SnapshotPart } from '../../src/raft/messages.ts';
import { decodeSnapshotEnd } from '../../src/wire/checkpoint.ts';
import { IncomingRig, MachineRig, machineWith, storedRows } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';
import { LEADER, PART_BYTES, piecesOf, receiverOn } from './snapshot-rig.ts';

function receive(parts: readonly SnapshotPart[]) {
  const clock = new ManualClock();
  const incoming = new IncomingRig(clock);
  const answers: PartAnswer[] = [];
  const receiver = receiverOn(clock, incoming, answers);
  for (const part of parts) {
    receiver.store(LEADER, 3, part);
    clock.turn();
  }
  return { clock, incoming, answers, receiver };
}

function damaged(part: SnapshotPart | undefined): SnapshotPart {
  if (part === undefined) throw new Error('no such piece');
  const content = part.content.slice();
  const at = content.length - 3;
  content[at] = (content[at] ?? 0) ^ 0x15;
  return { ...part, content };
}

describe('the pieces of a checkpoint', () => {
  test('are as large as they may be, say how many rows there are, and are the same again', () => {
    const rig = machineWith(40);
    const parts = piecesOf(rig);
    expect(parts.map(({ sequence }) => sequence)).toEqual(parts.map((_, at) => at));
    expect(parts.map(({ isLast }) => isLast).indexOf(true)).toBe(parts.length - 1);
    const rows = parts.slice(1, -1);
    expect(rows.length).toBeGreaterThan(5);
    for (const { content } of rows) expect(content.length).toBeLessThanOrEqual(PART_BYTES);
    const end = decodeSnapshotEnd(parts.at(-1)?.content ?? new Uint8Array());
    expect(end).toEqual({
      count: storedRows(rig.machine).length,
      rowSum: rig.machine.stateHash(),
    });
    expect(piecesOf(rig)).toEqual(parts);
  });

  test('of an empty state are a beginning and an end', () => {
    expect(piecesOf(new MachineRig()).map(({ isLast }) => isLast)).toEqual([false, true]);
  });
});

describe('the receiver of a checkpoint', () => {
  test('answers each piece when it is durable, and has the state of the sender at the end', () => {
    const rig = machineWith(40);
    const parts = piecesOf(rig);
    const { answers, incoming, receiver } = receive(parts);
    expect(answers.map(({ sequence }) => sequence)).toEqual(parts.map(({ sequence }) => sequence));
    expect(answers.at(-1)).toMatchObject({ status: 'complete', from: 'n1', term: 3, transfer: 1 });
    expect(answers.at(-1)?.point?.last.index).toBe(rig.index);
    expect(incoming.stored).toEqual(storedRows(rig.machine));
    expect(receiver.take()?.machine.stateHash()).toBe(rig.machine.stateHash());
  });

  test('INV-8 says nothing of a piece before the disk has it', () => {
    const parts = piecesOf(machineWith(20));
    const clock = new ManualClock();
    const incoming = new IncomingRig(clock);
    incoming.isSlow = true;
    const answers: PartAnswer[] = [];
    const receiver = receiverOn(clock, incoming, answers);
    for (const part of parts.slice(0, 4)) receiver.store(LEADER, 3, part);
    clock.turn();
    expect(answers.map(({ sequence }) => sequence)).toEqual([0]);
    incoming.answer();
    expect(answers.map(({ sequence }) => sequence)).toEqual([0, 1]);
  });

  test('R-58 takes each piece once, whatever comes twice or too early', () => {
    const rig = machineWith(30);
    const [first, second, third, ...rest] = piecesOf(rig);
    const order = [first, first, third, second, second, third, ...rest, ...rest];
    const { answers, incoming, receiver } = receive(order.flatMap((part) => part ?? []));
    // The gap and the repetitions say how far it is.
    expect(answers.slice(0, 6).map(({ sequence }) => sequence)).toEqual([0, 0, 0, 1, 1, 2]);
    expect(answers.filter(({ status }) => status === 'complete')).toHaveLength(1);
    expect(incoming.stored).toEqual(storedRows(rig.machine));
    expect(receiver.take()?.machine.stateHash()).toBe(rig.machine.stateHash());
    expect(receiver.take()).toBeNull();
  });

  test('R-61 refuses a piece with a flipped byte, and everything after it', () => {
    const parts = piecesOf(machineWith(20));
    for (let at = 1; at < parts.length; at++) {
      const broken = parts.map((part, place) => (place === at ? damaged(part) : part));
      const { answers, incoming, receiver } = receive(broken);
      expect(answers.at(-1)).toMatchObject({ status: 'refused', sequence: -1 });
      expect(incoming.discards).toBe(1);
      expect(receiver.take()).toBeNull();
    }
  });

  test('R-61 refuses a checkpoint that lacks a piece, or has a row too many', () => {
    const parts = piecesOf(machineWith(20)).slice(0, -1);
    const [end] = piecesOf(machineWith(21)).slice(-1);
    const other = { ...end, sequence: parts.length };
    const { answers, receiver } = receive(
      [...parts, other].flatMap((part) => (isPart(part) ? part : [])),
    );
    expect(answers.at(-1)?.status).toBe('refused');
    expect(receiver.take()).toBeNull();
  });

  test('R-61 refuses rows, whole and as many, that are not those of the sum', () => {
    const parts = piecesOf(machineWith(40));
    const other = new MachineRig();
    other.open();
    other.lock(40, 'lick');
    const rows = piecesOf(other);
    const mixed = parts.map((part, at) =>
      part.sequence === 0 || part.isLast ? part : (rows[at] ?? part),
    );
    const { answers, receiver } = receive(mixed);
    expect(answers.at(-1)).toMatchObject({ status: 'refused', sequence: -1 });
    expect(receiver.take()).toBeNull();
  });

  test('a piece of another transfer discards what came, one of an earlier transfer does not', () => {
    const rig = machineWith(20);
    const { answers, incoming, receiver } = receive([
      ...piecesOf(rig, 1).slice(0, 4),
      ...piecesOf(rig, 2).slice(0, 2),
      ...piecesOf(rig, 1).slice(4),
      ...piecesOf(rig, 2).slice(2),
    ]);
    expect(incoming.discards).toBe(1);
    expect(answers.at(-1)).toMatchObject({ status: 'complete', transfer: 2 });
    expect(receiver.take()?.machine.stateHash()).toBe(rig.machine.stateHash());
  });

  test('R-59 takes no other piece while a checkpoint is put in force', () => {
    const rig = machineWith(5);
    const { answers, incoming, receiver, clock } = receive(piecesOf(rig, 1));
    expect(receiver.take()).not.toBeNull();
    const [first] = piecesOf(rig, 2);
    const count = answers.length;
    if (first !== undefined) receiver.store(LEADER, 3, first);
    clock.turn();
    expect(answers).toHaveLength(count);
    expect(incoming.discards).toBe(0);
    receiver.release();
    if (first !== undefined) receiver.store(LEADER, 3, first);
    expect(answers.at(-1)).toMatchObject({ transfer: 2, sequence: 0 });
  });
});

function isPart(part: Partial<SnapshotPart>): part is SnapshotPart {
  return part.content !== undefined;
}
