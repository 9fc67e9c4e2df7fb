// What every guard must do, whatever it stands on: one table of presentations with what becomes of
// them, which the rule itself runs too, and what only a store can get wrong.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FenceClaim } from '../../src/fence/claim.ts';
import type { FenceState } from '../../src/fence/rule.ts';
import { FENCE_TABLE, MALFORMED_CLAIMS, MALFORMED_RESOURCES } from './table.ts';
import type { FenceCase, FenceStep } from './table.ts';

/** A guard and the store behind it, fresh and set up. */
export interface FenceWorld {
  /** Presents the claim and puts the value to the resource, in one atomic step. */
  write(resource: string, claim: FenceClaim, value: string): Promise<void>;
  /**
   * Of stores with transactions: presents, writes, then gives up with an error of its own, so that
   * all is rolled back; rejects with that error.
   */
  writeThenFail?(resource: string, claim: FenceClaim, value: string): Promise<void>;
  /** What the resource holds, null before the first write. */
  read(resource: string): Promise<string | null>;
  /** What the guard remembers. */
  seen(resource: string, slot?: number): Promise<FenceState>;
  /** Sets up once more, as every start of a program does. */
  setUp(): Promise<void>;
  /** Of stores that outlive a process: stops the store and starts it again on the same data. */
  restart?(): Promise<void>;
  close(): Promise<void>;
}

/** Calls that the types forbid, as a program without types makes them. */
interface Untyped {
  write(resource: unknown, claim: unknown, value: string): Promise<void>;
}

/** Runs the whole suite: every test gets a world of its own from `open`. */
export function runFenceTable(name: string, open: () => Promise<FenceWorld>): void {
  describe(`${name} as a guard`, () => {
    let world: FenceWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    test.each(FENCE_TABLE)('$name', ({ steps, seen }) => runCase(world, steps, seen));
    test('a claim that is malformed changes nothing', () => malformed(world));
    test('what a transaction takes back is not remembered', () => rolledBack(world));
    test('many at once: the largest token stays', () => manyAtOnce(world));
    test('many at once with slots: none is lost, none stands still', () => manySlots(world));
    test('what was seen is seen after a restart, and after another set-up', () => restarted(world));
  });
}

async function runCase(
  world: FenceWorld,
  steps: readonly FenceStep[],
  seen: FenceCase['seen'],
): Promise<void> {
  const values = new Map<string, string>();
  for (const [at, { claim, resource = 'orders', staleBy, slot }] of steps.entries()) {
    const value = `value ${at}`;
    const written = world.write(resource, claim, value);
    if (staleBy === undefined) {
      await written;
      values.set(resource, value);
    } else {
      await expectStale(written, { resource, claim, staleBy, slot });
    }
    for (const [name, held] of values) expect(await world.read(name), name).toBe(held);
  }
  for (const [slot, maxExclusive, maxShared] of seen) {
    const state = await (slot === -1 ? world.seen('orders') : world.seen('orders', slot));
    expect(state, `slot ${slot}`).toEqual({ maxExclusive, maxShared });
  }
}

/** What a stale claim is told. */
export interface ExpectedStale {
  readonly resource: string;
  readonly claim: FenceClaim;
  readonly staleBy: number;
  readonly slot?: number | undefined;
}

/** Waits for STALE_TOKEN with both tokens in its details and in its message. */
export async function expectStale(written: Promise<unknown>, expected: ExpectedStale) {
  const { resource, claim, staleBy, slot } = expected;
  const { token, mode = 'exclusive' } = claim;
  const facts = { resource, token, seen: staleBy, mode };
  const details = slot === undefined ? facts : { ...facts, slot };
  const error: unknown = await written.then(
    () => 'accepted',
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'STALE_TOKEN', outcome: 'none' });
  expect(error).toHaveProperty('details', details);
  expect(String(error)).toContain(String(token));
  expect(String(error)).toContain(String(staleBy));
}

async function malformed(world: FenceWorld): Promise<void> {
  const untyped: Untyped = { write: world.write.bind(world) };
  await world.write('orders', { token: 33 }, 'kept');
  for (const [name, claim] of MALFORMED_CLAIMS) {
    const written = untyped.write('orders', claim, 'lost');
    await expect(written, name).rejects.toMatchObject({ code: 'INVALID', outcome: 'none' });
  }
  for (const resource of MALFORMED_RESOURCES) {
    const written = untyped.write(resource, { token: 34 }, 'lost');
    await expect(written).rejects.toMatchObject({ code: 'INVALID', outcome: 'none' });
  }
  await expect(world.seen('orders', -2)).rejects.toMatchObject({ code: 'INVALID' });
  expect(await world.read('orders')).toBe('kept');
  expect(await world.seen('orders')).toEqual({ maxExclusive: 33, maxShared: 0 });
}

async function rolledBack(world: FenceWorld): Promise<void> {
  if (world.writeThenFail === undefined) return;
  await world.write('orders', { token: 33 }, 'kept');
  for (const claim of [{ token: 34 }, { token: 34, mode: 'shared' } as const]) {
    await expect(world.writeThenFail('orders', claim, 'lost')).rejects.not.toThrow('STALE_TOKEN');
    expect(await world.seen('orders')).toEqual({ maxExclusive: 33, maxShared: 0 });
  }
  await expect(world.writeThenFail('new', { token: 5 }, 'lost')).rejects.toThrow();
  expect(await world.seen('new')).toEqual({ maxExclusive: 0, maxShared: 0 });
  expect(await world.read('orders')).toBe('kept');
  await world.write('orders', { token: 33 }, 'kept again');
  expect(await world.read('orders')).toBe('kept again');
}

/** The first write of a resource races too: there is no row yet that could be locked. */
async function manyAtOnce(world: FenceWorld): Promise<void> {
  for (const round of [1, 2, 3]) {
    const resource = `race ${round}`;
    const tokens = [5, 3, 8, 1, 7, 2, 6, 4];
    const results = await Promise.allSettled(
      tokens.map((token) => world.write(resource, { token }, String(token))),
    );
    for (const [at, result] of results.entries()) {
      if (result.status === 'fulfilled') continue;
      expect(result.reason).toMatchObject({ code: 'STALE_TOKEN' });
      expect(tokens[at]).toBeLessThan(8);
    }
    expect(await world.read(resource)).toBe('8');
    expect(await world.seen(resource)).toEqual({ maxExclusive: 8, maxShared: 0 });
  }
}

/** Claims that name the same slots in different orders, where rows are locked one by one. */
async function manySlots(world: FenceWorld): Promise<void> {
  const claims: readonly FenceClaim[] = [
    { token: 1, slots: [0, 1, 2, 3] },
    { token: 2, slots: [3, 2, 1, 0] },
    { token: 3, slots: [2, 0, 3, 1] },
    { token: 4, slots: [1, 3, 0, 2] },
  ];
  const results = await Promise.allSettled(
    claims.map((claim) => world.write('pool', claim, String(claim.token))),
  );
  const reasons = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  for (const reason of reasons) expect(reason).toMatchObject({ code: 'STALE_TOKEN' });
  expect(results[3]?.status).toBe('fulfilled');
  for (const slot of [0, 1, 2, 3]) {
    expect(await world.seen('pool', slot)).toEqual({ maxExclusive: 4, maxShared: 0 });
  }
  expect(await world.read('pool')).toBe('4');
}

async function restarted(world: FenceWorld): Promise<void> {
  await world.write('orders', { token: 34 }, 'kept');
  await world.write('orders', { token: 36, slots: [3] }, 'kept too');
  await world.restart?.();
  await world.setUp();
  expect(await world.read('orders')).toBe('kept too');
  await expectStale(world.write('orders', { token: 33 }, 'lost'), {
    resource: 'orders',
    claim: { token: 33 },
    staleBy: 34,
  });
  expect(await world.seen('orders', 3)).toEqual({ maxExclusive: 36, maxShared: 0 });
  await world.write('orders', { token: 34 }, 'written');
  expect(await world.read('orders')).toBe('written');
}
