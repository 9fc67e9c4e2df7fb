// Checkpoints that come from elsewhere: received beside the state in force, then in force at once,
// or not at all (RAFT.md §9), and blank nodes that join by one (§15.6).

import { describe, expect, test } from 'vitest';
import { present } from '../../src/base/assert.ts';
import type { Checkpoint } from '../../src/wire/checkpoint.ts';
import { decodeSlot } from '../../src/wire/slots.ts';
import type {
  IncomingCheckpoint,
  NodeStorage,
  Recovered,
  StorageResult,
} from '../../src/node/storage/types.ts';
import { crashDuring, crashPoints, writesOf } from './crash-points.ts';
import type { Story } from './crash-points.ts';
import { append, changesOf, checkpointAt, FOUNDING, Rig, rowsOf, termsOf, valueOf } from './rig.ts';

const OLD = { a: 'old', b: 'old' };
const NEW = { a: 'new', c: 'new' };

/** A node with a checkpoint at 5, its log at 30: entries 1-10 of term 1, 11-30 of term 2. */
function withOldState(): { readonly rig: Rig; readonly storage: NodeStorage } {
  const rig = new Rig();
  const storage = rig.founded(4);
  for (const first of [1, 6])
    rig.persist(storage, append(first, [1, 1, 1, 1, 1], first === 1 ? 0 : 1));
  for (const first of [11, 16, 21, 26]) {
    rig.persist(storage, append(first, [2, 2, 2, 2, 2], first === 11 ? 1 : 2));
  }
  rig.checkpoint(storage, { checkpoint: checkpointAt(5, 1), rows: changesOf(OLD), compactTo: 5 });
  return { rig, storage };
}

function raiseFloor(rig: Rig, storage: NodeStorage, index: number, term: number): void {
  valueOf(rig.done((done) => storage.raiseFloor({ index, term }, done)));
}

function received(rig: Rig, storage: NodeStorage, checkpoint: Checkpoint): IncomingCheckpoint {
  const incoming = storage.receive(checkpoint);
  for (const row of rowsOf(NEW)) valueOf(rig.done((done) => incoming.add([row], done)));
  return incoming;
}

function reopened(rig: Rig): { readonly recovered: Recovered; readonly storage: NodeStorage } {
  rig.disk.crash();
  const storage = rig.boot();
  return { recovered: valueOf(rig.open(storage)), storage };
}

function stateKeys(rig: Rig): readonly string[] {
  return rig.disk.store.keys().filter((key) => key.startsWith('r/'));
}

describe('an install', () => {
  test('R-57 drops a conflicting log whole, also what lies above the checkpoint', () => {
    const { rig, storage } = withOldState();
    const incoming = received(rig, storage, checkpointAt(20, 4));
    valueOf(rig.done((done) => incoming.install(false, done)));
    rig.persist(storage, append(21, [4], 4));
    const { recovered, storage: later } = reopened(rig);
    expect(recovered.checkpoint).toEqual(checkpointAt(20, 4));
    expect(recovered.raft).toMatchObject({ anchor: { index: 20, term: 4 }, applied: 20 });
    expect(termsOf(present(recovered.raft, 'a founded node'))).toEqual([4]);
    expect(valueOf(rig.rows(later))).toEqual(NEW);
  });

  test('R-57 is the state before or the one after, wherever a crash cuts it off', () => {
    const story: Story = [
      (storage, answered) => storage.receive(checkpointAt(20, 4)).install(false, answered),
    ];
    const prepare = (): { rig: Rig; storage: NodeStorage } => {
      const { rig, storage } = withOldState();
      raiseFloor(rig, storage, 25, 2);
      return { rig, storage };
    };
    const writes = writesOf(prepare, story);
    expect(writes).toBe(3);
    const ends = new Set<string>();
    for (const point of crashPoints(writes)) {
      const { rig, storage } = prepare();
      const answered = crashDuring(rig, storage, story, point);
      const { recovered, storage: later } = reopened(rig);
      const raft = present(recovered.raft, 'a founded node');
      const isInForce = recovered.checkpoint?.point.last.index === 20;
      if (answered === 1) expect(isInForce).toBe(true);
      expect(raft.lastIndex).toBe(isInForce ? 20 : 30);
      expect(termsOf(raft).filter((term) => term === 2).length).toBe(isInForce ? 0 : 20);
      expect(valueOf(rig.rows(later))).toEqual(isInForce ? {} : OLD);
      ends.add(isInForce ? 'new' : 'old');
    }
    expect([...ends].sort((left, right) => (left < right ? -1 : 1))).toEqual(['new', 'old']);
  });

  test('keeps the log behind it when that agrees, and its floor', () => {
    const { rig, storage } = withOldState();
    raiseFloor(rig, storage, 28, 2);
    const incoming = received(rig, storage, checkpointAt(18, 2));
    valueOf(rig.done((done) => incoming.install(true, done)));
    const { recovered, storage: later } = reopened(rig);
    expect(recovered.raft).toMatchObject({ anchor: { index: 18, term: 2 }, lastIndex: 30 });
    expect(recovered.slots.durableFloor).toEqual({ index: 28, term: 2 });
    expect(valueOf(rig.rows(later))).toEqual(NEW);
    rig.checkpoint(later, { checkpoint: checkpointAt(30, 2), rows: [], compactTo: 30 });
    expect(rig.recover()).toMatchObject({ anchor: { index: 30, term: 2 }, tail: [] });
  });

  test('entries of the dropped log are not given out any more', () => {
    const { rig, storage } = withOldState();
    const incoming = received(rig, storage, checkpointAt(20, 4));
    let loaded: readonly unknown[] | null = null;
    incoming.install(false, () => {
      storage.load(12, 1_000, (result) => (loaded = valueOf(result)));
    });
    rig.settle();
    expect(loaded).toEqual([]);
  });

  test('R-61 shares no row with an unfinished one that the start still sweeps', () => {
    const { rig, storage } = withOldState();
    const unfinished = storage.receive(checkpointAt(20, 4));
    valueOf(rig.done((done) => unfinished.add(rowsOf({ left: 'over' }), done)));
    rig.disk.crash();
    const later = rig.boot();
    const begun: IncomingCheckpoint[] = [];
    later.open(() => {
      const incoming = later.receive(checkpointAt(20, 4));
      incoming.add(rowsOf(NEW), () => {});
      begun.push(incoming);
    });
    rig.settle();
    const incoming = present(begun[0], 'one that was begun');
    valueOf(rig.done((done) => incoming.install(false, done)));
    expect(valueOf(rig.rows(later))).toEqual(NEW);
  });

  test('R-61 an unfinished one leaves the old state, and is swept by the next start', () => {
    const { rig, storage } = withOldState();
    received(rig, storage, checkpointAt(20, 4));
    expect(stateKeys(rig).length).toBe(4);
    const { recovered, storage: later } = reopened(rig);
    expect(recovered.checkpoint).toEqual(checkpointAt(5, 1));
    expect(valueOf(rig.rows(later))).toEqual(OLD);
    expect(stateKeys(rig).length).toBe(2);
  });

  test('R-61 a discarded one is swept, and the next one does not see its rows', () => {
    const { rig, storage } = withOldState();
    received(rig, storage, checkpointAt(20, 4));
    const next = storage.receive(checkpointAt(25, 4));
    valueOf(rig.done((done) => next.add(rowsOf({ d: 'next' }), done)));
    valueOf(rig.done((done) => next.install(false, done)));
    expect(valueOf(rig.rows(storage))).toEqual({ d: 'next' });
    rig.settle();
    expect(stateKeys(rig)).toEqual([expect.stringMatching(/^r.*d$/)]);
    expect(valueOf(rig.rows(reopened(rig).storage))).toEqual({ d: 'next' });
  });

  test('two in a row end at the second', () => {
    const { rig, storage } = withOldState();
    for (const index of [20, 40]) {
      const incoming = received(rig, storage, checkpointAt(index, 4));
      valueOf(rig.done((done) => incoming.install(false, done)));
    }
    const { recovered, storage: later } = reopened(rig);
    expect(recovered.raft).toMatchObject({ anchor: { index: 40, term: 4 }, applied: 40 });
    expect(valueOf(rig.rows(later))).toEqual(NEW);
  });

  test('rows of the state in force stay readable in a view that was opened before', () => {
    const { rig, storage } = withOldState();
    const view = valueOf(rig.view(storage));
    const incoming = received(rig, storage, checkpointAt(20, 4));
    valueOf(rig.done((done) => incoming.install(false, done)));
    rig.settle();
    expect(view.checkpoint).toEqual(checkpointAt(5, 1));
    expect(valueOf(rig.rows(view))).toEqual(OLD);
    view.close();
  });
});

describe('a blank node', () => {
  const restored = { index: 70, term: 3, embargoMs: 1_000, rowSum: 'sum' };
  const founding = { ...FOUNDING, origin: 9, restored };

  function blank(): { readonly rig: Rig; readonly storage: NodeStorage } {
    const rig = new Rig();
    const storage = rig.boot();
    valueOf(rig.open(storage));
    return { rig, storage };
  }

  function adopt(
    storage: NodeStorage,
    incoming: IncomingCheckpoint,
    done: (result: StorageResult<Recovered>) => void,
  ): void {
    storage.adopt(incoming, { founding, term: 6 }, done);
  }

  test('joins by a checkpoint, and goes on like any other', () => {
    const { rig, storage } = blank();
    const incoming = received(rig, storage, checkpointAt(100, 5));
    const recovered = valueOf(
      rig.ask<StorageResult<Recovered>>((done) => adopt(storage, incoming, done)),
    );
    expect(recovered).toMatchObject({
      founding,
      checkpoint: checkpointAt(100, 5),
      slots: { clusterId: founding.clusterId, term: 6, durableFloor: { index: 100, term: 5 } },
      raft: { anchor: { index: 100, term: 5 }, applied: 100, lastIndex: 100, term: 6, tail: [] },
    });
    expect(valueOf(rig.rows(storage))).toEqual(NEW);
    rig.persist(storage, append(101, [6], 5));
    const { recovered: again, storage: later } = reopened(rig);
    expect(again.raft).toMatchObject({ lastIndex: 101, applied: 100 });
    expect(valueOf(rig.rows(later))).toEqual(NEW);
  });

  test('is blank or a member, wherever a crash cuts it off, and can join again', () => {
    const prepare = (): { rig: Rig; storage: NodeStorage } => blank();
    const story: Story = [
      (storage, answered) => {
        const incoming = storage.receive(checkpointAt(100, 5));
        incoming.add(rowsOf(NEW), () => adopt(storage, incoming, () => answered()));
      },
    ];
    const writes = writesOf(prepare, story);
    expect(writes).toBe(4);
    for (const point of crashPoints(writes)) {
      const { rig, storage } = prepare();
      const answered = crashDuring(rig, storage, story, point);
      const { recovered, storage: later } = reopened(rig);
      if (answered === 1) expect(recovered.founding).toEqual(founding);
      if (recovered.founding !== null) {
        expect(valueOf(rig.rows(later))).toEqual(NEW);
        continue;
      }
      expect(stateKeys(rig)).toEqual([]);
      const incoming = later.receive(checkpointAt(200, 6));
      valueOf(rig.done((done) => incoming.add(rowsOf({ z: 'again' }), done)));
      valueOf(rig.ask<StorageResult<Recovered>>((done) => adopt(later, incoming, done)));
      const last = reopened(rig);
      expect(last.recovered.checkpoint).toEqual(checkpointAt(200, 6));
      expect(valueOf(rig.rows(last.storage))).toEqual({ z: 'again' });
    }
  });

  test('that was sent rows and is then founded begins empty', () => {
    const { rig, storage } = blank();
    received(rig, storage, checkpointAt(100, 5)).discard();
    valueOf(rig.found(storage));
    expect(valueOf(rig.rows(storage))).toEqual({});
    rig.disk.crash();
    const next = blankAgain(rig);
    received(rig, next, checkpointAt(100, 5));
  });

  function blankAgain(rig: Rig): NodeStorage {
    const storage = rig.boot();
    valueOf(rig.open(storage));
    expect(decodeSlot(present(rig.disk.slots[0].read(), 'a slot')).formatVersion).toBe(2);
    return storage;
  }
});
