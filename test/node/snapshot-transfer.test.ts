// The two ends of a transfer, joined by a line that loses, repeats and reorders what the test says.

import { describe, expect, test } from 'vitest';
import { createMachineLoader } from '../../src/locks/loader.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import { SnapshotPieces } from '../../src/node/snapshot-pieces.ts';
import type { PartAnswer } from '../../src/node/snapshot-receiver.ts';
import { SnapshotReceiver } from '../../src/node/snapshot-receiver.ts';
import { SnapshotSender } from '../../src/node/snapshot-sender.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { SnapshotPart } from '../../src/raft/messages.ts';
import { decodeSnapshotEnd } from '../../src/wire/checkpoint.ts';
import { IncomingRig, MachineRig, machineWith, storedRows, viewOf } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';

const E_US = 500_000;
const PART_BYTES = 400;
const LEADER = { nodeId: 'n1', storeId: 'store-1', bootCount: 1 };

function receiverOn(clock: ManualClock, incoming: IncomingRig, answers: PartAnswer[]) {
  return new SnapshotReceiver({
    storage: incoming,
    clock,
    logger: silentLogger,
    createLoader: ({ limits }) => createMachineLoader(limits),
    problemOf: () => null,
    onAnswer: (answer) => answers.push(answer),
    onFailed: () => {},
  });
}

/** All pieces of the present state of a machine. */
function piecesOf(rig: MachineRig, transfer = 1): SnapshotPart[] {
  const clock = new ManualClock();
  const view = viewOf(rig, clock);
  const { index: lastIndex, term: lastTerm } = view.checkpoint.point.last;
  const pieces = new SnapshotPieces(view, PART_BYTES);
  const parts: SnapshotPart[] = [];
  for (let isOver = false; !isOver; clock.turn()) {
    pieces.next((result) => {
      if (!result.ok || result.value === null) isOver = true;
      else parts.push({ transfer, lastIndex, lastTerm, ...result.value });
    });
  }
  return parts;
}

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

/** A sender and a receiver. `lose` says of each piece whether it gets lost on the way. */
function joined(rig: MachineRig, lose: (part: SnapshotPart) => boolean = () => false) {
  const clock = new ManualClock();
  const incoming = new IncomingRig(clock);
  const answers: PartAnswer[] = [];
  const sent: number[] = [];
  let largestWindow = 0;
  let aborts = 0;
  let unanswered = new Set<number>();
  const receiver = receiverOn(clock, incoming, answers);
  const view = viewOf(rig, clock);
  const sender = new SnapshotSender({
    transfer: 1,
    view,
    clock,
    partBytesMax: PART_BYTES,
    partsInFlightMax: 3,
    electionUs: E_US,
    send: (part) => {
      sent.push(part.sequence);
      unanswered.add(part.sequence);
      largestWindow = Math.max(largestWindow, unanswered.size);
      if (!lose(part)) clock.soon(() => receiver.store(LEADER, 3, part));
    },
    onAborted: () => aborts++,
    onFailed: () => {},
  });
  const deliver = (): void => {
    for (const { status, sequence } of answers.splice(0)) {
      unanswered = new Set([...unanswered].filter((each) => each > sequence));
      if (status === 'stored') clock.soon(() => sender.onStored(sequence));
    }
  };
  return {
    ...{ clock, sender, receiver, view, sent },
    aborts: () => aborts,
    largestWindow: () => largestWindow,
    /** Time passes, and answers arrive. */
    run: (durationUs: number) => {
      for (let left = durationUs; left > 0; left -= 10_000) {
        clock.advance(10_000);
        deliver();
        clock.turn();
      }
    },
  };
}

function taken(receiver: SnapshotReceiver): LockMachine | undefined {
  return receiver.take()?.machine;
}

describe('the sender of a checkpoint', () => {
  test('sends every piece once over a line that loses nothing, a window at a time', () => {
    const rig = machineWith(60);
    const { sender, receiver, run, sent, largestWindow } = joined(rig);
    sender.start();
    run(2 * E_US);
    expect(taken(receiver)?.stateHash()).toBe(rig.machine.stateHash());
    expect(sent.slice(0, piecesOf(rig).length)).toEqual(piecesOf(rig).map((_, at) => at));
    expect(largestWindow()).toBe(3);
  });

  test('R-58 goes on after the last piece that arrived when one was lost', () => {
    const rig = machineWith(60);
    let losses = 0;
    const { sender, receiver, run, sent } = joined(
      rig,
      ({ sequence }) => sequence === 9 && losses++ === 0,
    );
    sender.start();
    run(4 * E_US);
    expect(losses).toBe(2);
    expect(taken(receiver)?.stateHash()).toBe(rig.machine.stateHash());
    expect(sent.filter((sequence) => sequence === 8)).toHaveLength(1);
  });

  test('R-58 goes on at once when the link is back, and not from the beginning', () => {
    const rig = machineWith(60);
    let isCut = false;
    const { sender, receiver, run, sent, clock } = joined(rig, () => isCut);
    sender.start();
    run(30_000);
    isCut = true;
    run(30_000);
    isCut = false;
    const before = sent.length;
    sender.onLinkUp();
    clock.turn();
    expect(sent.length).toBeGreaterThan(before);
    run(E_US - 100_000);
    expect(taken(receiver)?.stateHash()).toBe(rig.machine.stateHash());
    expect(sent.filter((sequence) => sequence === 0)).toHaveLength(1);
  });

  test('R-58 begins anew for a receiver that has lost everything', () => {
    const rig = machineWith(60);
    const { sender, receiver, run, sent } = joined(rig);
    sender.start();
    run(50_000);
    expect(sent.length).toBeGreaterThan(4);
    receiver.discard(); // as a restart does
    run(3 * E_US);
    expect(taken(receiver)?.stateHash()).toBe(rig.machine.stateHash());
    expect(sent.filter((sequence) => sequence === 0)).toHaveLength(2);
  });

  test('R-73 gives up when nothing is heard for ten election time-outs, and lets go', () => {
    const { sender, run, aborts, view, clock } = joined(machineWith(5), () => true);
    sender.start();
    run(9 * E_US);
    expect(aborts()).toBe(0);
    expect(view.isClosed).toBe(false);
    run(2 * E_US);
    expect(aborts()).toBe(1);
    expect(view.isClosed).toBe(true);
    expect(clock.timerCount()).toBe(0);
  });

  test('a stopped one sends nothing more and closes its view', () => {
    const { sender, run, sent, view } = joined(machineWith(40));
    sender.start();
    run(20_000);
    const count = sent.length;
    sender.stop();
    run(3 * E_US);
    expect(sent).toHaveLength(count);
    expect(view.isClosed).toBe(true);
  });
});
