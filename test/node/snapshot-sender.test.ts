// The two ends of a transfer, joined by a line that loses what the test says.

import { describe, expect, test } from 'vitest';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { PartAnswer, SnapshotReceiver } from '../../src/node/snapshot-receiver.ts';
import { SnapshotSender } from '../../src/node/snapshot-sender.ts';
import type { SnapshotPart } from '../../src/raft/messages.ts';
import type { MachineRig } from './checkpoint-rig.ts';
import { IncomingRig, machineWith, viewOf } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';
import { LEADER, PART_BYTES, piecesOf, receiverOn } from './snapshot-rig.ts';

const E_US = 500_000;

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

  test('R-58 LIV-4 goes on after an old answer that came late, though it lost nothing', () => {
    const rig = machineWith(60);
    const { sender, receiver, run, sent } = joined(rig);
    sender.start();
    run(50_000);
    expect(sent.length).toBeGreaterThan(6);
    sender.onStored(0);
    run(3 * E_US);
    expect(taken(receiver)?.stateHash()).toBe(rig.machine.stateHash());
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
