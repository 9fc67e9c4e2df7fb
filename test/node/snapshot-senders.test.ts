import { describe, expect, test } from 'vitest';
import { DEFAULT_CHECKPOINTS } from '../../src/node/checkpoint-settings.ts';
import { SnapshotSenders } from '../../src/node/snapshot-senders.ts';
import type { CheckpointView, StorageResult } from '../../src/node/storage/types.ts';
import { machineWith, pointAt, viewOf } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';

/** Senders over views of one state, whose checkpoints name those that `named` has. */
function setUp() {
  const clock = new ManualClock();
  const rig = machineWith(3);
  const views: (CheckpointView & { isClosed: boolean })[] = [];
  const wishes: { index: number; done: (isDurable: boolean) => void }[] = [];
  const sent: string[] = [];
  const aborted: string[] = [];
  const named = { ids: ['n2', 'n3'] };
  const senders = new SnapshotSenders({
    storage: {
      view: (done: (result: StorageResult<CheckpointView>) => void) => {
        const view = viewOf(rig, clock);
        const learners = named.ids.map((nodeId) => ({ nodeId, storeId: nodeId, address: '' }));
        const point = pointAt(rig.index);
        const config = { ...point.config, voters: [], learners };
        const checkpoint = { ...view.checkpoint, point: { ...point, config } };
        const held = { ...view, checkpoint, close: () => void (held.isClosed = true) };
        views.push(held);
        clock.soon(() => done({ ok: true, value: held }));
      },
    },
    checkpointer: {
      durableIndex: 2,
      takeNow: (index, done) => void wishes.push({ index, done }),
    },
    clock,
    settings: DEFAULT_CHECKPOINTS,
    electionMs: 500,
    configIndex: () => 77,
    send: (to, { sequence }) => sent.push(`${to} ${sequence}`),
    onAborted: (to, transfer) => aborted.push(`${to} ${transfer}`),
    onFailed: () => {},
  });
  return { clock, senders, views, wishes, sent, aborted, named, rig };
}

describe('the transfers of a leader', () => {
  test('pin the log from when they are asked for until they end', () => {
    const { clock, senders, views, sent, rig } = setUp();
    expect(senders.pinnedIndex).toBeNull();
    senders.begin('n2', 1);
    expect(senders.pinnedIndex).toBe(2);
    clock.turn();
    expect(senders.pinnedIndex).toBe(rig.index);
    expect(sent).toEqual(['n2 0', 'n2 1', 'n2 2']);
    senders.end('n2', 9);
    expect(senders.pinnedIndex).toBe(rig.index);
    senders.end('n2', 1);
    expect(senders.pinnedIndex).toBeNull();
    expect(views.map(({ isClosed }) => isClosed)).toEqual([true]);
  });

  test('one that ends before its checkpoint is held still leaves nothing open', () => {
    const { clock, senders, views, sent } = setUp();
    senders.begin('n2', 1);
    senders.begin('n2', 2);
    senders.end('n2', 2);
    clock.turn();
    expect(views.map(({ isClosed }) => isClosed)).toEqual([true, true]);
    expect(sent).toEqual([]);
  });

  test('a new member gets no checkpoint that is older than its own joining', () => {
    const { clock, senders, views, wishes, sent, named } = setUp();
    senders.begin('n4', 1);
    clock.turn();
    expect(sent).toEqual([]);
    expect(wishes.map(({ index }) => index)).toEqual([77]);
    expect(views.map(({ isClosed }) => isClosed)).toEqual([true]);
    named.ids.push('n4');
    wishes[0]?.done(true);
    clock.turn();
    expect(sent[0]).toBe('n4 0');
  });

  test('one whose receiver is in no configuration is given up', () => {
    const { clock, senders, wishes, sent, aborted } = setUp();
    senders.begin('n4', 1);
    clock.turn();
    wishes[0]?.done(true);
    clock.turn();
    expect(aborted).toEqual(['n4 1']);
    expect(sent).toEqual([]);
    expect(senders.pinnedIndex).toBeNull();
  });

  test('a silent receiver is given up, and the log is not pinned for it any more', () => {
    const { clock, senders, aborted } = setUp();
    senders.begin('n2', 1);
    clock.turn();
    for (let at = 0; at < 12; at++) clock.advance(500_000);
    expect(aborted).toEqual(['n2 1']);
    expect(senders.pinnedIndex).toBeNull();
  });
});
