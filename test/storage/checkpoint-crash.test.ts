// A crash at every point of the writes around checkpoints and compaction, the order of the batches,
// and directories of the first format.

import { describe, expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import type { CheckpointView, NodeStorage, StorageResult } from '../../src/node/storage/types.ts';
import { encodeMeta, encodeTail } from '../../src/node/storage/layout.ts';
import { decodeSlot, encodeSlot } from '../../src/wire/slots.ts';
import { crashDuring, crashPoints, writesOf } from './crash-points.ts';
import type { Story } from './crash-points.ts';
import {
  append,
  changesOf,
  checkpointAt,
  exitOf,
  replace,
  Rig,
  rowsOf,
  termsOf,
  valueOf,
} from './rig.ts';

/** The state at an entry, in this story: each checkpoint adds a row and changes another. */
function stateAt(index: number): Record<string, string> {
  const state: Record<string, string> = index === 0 ? {} : { last: `${index}` };
  for (const each of [3, 6, 9]) if (each <= index) state[`row ${each}`] = 'there';
  return state;
}

function checkpoint(index: number, compactTo: number): Story[number] {
  return (storage, answered) => {
    const rows = changesOf({ last: `${index}`, [`row ${index}`]: 'there' });
    storage.checkpoint({ checkpoint: checkpointAt(index, 1), rows, compactTo }, answered);
  };
}

function persist(first: number): Story[number] {
  const batch = append(first, [1, 1, 1], first === 1 ? 0 : 1);
  return (storage, answered) => storage.persist(batch, answered);
}

function withNineEntries(): { readonly rig: Rig; readonly storage: NodeStorage } {
  const rig = new Rig();
  const storage = rig.founded(2);
  for (const first of [1, 4, 7]) {
    rig.persist(storage, append(first, [1, 1, 1], first === 1 ? 0 : 1));
  }
  return { rig, storage };
}

function reopened(rig: Rig): NodeStorage {
  rig.disk.crash();
  const storage = rig.boot();
  valueOf(rig.open(storage));
  return storage;
}

describe('a crash', () => {
  test('J1 M-41 around checkpoints costs no answered entry, and no row of an answered state', () => {
    const story: Story = [
      persist(1),
      checkpoint(3, 2),
      persist(4),
      checkpoint(6, 6),
      persist(7),
      persist(10),
      checkpoint(9, 7),
    ];
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const rig = new Rig();
      return { rig, storage: rig.founded(2) };
    };
    const lastOf = [0, 3, 3, 6, 6, 9, 12, 12];
    const appliedOf = [0, 0, 3, 3, 6, 6, 6, 9];
    const writes = writesOf(prepare, story);
    expect(writes).toBe(story.length);
    for (const point of crashPoints(writes)) {
      const { rig, storage } = prepare();
      const answered = crashDuring(rig, storage, story, point);
      const { raft, checkpoint: found } = valueOf(rig.restart());
      const { anchor, applied, lastIndex } = present(raft, 'a founded node');
      expect(lastIndex).toBeGreaterThanOrEqual(present(lastOf[answered], 'a place'));
      expect(applied).toBeGreaterThanOrEqual(present(appliedOf[answered], 'a place'));
      expect(anchor.index).toBeLessThanOrEqual(applied);
      expect(found?.point.last.index).toBe(applied);
      expect(valueOf(rig.rows(reopened(rig)))).toEqual(stateAt(applied));
    }
  });

  test('while a checkpoint waits beside a cut finds a log as its tail row has it', () => {
    const story: Story = [
      (storage, answered) => {
        const incoming = storage.receive(checkpointAt(100, 2));
        incoming.add(rowsOf({ far: 'away' }), () => {});
        const delta = { checkpoint: checkpointAt(6, 1), rows: [], compactTo: 6 };
        storage.checkpoint(delta, () => answered());
        storage.persist(replace(8, [2], 1), () => {});
      },
    ];
    for (const point of crashPoints(writesOf(withNineEntries, story))) {
      const { rig, storage } = withNineEntries();
      crashDuring(rig, storage, story, point);
      const { lastIndex } = rig.recover();
      expect([8, 9]).toContain(lastIndex);
    }
  });
});

describe('the order of batches', () => {
  test('a checkpoint waits for the log, and no later log batch passes it', () => {
    const { rig, storage } = withNineEntries();
    const order: string[] = [];
    const delta = { checkpoint: checkpointAt(12, 1), rows: changesOf({ a: '1' }), compactTo: 9 };
    storage.checkpoint(delta, (result) => order.push(`checkpoint ${valueOf(result).anchor.index}`));
    rig.settle();
    expect(order).toEqual([]);
    storage.persist(append(10, [1, 1, 1], 1), () => {
      order.push('to 12');
      storage.persist(append(13, [1], 1), () => order.push('to 13'));
    });
    rig.settle();
    expect(order).toEqual(['to 12', 'checkpoint 9', 'to 13']);
    expect(rig.recover()).toMatchObject({ anchor: { index: 9 }, applied: 12, lastIndex: 13 });
  });

  test('N-44 a checkpoint waits for its entry, where the log on disk still holds another', () => {
    const { rig, storage } = withNineEntries();
    const order: string[] = [];
    const rows = changesOf({ a: '1' });
    storage.checkpoint({ checkpoint: checkpointAt(8, 2), rows, compactTo: null }, (result) => {
      valueOf(result);
      order.push('checkpoint');
    });
    rig.settle();
    expect(order).toEqual([]);
    storage.persist(replace(8, [2, 2], 1), () => order.push('the log'));
    rig.settle();
    expect(order).toEqual(['the log', 'checkpoint']);
    expect(rig.recover()).toMatchObject({ applied: 8, lastIndex: 9 });
  });

  test('M-81 there is never a second checkpoint before the first is durable', () => {
    const { storage } = withNineEntries();
    const delta = { checkpoint: checkpointAt(6, 1), rows: [], compactTo: null };
    storage.checkpoint(delta, () => {});
    expect(() => storage.checkpoint(delta, () => {})).toThrow(/one before is durable/);
  });

  test('a stop refuses a checkpoint whose log never came, and condemns nothing', () => {
    const { rig, storage } = withNineEntries();
    const delta = { checkpoint: checkpointAt(12, 1), rows: [], compactTo: null };
    const answers: string[] = [];
    storage.checkpoint(delta, (result) => answers.push(exitOf(result).message));
    rig.settle();
    storage.close(() => answers.push('closed'));
    rig.settle();
    expect(answers).toEqual([expect.stringMatching(/closed by its own process/), 'closed']);
    expect(rig.restart().ok).toBe(true);
  });

  test('R-77 a checkpoint that fails ends the storage and all that waits', () => {
    const { rig, storage } = withNineEntries();
    const codes: number[] = [];
    const note = (result: StorageResult<unknown>): unknown =>
      codes.push(result.ok ? 0 : result.exit.exitCode);
    rig.disk.fail({
      operation: 'batch',
      failure: { kind: 'io', message: 'Input/output error' },
      effect: 'lost',
    });
    storage.checkpoint({ checkpoint: checkpointAt(6, 1), rows: [], compactTo: 6 }, note);
    storage.persist(append(10, [1], 1), note);
    rig.settle();
    expect(codes).toEqual([85, 85]);
    expect(rig.disk.store.value('l/000000000000000a')).toBeNull();
    expect(exitOf(rig.restart()).message).toMatch(/failed earlier/);
  });
});

describe('views', () => {
  test('are a few at a time: one more waits until one is closed, or the storage is', () => {
    const { rig, storage } = withNineEntries();
    const open: CheckpointView[] = [];
    const refused: string[] = [];
    for (let count = 1; count <= 6; count++) {
      storage.view((result) => {
        if (result.ok) open.push(result.value);
        else refused.push(result.exit.message);
      });
    }
    rig.settle();
    expect(open.length).toBe(4);
    open[0]?.close();
    open[0]?.close();
    rig.settle();
    expect(open.length).toBe(5);
    storage.close(() => {});
    rig.settle();
    expect([open.length, refused.length]).toEqual([5, 1]);
    expect(refused[0]).toMatch(/closed by its own process/);
  });
});

describe('a start', () => {
  /** Nine entries, a checkpoint at 6. */
  function withCheckpoint(): Rig {
    const { rig, storage } = withNineEntries();
    const delta = { checkpoint: checkpointAt(6, 1), rows: changesOf({ a: '1' }), compactTo: 3 };
    rig.checkpoint(storage, delta);
    return rig;
  }

  test('83 a checkpoint of an entry that the log does not have', () => {
    for (const [index, term] of [
      [12, 1],
      [6, 2],
      [2, 1],
    ] as const) {
      const rig = withCheckpoint();
      const { storeId } = decodeSlot(present(rig.disk.slots[0].read(), 'a slot'));
      const meta = { generation: 1, checkpoint: checkpointAt(index, term) };
      const tail = { lastIndex: 9, lastTerm: 1, applied: index, storeId };
      rig.disk.store.overwrite('m/meta', encodeMeta(meta));
      rig.disk.store.overwrite('m/tail', encodeTail(tail));
      const exit = exitOf(rig.restart());
      expect([index, exit.exitCode]).toEqual([index, 83]);
      expect(exit.message).toMatch(/reaches from entry 3 of term 1 to entry 9 .*new node id/);
    }
  });

  test('83 a checkpoint other than the one that the last batch knew', () => {
    const rig = withCheckpoint();
    const meta = { generation: 1, checkpoint: checkpointAt(5, 1) };
    rig.disk.store.overwrite('m/meta', encodeMeta(meta));
    expect(exitOf(rig.restart()).message).toMatch(/checkpoint at entry 6, .* at entry 5/);
  });

  test('83 something under the rows that is none', () => {
    const rig = withCheckpoint();
    rig.disk.store.overwrite('r/what', Uint8Array.of(1));
    expect(exitOf(rig.restart())).toMatchObject({ exitCode: 83 });
  });

  test('M-79 83 a chunk behind the anchor is missing', () => {
    const rig = withCheckpoint();
    rig.disk.store.overwrite('l/0000000000000004', null);
    expect(exitOf(rig.restart()).message).toMatch(/after entry 3 comes entry 7/);
  });

  /** As the first format had it: no meta row, and slots that say so. */
  function ofFirstFormat(): Rig {
    const { rig } = withNineEntries();
    rig.disk.store.overwrite('m/meta', null);
    for (const place of [0, 1] as const) {
      const record = decodeSlot(present(rig.disk.slots[place].read(), 'a slot'));
      rig.disk.slots[place].overwrite(encodeSlot({ ...record, formatVersion: 1 }));
    }
    return rig;
  }

  test('reads a directory of the first format as one without a checkpoint, and upgrades it', () => {
    const start: Story = [(storage, answered) => storage.open(() => answered())];
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const rig = ofFirstFormat();
      rig.disk.crash();
      return { rig, storage: rig.boot() };
    };
    const writes = writesOf(prepare, start);
    expect(writes).toBe(3);
    for (const point of crashPoints(writes)) {
      const { rig, storage } = prepare();
      crashDuring(rig, storage, start, point);
      const { raft, checkpoint: found } = valueOf(rig.restart());
      expect(found).toEqual({ ...checkpointAt(0, 0), rowSum: '0000000000000000' });
      expect(termsOf(present(raft, 'a founded node'))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
      const later = reopened(rig);
      rig.checkpoint(later, { checkpoint: checkpointAt(9, 1), rows: [], compactTo: 9 });
      expect(rig.recover()).toMatchObject({ applied: 9, anchor: { index: 9 } });
      rig.disk.store.overwrite('m/meta', null);
      expect(exitOf(rig.restart()).exitCode).toBe(83);
    }
  });
});
