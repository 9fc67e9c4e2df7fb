// Pieces of a checkpoint, and a receiver that they are given to.

import { createMachineLoader } from '../../src/locks/loader.ts';
import { SnapshotPieces } from '../../src/node/snapshot-pieces.ts';
import type { PartAnswer } from '../../src/node/snapshot-receiver.ts';
import { SnapshotReceiver } from '../../src/node/snapshot-receiver.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { SnapshotPart } from '../../src/raft/messages.ts';
import type { IncomingRig, MachineRig } from './checkpoint-rig.ts';
import { viewOf } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';

/** Bytes of a piece. */
export const PART_BYTES = 400;
export const LEADER = { nodeId: 'n1', storeId: 'store-1', bootCount: 1 };

export function receiverOn(clock: ManualClock, incoming: IncomingRig, answers: PartAnswer[]) {
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
export function piecesOf(rig: MachineRig, transfer = 1): SnapshotPart[] {
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
