// A restored cluster grants nothing until its embargo is lifted (RAFT.md §13, §15.7).

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { embargoMsOf } from '../../src/locks/embargo.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import { keepChanges, loaded, rowsIn, sortedRows } from './loading-rig.ts';
import { Model } from './model.ts';
import { placesOf, placesOfModel, verdictOf } from './model-rig.ts';
import { LIMITS, NAMES, TERM, drafts, resolve } from './random-log.ts';
import { Rig, expectRefused, permits, shared } from './rig.ts';

const EMBARGO_MS = 606_000;

describe('a restored state', () => {
  test('R-62 keeps sessions without TTL with their grants, waiters and answers, and no others', () => {
    const rig = new Rig();
    const [kept, gone] = [rig.open({ ttlMs: null }), rig.open()];
    const token = rig.take(kept, 'a');
    rig.take(gone, 'b');
    rig.acquire(gone, 'a');
    rig.acquire(kept, 'b');
    expectRefused(rig.acquire(kept, '..'), 'INVALID', /cannot be a name/);
    const refusedAt = rig.index;
    rig.restore(EMBARGO_MS);
    expect(rig.machine.sessions(0, 10).map(({ session }) => session)).toEqual([kept.id]);
    expect(rig.tokens('a')).toEqual([token]);
    expect(rig.holders('b')).toEqual([]);
    expect(rig.waiters('a')).toEqual([]);
    expect(rig.waiters('b')).toEqual([kept.id]);
    expectRefused(rig.repeat(refusedAt), 'INVALID', /cannot be a name/);
    expect(rig.machine.embargo()).toEqual({ embargoMs: EMBARGO_MS, cursor: null });
  });

  test('keeps locks closed that were held with a lock-delay, all for the longest of them', () => {
    const rig = new Rig();
    const [short, long] = [rig.open({ lockDelayMs: 100 }), rig.open({ lockDelayMs: 5_000 })];
    rig.take(short, [], shared('a'));
    rig.take(long, [], shared('a'));
    rig.take(short, [], { items: [permits('s', 2, 3)] });
    rig.restore(0);
    const closedAt = rig.index;
    const { ghosts } = rig.machine.inspect('a');
    expect(ghosts.map(({ session }) => session)).toEqual([short.id, long.id]);
    expect(ghosts).toMatchObject([
      { acquireSeq: 1, closedAt, lockDelayMs: 5_000 },
      { acquireSeq: 1, closedAt, lockDelayMs: 5_000 },
    ]);
    expect(rig.machine.inspect('s').ghosts).toMatchObject([{ slots: [0, 1] }]);
    rig.lift('a', closedAt);
    expect(rig.machine.inspect('a').ghosts).toEqual([]);
  });

  test('is the same from its rows, for whoever loads it', () => {
    const rig = new Rig();
    const gone = rig.open({ lockDelayMs: 100 });
    rig.take(gone, ['a', 'b/c']);
    rig.acquire(rig.open({ ttlMs: null }), 'a');
    rig.restore(EMBARGO_MS);
    const twin = loaded(sortedRows(rig.machine), DEFAULT_LIMITS);
    twin.checkInvariants();
    expect(twin.embargo()).toEqual(rig.machine.embargo());
    expect(twin.stateHash()).toBe(rig.machine.stateHash());
  });
});

describe('without an embargo', () => {
  test('a restored state grants at once, to who waits and to who does not', () => {
    const rig = new Rig();
    const [kept, gone] = [rig.open({ ttlMs: null }), rig.open()];
    rig.take(gone, 'a');
    rig.acquire(gone, 'b');
    rig.take(kept, 'c');
    rig.acquire(kept, ['a', 'b']);
    rig.acquire(kept, 'c');
    rig.restore(0);
    expect(rig.machine.embargo()).toBeNull();
    expect([rig.tokens('a'), rig.tokens('b')]).toEqual([[rig.index], [rig.index]]);
    expect(rig.waiters('c')).toEqual([kept.id]);
    rig.take(rig.open(), 'free', { waitMs: 0 });
    const twin = loaded(sortedRows(rig.machine), DEFAULT_LIMITS);
    expect(twin.stateHash()).toBe(rig.machine.stateHash());
  });

  test('a restore of a state under embargo ends that one', () => {
    const rig = new Rig();
    rig.restore(EMBARGO_MS);
    const client = rig.open({ ttlMs: null });
    rig.acquire(client, 'a');
    rig.restore(0);
    expect(rig.machine.embargo()).toBeNull();
    expect(rig.holders('a')).toEqual([client.id]);
  });
});

describe('under an embargo', () => {
  test('nothing is granted: who waits is queued, who does not is told why, never "busy"', () => {
    const rig = new Rig();
    const kept = rig.open({ ttlMs: null });
    rig.take(kept, 'held');
    rig.restore(EMBARGO_MS);
    const client = rig.open();
    for (const name of ['free', 'held']) {
      const refusal = rig.acquire(client, name, { waitMs: 0 });
      expectRefused(refusal, 'EMBARGO', /counts 606000 ms/);
      expect(rig.events).toEqual([]);
    }
    expect(rig.repeat(rig.index).code).toBe('EMBARGO');
    expect(rig.acquire(client, 'free')).toEqual({ code: 'QUEUED', ahead: 0 });
    rig.breakLock('held', 2);
    expect(rig.acquire(client, 'held')).toEqual({ code: 'QUEUED', ahead: 0 });
    expect(rig.holders('free')).toEqual([]);
  });

  test('a refusal is the answer of its request for ever: its duplicate does not lock later', () => {
    const rig = new Rig();
    rig.restore(EMBARGO_MS);
    const client = rig.open();
    rig.acquire(client, 'a', { waitMs: 0 });
    const refusedAt = rig.index;
    rig.liftAll();
    expect(rig.repeat(refusedAt).code).toBe('EMBARGO');
    expect(rig.machine.lockCount()).toBe(0);
    rig.take(client, 'a', { waitMs: 0 });
  });

  test('a release, a cancel, a withdrawal and a lift of a delay let nobody in', () => {
    const rig = new Rig();
    const [kept, gone] = [rig.open({ ttlMs: null }), rig.open({ lockDelayMs: 50 })];
    const token = rig.take(kept, 'a');
    rig.take(gone, 'b');
    rig.restore(EMBARGO_MS);
    const closedAt = rig.index;
    const [first, next] = [rig.open(), rig.open()];
    rig.acquire(first, ['a', 'b']);
    rig.acquire(next, ['a', 'b']);
    rig.release(kept, 'a', token);
    rig.lift('b', closedAt);
    rig.cancel(first, 1);
    rig.withdraw(first, 1);
    expect(rig.waiters('a')).toEqual([next.id]);
    rig.liftAll();
    expect(rig.holders('a')).toEqual([next.id]);
  });
});

describe('lifting an embargo', () => {
  test('grants in the order of the queues, with the index of the lifting entry', () => {
    const rig = new Rig();
    rig.restore(EMBARGO_MS);
    const [one, two] = [rig.open(), rig.open()];
    rig.acquire(one, 'a', shared('a'));
    rig.acquire(two, 'a', shared('a'));
    rig.acquire(two, 'b');
    rig.liftAll();
    expect(rig.tokens('a')).toEqual([rig.index, rig.index]);
    expect(rig.tokens('b')).toEqual([rig.index]);
    expect(rig.machine.embargo()).toBeNull();
    expect([...rig.machine.rows()].every(({ key }) => key.startsWith('s/'))).toBe(true);
  });

  test('goes by parts: what a part let pass is open, the rest is not, nobody is forgotten', () => {
    const rig = new Rig({ holdingsPerSessionMax: 2 });
    rig.restore(EMBARGO_MS);
    const clients = ['d', 'c', 'b', 'a'].map((name) => {
      const client = rig.open();
      rig.acquire(client, name);
      return client;
    });
    const [both = rig.open(), late = rig.open()] = [rig.open(), rig.open()];
    rig.acquire(both, ['a', 'd']);
    rig.liftEmbargo(null);
    expect(rig.machine.embargo()).toEqual({ embargoMs: EMBARGO_MS, cursor: 'a' });
    expect(['a', 'b'].map((name) => rig.holders(name).length)).toEqual([1, 0]);
    expectRefused(rig.acquire(late, 'b', { waitMs: 0 }), 'EMBARGO', /nothing is granted yet/);
    expect(rig.acquire(late, 'Z', { waitMs: 0 }).code).toBe('GRANTED');
    const token = rig.tokens('a')[0] ?? 0;
    rig.release(clients[3] ?? both, 'a', token);
    expect(rig.waiters('a')).toEqual([both.id]);
    rig.liftEmbargo(null);
    expect(rig.machine.embargo()?.cursor).toBe('a');
    rig.liftEmbargo('a');
    expect(rig.machine.embargo()?.cursor).toBe('c');
    rig.liftEmbargo('c');
    expect(rig.machine.embargo()).toBeNull();
    const last = rig.tokens('d')[0] ?? 0;
    rig.release(clients[0] ?? both, 'd', last);
    expect(rig.holders('a')).toEqual([both.id]);
    expect(rig.holders('d')).toEqual([both.id]);
  });

  test('grants who wants several names when the last of them is open, and not before', () => {
    const rig = new Rig({ holdingsPerSessionMax: 2 });
    rig.restore(EMBARGO_MS);
    const [both, ...others] = [rig.open(), rig.open(), rig.open()];
    rig.acquire(both, ['a', 'z']);
    for (const [at, other] of others.entries()) rig.acquire(other, ['b', 'c'][at] ?? '');
    rig.liftEmbargo(null);
    expect(rig.machine.embargo()?.cursor).toBe('b');
    expect([rig.waiters('a'), rig.waiters('z')]).toEqual([[both.id], [both.id]]);
    rig.liftEmbargo('b');
    expect(rig.tokens('a')).toEqual([rig.index]);
    expect(rig.tokens('z')).toEqual([rig.index]);
  });

  test('is nothing for an entry of another term, of another cursor, or without an embargo', () => {
    const rig = new Rig();
    const before = rig.machine.stateHash();
    rig.liftEmbargo(null);
    expect(rig.machine.stateHash()).toBe(before);
    rig.restore(EMBARGO_MS);
    rig.acquire(rig.open(), 'a');
    rig.liftEmbargo(null, 2);
    rig.liftEmbargo('a');
    expect(rig.machine.embargo()).toEqual({ embargoMs: EMBARGO_MS, cursor: null });
    expect(rig.holders('a')).toEqual([]);
  });
});

test('M-37 INV-5 INV-16 INV-19 any log goes on after a restore as the plain model says', () => {
  fc.assert(
    fc.property(drafts, fc.nat(40), fc.nat(12), fc.nat(1), (list, at, toLoad, isLong) => {
      let machine = createLockMachine(LIMITS);
      const model = new Model(LIMITS);
      const kept = new Map();
      const log: Command[] = [];
      let index = 0;
      for (const [done, draft] of list.entries()) {
        if (done === at) {
          machine.becomeRestored(++index, isLong * EMBARGO_MS);
          model.becomeRestored(index, isLong * EMBARGO_MS);
        }
        keepChanges(machine, kept);
        if (done === at + toLoad) machine = loaded(rowsIn(kept), LIMITS);
        const command = resolve(draft, machine, log, TERM);
        log.push(command);
        const { outcome } = machine.apply(++index, TERM, command);
        expect(verdictOf(outcome)).toEqual(model.apply(index, TERM, command));
        machine.checkInvariants();
        expect(machine.embargo()?.cursor).toBe(model.embargo?.cursor);
        for (const name of NAMES) {
          expect(placesOf(machine, name)).toEqual(placesOfModel(model, name));
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('an embargo lasts for the longest TTL ever and 1 %, less what the old cluster is dead', () => {
  const rig = new Rig();
  expect(embargoMsOf(rig.machine, 0)).toBe(606_000);
  rig.setLimits({ ttlMsMax: 1_000_001 });
  rig.setLimits({ ttlMsMax: 10_000 });
  expect(embargoMsOf(rig.machine, 0)).toBe(1_010_002);
  expect(embargoMsOf(rig.machine, 10_002)).toBe(1_000_000);
  expect(embargoMsOf(rig.machine, 2_000_000)).toBe(0);
  expect(embargoMsOf(rig.machine, 0, 2_000_000)).toBe(2_020_000);
  const twin = loaded(sortedRows(rig.machine), DEFAULT_LIMITS);
  expect(embargoMsOf(twin, 0)).toBe(1_010_002);
});

test('J2 INV-17 a backup that was taken under an embargo makes one that is as long at least', () => {
  const rig = new Rig({ ttlMsMax: 10_000 });
  rig.restore(embargoMsOf(rig.machine, 0, 3_600_000));
  const twin = loaded(sortedRows(rig.machine), { ...DEFAULT_LIMITS, ttlMsMax: 10_000 });
  for (const machine of [rig.machine, twin]) {
    expect(embargoMsOf(machine, 0)).toBe(3_636_000);
    expect(embargoMsOf(machine, 36_000)).toBe(3_600_000);
    expect(embargoMsOf(machine, 0, 7_200_000)).toBe(7_272_000);
  }
  rig.liftAll();
  expect(embargoMsOf(rig.machine, 0)).toBe(10_100);
});
