import { describe, expect, test } from 'vitest';
import { Rig, expectRefused, permits, shared } from './rig.ts';
import type { Client } from './rig.ts';

/** Takes permits of "s", a semaphore of 5, and expects these slots. */
function takeSlots(rig: Rig, client: Client, slots: readonly number[]): number {
  const items = [permits('s', slots.length, 5)];
  const outcome = rig.acquire(client, [], { items });
  expect(outcome).toEqual({ code: 'GRANTED', token: rig.index, slots: [slots] });
  return rig.index;
}

describe('a semaphore', () => {
  test('INV-15 gives permits while the sum stays within the total, then lets wait', () => {
    const rig = new Rig();
    const [one, two, three] = [rig.open(), rig.open(), rig.open()];
    takeSlots(rig, one, [0, 1]);
    takeSlots(rig, two, [2, 3]);
    const two_ = { items: [permits('s', 2, 5)] };
    const busy = rig.acquire(three, [], { ...two_, waitMs: 0 });
    const [first] = rig.machine.inspect('s').holders;
    expect(busy).toEqual({
      code: 'LOCK_BUSY',
      name: 's',
      holder: first,
      ghost: null,
      aheadIndex: 0,
    });
    expect(first).toMatchObject({ session: one.id, permits: [2, 5], slots: [0, 1] });
    expect(rig.acquire(three, [], two_)).toEqual({ code: 'QUEUED', ahead: 0 });
    expect(rig.machine.inspect('s').waiters).toMatchObject([{ permits: [2, 5] }]);
    rig.close(one);
    const slots = [[0, 1]];
    expect(rig.events.at(-1)).toMatchObject({ type: 'granted', session: three.id, slots });
  });

  test('INV-19 lets a small request wait behind a large one, though there is room for it', () => {
    const rig = new Rig();
    const [one, large, small] = [rig.open(), rig.open(), rig.open()];
    const token = takeSlots(rig, one, [0, 1]);
    rig.acquire(large, [], { items: [permits('s', 4, 5)] });
    rig.acquire(small, [], { items: [permits('s', 1, 5)] });
    expect(rig.waiters('s')).toEqual([large.id, small.id]);
    rig.release(one, 's', token);
    expect(rig.slots('s')).toEqual([[0, 1, 2, 3], [4]]);
    expect(rig.tokens('s')).toEqual([rig.index, rig.index]);
  });

  test('gives the lowest free slots, also out of several gaps, and takes all back', () => {
    const rig = new Rig();
    const [one, two, three, four] = [rig.open(), rig.open(), rig.open(), rig.open()];
    const [five, six] = [rig.open(), rig.open()];
    takeSlots(rig, one, [0]);
    takeSlots(rig, two, [1]);
    takeSlots(rig, three, [2]);
    takeSlots(rig, four, [3]);
    rig.close(one);
    rig.close(three);
    takeSlots(rig, five, [0, 2]);
    takeSlots(rig, six, [4]);
    for (const client of [two, four, five, six]) rig.close(client);
    expect(rig.machine.lockCount()).toBe(0);
    takeSlots(rig, rig.open(), [0, 1, 2, 3, 4]);
  });

  test('slots are in the row of the grant, so that they outlive a restart', () => {
    const rig = new Rig();
    const [one, two] = [rig.open(), rig.open()];
    const token = takeSlots(rig, one, [0]);
    takeSlots(rig, two, [1, 2]);
    rig.release(one, 's', token);
    const row = rig.machine.takeChanges().find(({ key }) => key.includes('/g/'));
    expect(row?.value).toMatchObject({
      5: [['s', 'exclusive', [2, 5]]],
      7: [[1, 2]],
    });
  });

  test('of one permit is not taken twice by one session either', () => {
    const rig = new Rig();
    const client = rig.open();
    rig.take(client, [], { items: [permits('s', 1, 1)] });
    expect(rig.acquire(client, [], { items: [permits('s', 1, 1)] }).code).toBe('QUEUED');
  });

  test('counts its permits in what a session may hold and wait for', () => {
    const rig = new Rig({ holdingsPerSessionMax: 6 });
    const client = rig.open();
    const token = rig.take(client, [], { items: [permits('s', 3, 4), ...shared('a').items] });
    expect(rig.machine.session(client.id)).toMatchObject({ held: 4, waiting: 0 });
    rig.acquire(client, [], { items: [permits('s', 2, 4)] });
    expect(rig.machine.session(client.id)).toMatchObject({ held: 4, waiting: 2 });
    const more = rig.acquire(client, 'b');
    expectRefused(more, 'INVALID', /permits \(it has 6, and asks for 1\)/);
    rig.release(client, 's', token);
    expect(rig.machine.session(client.id)).toMatchObject({ held: 2, waiting: 0 });
    const four = { items: [permits('t', 5, 5)] };
    expectRefused(rig.acquire(client, [], four), 'INVALID', /it has 2, and asks for 5/);
  });
});

describe('a name', () => {
  const asLock = { items: [permits('x', 1, 1)].map((item) => ({ ...item, permits: null })) };
  const asFour = { items: [permits('x', 1, 4)] };
  const asFive = { items: [permits('x', 1, 5)] };

  test('is what its holder asked for, and other requests are told what that is', () => {
    const rig = new Rig();
    const [one, two] = [rig.open(), rig.open()];
    rig.take(one, [], asFour);
    for (const waitMs of [0, null]) {
      const text = /"x" is a semaphore of 4 while .* \(asked for as a lock\)/;
      expectRefused(rig.acquire(two, [], { ...asLock, waitMs }), 'INVALID', text);
      const other = rig.acquire(two, [], { ...asFive, waitMs });
      expectRefused(
        other,
        'INVALID',
        /"x" is a semaphore of 4 .* \(asked for as a semaphore of 5\)/,
      );
    }
    rig.close(one);
    rig.take(two, [], asLock);
    expectRefused(rig.acquire(rig.open(), [], asFour), 'INVALID', /"x" is a lock while/);
  });

  test('is what its waiters asked for when nobody holds it', () => {
    const rig = new Rig();
    const [one, both] = [rig.open(), rig.open()];
    rig.take(one, 'a');
    rig.acquire(both, [], { items: [...asFour.items, { ...permits('a', 1, 1), permits: null }] });
    expect(rig.holders('x')).toEqual([]);
    const problem = rig.acquire(rig.open(), [], { ...asFive, waitMs: 0 });
    expectRefused(problem, 'INVALID', /"x" is a semaphore of 4/);
    rig.close(both);
    rig.take(rig.open(), [], asFive);
  });

  test('of several is refused as of another kind, though another of them is busy', () => {
    const rig = new Rig();
    rig.take(rig.open(), 'a');
    rig.take(rig.open(), [], asFour);
    const items = [...shared('a').items, ...asFive.items];
    expectRefused(
      rig.acquire(rig.open(), [], { items, waitMs: 0 }),
      'INVALID',
      /"x" is a semaphore/,
    );
    expect(rig.acquire(rig.open(), 'a', { waitMs: 0 }).code).toBe('LOCK_BUSY');
    expect(rig.waiters('a')).toEqual([]);
  });

  test('a request for names of all kinds is granted whole, in the order it gave', () => {
    const rig = new Rig();
    const [other, client] = [rig.open(), rig.open()];
    rig.take(other, [], { items: [permits('s', 1, 5)] });
    const items = [...shared('r').items, permits('s', 2, 5), ...asLock.items, permits('t', 1, 2)];
    const outcome = rig.acquire(client, [], { items });
    expect(outcome).toEqual({ code: 'GRANTED', token: rig.index, slots: [[], [1, 2], [], [0]] });
    expect(rig.repeat(rig.index)).toEqual(outcome);
    const { holdings } = rig.machine.holdings(client.id, 0, 10) ?? { holdings: [] };
    expect(holdings).toEqual([
      {
        acquireSeq: 1,
        token: rig.index - 1,
        names: ['r', 's', 'x', 't'],
        mode: 'shared',
        slots: [[], [1, 2], [], [0]],
        value: null,
      },
    ]);
  });

  test('a request for several waits whole: none of it is granted while one of it is busy', () => {
    const rig = new Rig();
    const [holder, client] = [rig.open(), rig.open()];
    const token = rig.take(holder, [], { items: [permits('s', 4, 5)] });
    const items = [permits('t', 1, 2), permits('s', 2, 5), ...shared('r').items];
    expect(rig.acquire(client, [], { items }).code).toBe('QUEUED');
    expect(['t', 'r'].flatMap((name) => rig.holders(name))).toEqual([]);
    rig.release(holder, 's', token);
    expect(rig.events.at(-1)).toMatchObject({ names: ['t', 's', 'r'], slots: [[0], [0, 1], []] });
  });
});
