import { silentLogger } from '../../src/ports/logger.ts';
import { describe, expect, test } from 'vitest';
import type { RowValue } from '../../src/locks/machine-types.ts';
import { hashOfRows } from '../../src/locks/rows.ts';
import { Checkpointer } from '../../src/node/checkpointer.ts';
import type { CheckpointSettings } from '../../src/node/checkpoint-settings.ts';
import { DEFAULT_CHECKPOINTS } from '../../src/node/checkpoint-settings.ts';
import type { HostExit } from '../../src/node/host-types.ts';
import { LockState } from '../../src/node/lock-state.ts';
import type { CheckpointDelta, StorageResult } from '../../src/node/storage/types.ts';
import type { EntryId } from '../../src/raft/events.ts';
import { decodeRowValue } from '../../src/wire/rows.ts';
import { MachineRig, pointAt } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';

const SECOND_US = 1_000_000;

/** A checkpointer over a real machine, and a disk that answers when it is told to. */
function setUp(settings: Partial<CheckpointSettings> = {}) {
  const clock = new ManualClock();
  const rig = new MachineRig();
  const state = new LockState(rig.machine, 0);
  const written: CheckpointDelta[] = [];
  const durable: EntryId[] = [];
  const failed: HostExit[] = [];
  const waiting: ((result: StorageResult<{ readonly anchor: EntryId }>) => void)[] = [];
  let pinned: number | null = null;
  let copies = 0;
  const checkpointer = new Checkpointer({
    state,
    storage: {
      checkpoint: (delta, done) => {
        written.push(delta);
        waiting.push(done);
      },
    },
    logger: silentLogger,
    clock,
    settings: { ...DEFAULT_CHECKPOINTS, trailingEntries: 0, ...settings },
    durableIndex: 0,
    anchorIndex: 0,
    pointAt,
    pinnedIndex: () => pinned,
    onCopied: () => copies++,
    onDurable: (anchor) => durable.push(anchor),
    onFailed: (exit) => failed.push(exit),
  });
  const apply = (change: (machine: MachineRig) => void): void => {
    change(rig);
    while (state.appliedIndex < rig.index) state.advance(state.appliedIndex + 1);
    checkpointer.look();
  };
  const answer = (): void => {
    const to = written.at(-1)?.compactTo ?? 0;
    waiting.shift()?.({ ok: true, value: { anchor: { index: to, term: 1 } } });
  };
  return {
    ...{ clock, rig, state, checkpointer, written, waiting, durable, failed, apply, answer },
    pin: (index: number | null) => (pinned = index),
    copyCount: () => copies,
  };
}

/** Rows as all these deltas leave them. */
function rowsOf(deltas: readonly CheckpointDelta[]): Map<string, RowValue> {
  const rows = new Map<string, RowValue>();
  for (const { key, value } of deltas.flatMap((delta) => delta.rows)) {
    if (value === null) rows.delete(key);
    else rows.set(key, decodeRowValue(value));
  }
  return rows;
}

function sumOf(rows: ReadonlyMap<string, RowValue>): string {
  return hashOfRows([...rows].map(([key, value]) => ({ key, value })));
}

describe('the checkpointer', () => {
  test('writes what changed, and the rows of all deltas together have the sum of each', () => {
    const { clock, checkpointer, written, answer, apply } = setUp();
    checkpointer.start();
    apply((rig) => {
      rig.open();
      rig.lock(3);
    });
    clock.advance(SECOND_US);
    answer();
    apply((rig) => rig.lock(2, 'more'));
    clock.advance(SECOND_US);
    answer();
    expect(written.map(({ checkpoint }) => checkpoint.point.last.index)).toEqual([4, 6]);
    const [first, second] = written;
    expect(sumOf(rowsOf(written.slice(0, 1)))).toBe(first?.checkpoint.rowSum);
    expect(sumOf(rowsOf(written))).toBe(second?.checkpoint.rowSum);
    expect(second?.rows.length).toBeLessThan(first?.rows.length ?? 0);
  });

  test('costs nothing while nothing is applied', () => {
    const { clock, checkpointer, written, answer, apply } = setUp();
    checkpointer.start();
    apply((rig) => rig.open());
    clock.advance(SECOND_US);
    answer();
    for (let second = 0; second < 10; second++) clock.advance(SECOND_US);
    expect(written).toHaveLength(1);
  });

  test('begins at once when enough rows have changed', () => {
    const { clock, written, apply } = setUp({ dirtyRowsMax: 8 });
    apply((rig) => rig.open());
    clock.turn();
    expect(written).toHaveLength(0);
    apply((rig) => rig.lock(8));
    clock.turn();
    expect(written).toHaveLength(1);
  });

  test('R-63 encodes a slice a turn, from a copy that later changes do not reach', () => {
    const { clock, checkpointer, written, apply } = setUp({ sliceRows: 2 });
    let turns = 0;
    const soon = clock.soon.bind(clock);
    clock.soon = (callback) => soon(() => void (turns++, callback()));
    apply((rig) => {
      rig.open();
      rig.lock(9);
    });
    checkpointer.takeNow(10, () => {});
    apply((rig) => rig.lock(5, 'later'));
    clock.turn();
    expect(turns).toBeGreaterThanOrEqual(9 / 2);
    const [delta] = written;
    expect(delta?.checkpoint.point.last.index).toBe(10);
    expect(sumOf(rowsOf(written))).toBe(delta?.checkpoint.rowSum);
  });

  test('R-63 copies many rows in several turns, in which the state must stand still', () => {
    const { clock, checkpointer, written, apply, copyCount } = setUp({ sliceRows: 2 });
    let heldTurns = 0;
    const soon = clock.soon.bind(clock);
    clock.soon = (callback) =>
      soon(() => void ((heldTurns += checkpointer.mustPause() ? 1 : 0), callback()));
    apply((rig) => (rig.open(), rig.lock(29)));
    checkpointer.takeNow(30, () => {});
    clock.turn();
    expect([heldTurns, copyCount()]).toEqual([3, 1]);
    expect(written[0]?.rows).toHaveLength(30);
    expect(sumOf(rowsOf(written))).toBe(written[0]?.checkpoint.rowSum);
  });

  test('M-81 takes no second delta before the first is durable', () => {
    const { clock, written, apply, answer } = setUp({ dirtyRowsMax: 4 });
    apply((rig) => {
      rig.open();
      rig.lock(4);
    });
    clock.turn();
    apply((rig) => rig.lock(8, 'more'));
    clock.advance(5 * SECOND_US);
    expect(written).toHaveLength(1);
    answer();
    clock.turn();
    expect(written).toHaveLength(2);
  });

  test('holds up applying while changes come faster than they reach the disk, and no longer', () => {
    const { clock, checkpointer, written, apply, answer } = setUp({
      dirtyRowsMax: 4,
      pauseRowsMax: 8,
    });
    apply((rig) => {
      rig.open();
      rig.lock(8);
    });
    expect(checkpointer.mustPause()).toBe(false);
    clock.turn();
    apply((rig) => rig.lock(8, 'more'));
    expect(checkpointer.mustPause()).toBe(true);
    expect(written).toHaveLength(1);
    answer();
    expect(checkpointer.mustPause()).toBe(false);
    clock.turn();
    expect(written).toHaveLength(2);
  });

  test('lets go of the log, but for the entries that are kept for followers', () => {
    const { clock, checkpointer, written, apply } = setUp({ trailingEntries: 6 });
    apply((rig) => {
      rig.open();
      rig.lock(9);
    });
    checkpointer.takeNow(10, () => {});
    clock.turn();
    expect(written[0]?.compactTo).toBe(4);
  });

  test('keeps what a transfer needs of the log, unless that is too much', () => {
    const { clock, checkpointer, written, apply, answer, pin } = setUp({ pinnedEntriesMax: 20 });
    const take = (count: number): void => {
      apply((rig) => rig.lock(count, `${rig.index}`));
      checkpointer.takeNow(written.length === 0 ? 11 : 31, () => {});
      clock.turn();
      answer();
    };
    apply((rig) => rig.open());
    pin(5);
    take(10);
    expect(written[0]?.compactTo).toBe(5);
    take(20);
    expect(written[1]?.compactTo).toBe(31);
  });

  test('a checkpoint that is asked for contains what was applied then, and answers when durable', () => {
    const { clock, checkpointer, written, apply, answer } = setUp();
    const answers: boolean[] = [];
    apply((rig) => rig.open());
    checkpointer.takeNow(1, (isDurable) => answers.push(isDurable));
    clock.turn();
    apply((rig) => rig.lock(1));
    checkpointer.takeNow(2, (isDurable) => answers.push(isDurable));
    clock.turn();
    answer();
    expect(answers).toEqual([true]);
    clock.turn();
    answer();
    expect(answers).toEqual([true, true]);
    expect(written.map(({ checkpoint }) => checkpoint.point.last.index)).toEqual([1, 2]);
    checkpointer.takeNow(2, (isDurable) => answers.push(isDurable));
    expect(answers).toHaveLength(3);
    expect(written).toHaveLength(2);
  });

  test('one that is asked for before its entry is applied waits for it', () => {
    const { clock, checkpointer, written, apply } = setUp();
    apply((rig) => rig.open());
    checkpointer.takeNow(3, () => {});
    clock.turn();
    expect(written).toHaveLength(0);
    apply((rig) => rig.lock(2));
    clock.turn();
    expect(written).toHaveLength(1);
  });

  test('R-60 a delta of the old state never follows the new state onto the disk', () => {
    const { clock, checkpointer, written, apply, answer } = setUp({ sliceRows: 1 });
    let isIdle = false;
    apply((rig) => {
      rig.open();
      rig.lock(4);
    });
    // While it is encoded it is dropped …
    checkpointer.takeNow(5, () => {});
    checkpointer.hold(() => (isIdle = true));
    expect(isIdle).toBe(true);
    checkpointer.look();
    clock.turn();
    expect(written).toHaveLength(0);
    checkpointer.restart(7);
    expect(checkpointer.durableIndex).toBe(7);
    // … and while it is written it is waited for, and no other one begins.
    apply((rig) => rig.lock(4, 'more'));
    checkpointer.takeNow(8, () => {});
    clock.turn();
    expect(written).toHaveLength(1);
    isIdle = false;
    checkpointer.hold(() => (isIdle = true));
    expect(isIdle).toBe(false);
    answer();
    expect(isIdle).toBe(true);
    clock.turn();
    expect(written).toHaveLength(1);
  });

  test('R-77 a failed write ends the node, and nothing is durable', () => {
    const { clock, checkpointer, waiting, durable, failed, apply } = setUp();
    apply((rig) => rig.open());
    checkpointer.takeNow(1, () => {});
    clock.turn();
    waiting[0]?.({ ok: false, exit: { exitCode: 85, message: 'broken', isDiskFull: false } });
    expect(failed.map(({ exitCode }) => exitCode)).toEqual([85]);
    expect(durable).toEqual([]);
    expect(checkpointer.durableIndex).toBe(0);
  });

  test('a stopped one begins nothing, and says so to whoever waits', () => {
    const { clock, checkpointer, written, apply } = setUp();
    const answers: boolean[] = [];
    checkpointer.start();
    apply((rig) => rig.open());
    checkpointer.takeNow(1, (isDurable) => answers.push(isDurable));
    checkpointer.stop();
    checkpointer.takeNow(1, (isDurable) => answers.push(isDurable));
    clock.advance(5 * SECOND_US);
    expect(answers).toEqual([false, false]);
    expect(written).toHaveLength(0);
    expect(clock.timerCount()).toBe(0);
  });
});
