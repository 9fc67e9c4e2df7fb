import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import { Applier } from '../../src/node/applier.ts';
import { LockState } from '../../src/node/lock-state.ts';
import type { HostReply } from '../../src/node/host-types.ts';
import { News } from '../../src/node/news.ts';
import { Office } from '../../src/node/office.ts';
import { Proposals } from '../../src/node/proposals.ts';
import { Reads } from '../../src/node/reads.ts';
import { WatchLog } from '../../src/node/watch-log.ts';
import { Watches } from '../../src/node/watches.ts';
import type { Entry } from '../../src/raft/entry.ts';
import { encodeBody, encodePayload } from '../../src/wire/command.ts';
import { ManualClock } from './manual-clock.ts';

/** An applier whose checkpoints let `room` entries through, until `room` is raised. */
function setUp(hashEvery = 1_000_000) {
  const clock = new ManualClock();
  const state = new LockState(createLockMachine(DEFAULT_LIMITS), 0);
  const soon = (callback: () => void): void => clock.soon(callback);
  const reads = new Reads({ ask: () => {}, soon });
  const office = new Office({ clock, stallUs: 1, reads, machine: state, propose: () => 0 });
  const watches = new Watches({
    log: new WatchLog(0),
    soon,
    appliedIndex: () => state.appliedIndex,
    confirm: () => {},
  });
  const proposals = new Proposals({
    clock,
    propose: (list) => ({ term: 1, firstIndex: 1, accepted: list.length, refusal: null }),
  });
  const applied: number[] = [];
  const hashes: (readonly [number, string])[] = [];
  const gate = { room: Infinity, looks: 0 };
  const applier = new Applier({
    ...{ state, office, proposals, watches, hashEvery },
    news: new News(),
    watch: undefined,
    checkpointer: {
      look: () => gate.looks++,
      mustPause: () => gate.room-- <= 0,
    },
    soon,
    onStateHash: (index, hash) => hashes.push([index, hash]),
    onApplied: (index) => applied.push(index),
  });
  return { clock, state, proposals, applied, hashes, gate, applier };
}

function payloadOf(at: number): Uint8Array {
  const nonce = `${at}`.padStart(16, 'n');
  const body = { op: 'openSession', nonce, ttlMs: 60_000, lockDelayMs: 0, name: '', meta: '' };
  return encodePayload(encodeBody({ ...body, op: 'openSession' }), { ackedBelow: 0, stampMs: 0 });
}

function entries(from: number, to: number): Entry[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({
    index: from + at,
    term: 1,
    prevTerm: 1,
    type: 'command',
    payload: payloadOf(from + at),
    config: null,
    record: null,
  }));
}

describe('the applier', () => {
  test('applies a page at once and tells how far it is', () => {
    const { applier, applied, state } = setUp();
    applier.apply(entries(1, 5));
    expect(applied).toEqual([5]);
    expect(state.machine.sessionCount()).toBe(5);
  });

  test('holds the rest of a page back while it must, and goes on in order', () => {
    const { applier, applied, state, gate } = setUp();
    gate.room = 2;
    applier.apply(entries(1, 5));
    expect(applied).toEqual([2]);
    gate.room = 0;
    applier.resume();
    expect(applied).toEqual([2]);
    gate.room = 2;
    applier.resume();
    gate.room = Infinity;
    applier.resume();
    applier.resume();
    expect(applied).toEqual([2, 4, 5]);
    expect(state.machine.sessionCount()).toBe(5);
  });

  test('lets other work pass after a thousand entries, and goes on in order', () => {
    const { applier, applied, state, clock } = setUp();
    const soon: number[] = [];
    applier.apply(entries(1, 1_000));
    clock.soon(() => soon.push(state.appliedIndex));
    applier.apply(entries(1_001, 3_000));
    expect(applied).toEqual([1_000, 1_024]);
    clock.turn();
    expect(soon).toEqual([1_024]);
    expect(applied).toEqual([1_000, 1_024, 2_048, 3_000]);
    applier.resume();
    expect(applied).toHaveLength(4);
  });

  test('an entry that waits is not answered before its turn', () => {
    const { applier, clock, gate, proposals } = setUp();
    const replies: HostReply[] = [];
    for (let at = 1; at <= 3; at++) {
      const request = { body: payloadOf(at), ackedBelow: 0 };
      proposals.submit(request, (reply) => replies.push(reply));
    }
    clock.turn();
    gate.room = 1;
    applier.apply(entries(1, 3));
    expect(replies.map(({ revision }) => revision)).toEqual([1]);
    gate.room = Infinity;
    applier.resume();
    expect(replies.map(({ revision }) => revision)).toEqual([1, 2, 3]);
  });

  test('INV-5 tells the state hash at every entry of which all nodes tell it', () => {
    const left = setUp(3);
    const right = setUp(3);
    left.applier.apply(entries(1, 7));
    for (let at = 1; at <= 7; at++) right.applier.apply(entries(at, at));
    expect(left.hashes.map(([index]) => index)).toEqual([3, 6]);
    expect(right.hashes).toEqual(left.hashes);
    expect(new Set(left.hashes.map(([, hash]) => hash)).size).toBe(2);
  });

  test('INV-9 never skips an entry, and applies none twice', () => {
    const { applier } = setUp();
    applier.apply(entries(1, 2));
    expect(() => applier.apply(entries(4, 4))).toThrow('INV-9');
    expect(() => applier.apply(entries(2, 2))).toThrow('INV-9');
  });
});

describe('the lock state', () => {
  test('R-60 a replacement is met by all who ask, and never takes the state back', () => {
    const { applier, state } = setUp();
    applier.apply(entries(1, 3));
    const other = createLockMachine(DEFAULT_LIMITS);
    expect(() => state.replace(other, 3)).toThrow('INV-9');
    state.replace(other, 8);
    expect(state.machine.sessionCount()).toBe(0);
    expect(state.appliedIndex).toBe(8);
    applier.apply(entries(9, 9));
    expect(other.sessionCount()).toBe(1);
  });
});
