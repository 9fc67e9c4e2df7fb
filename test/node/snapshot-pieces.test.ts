// A disk that loses a row without a word: each row that is left is whole, only their sum is not.

import { describe, expect, test } from 'vitest';
import { Backups } from '../../src/node/backups.ts';
import type { HostExit } from '../../src/node/host-types.ts';
import { SnapshotPieces } from '../../src/node/snapshot-pieces.ts';
import type { CheckpointView } from '../../src/node/storage/types.ts';
import { decodeSnapshotRows } from '../../src/wire/checkpoint.ts';
import { machineWith, viewOf } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';
import { PART_BYTES } from './snapshot-rig.ts';

const LOCKS = 20;
const TURNS_MAX = 200;
const PLACES = [0, 7, LOCKS];

/** What comes of it when it is cut into pieces, and after some of them once more from the first. */
function cut(view: CheckpointView, clock: ManualClock) {
  const pieces = new SnapshotPieces(view, PART_BYTES);
  const came: { exit: HostExit | null; isWhole: boolean } = { exit: null, isWhole: false };
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    if (turn === 3) pieces.restart();
    pieces.next((result) => {
      if (!result.ok) came.exit = result.exit;
      else if (result.value?.isLast === true) came.isWhole = true;
    });
    clock.turn();
  }
  return came;
}

/** The same of a backup whose reader asks for each page twice. */
function readBackup(view: CheckpointView, clock: ManualClock) {
  const came: { exit: HostExit | null; isWhole: boolean } = { exit: null, isWhole: false };
  const backups = new Backups({
    clock,
    storage: { view: (done) => done({ ok: true, value: view }) },
    partBytesMax: PART_BYTES,
    appliedIndex: () => view.checkpoint.point.last.index,
    takeNow: (_index, done) => done(true),
    onFailed: (exit) => (came.exit = exit),
  });
  backups.begin(() => {});
  let after = '';
  for (let page = 0; page < TURNS_MAX && !came.isWhole && came.exit === null; page++) {
    const from = after;
    for (const isRepeated of [false, true]) {
      backups.rows(1, from, (result) => {
        if (result.kind !== 'backupRows') throw new Error(`got ${result.kind}`);
        after = decodeSnapshotRows(result.content).at(-1)?.key ?? after;
        came.isWhole = result.isLast && isRepeated;
      });
      clock.turn();
    }
  }
  return came;
}

describe.each([
  { what: 'a checkpoint on its way to another node', read: cut },
  { what: 'a backup', read: readBackup },
])('$what', ({ read }) => {
  test('a whole one goes to its end', () => {
    const clock = new ManualClock();
    expect(read(viewOf(machineWith(LOCKS), clock), clock)).toEqual({ exit: null, isWhole: true });
  });

  test.each(PLACES)(
    'INV-20: without its row %i the node ends before it passes for whole',
    (row) => {
      const clock = new ManualClock();
      const came = read(viewOf(machineWith(LOCKS), clock, row), clock);
      expect(came).toMatchObject({ exit: { exitCode: 83 }, isWhole: false });
    },
  );
});
