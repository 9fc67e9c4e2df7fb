// What every guard must do, whatever it stands on: one table of presentations with what becomes of
// them, which the rule itself runs too, and what only a store can get wrong.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FenceClaim } from '../../src/fence/claim.ts';
import type { FenceState } from '../../src/fence/rule.ts';

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

/** One presentation, and whether it passes. */
export interface FenceStep {
  readonly claim: FenceClaim;
  /** `orders` unless given. */
  readonly resource?: string;
  /** Absent: accepted. Otherwise refused as stale, because of this token (and slot). */
  readonly staleBy?: number;
  readonly slot?: number;
}

/** One story of a guard. */
export interface FenceCase {
  readonly name: string;
  readonly steps: readonly FenceStep[];
  /** What is remembered after all steps, of `orders`: [slot or -1, exclusive, shared]. */
  readonly seen: readonly (readonly [number, number, number])[];
}

const MOST = Number.MAX_SAFE_INTEGER;
const x = (token: number, staleBy?: number): FenceStep =>
  step({ token, mode: 'exclusive' }, staleBy);
const s = (token: number, staleBy?: number): FenceStep => step({ token, mode: 'shared' }, staleBy);

function step(claim: FenceClaim, staleBy?: number): FenceStep {
  return staleBy === undefined ? { claim } : { claim, staleBy };
}

function slots(token: number, numbers: readonly number[], staleBy?: number, slot?: number) {
  const claim = { token, slots: numbers };
  return staleBy === undefined || slot === undefined ? { claim } : { claim, staleBy, slot };
}

/** The rule, in stories. Every guard runs all of them. */
export const FENCE_TABLE: readonly FenceCase[] = [
  { name: 'the first token of a resource passes', steps: [x(1)], seen: [[-1, 1, 0]] },
  { name: 'a token without a mode is exclusive', steps: [step({ token: 3 })], seen: [[-1, 3, 0]] },
  {
    name: 'a holder writes many times with one token',
    steps: [x(33), x(33), x(33)],
    seen: [[-1, 33, 0]],
  },
  {
    name: 'the first write of a new holder shuts the old one out, for good',
    steps: [x(33), x(34), x(33, 34), x(34), x(33, 34)],
    seen: [[-1, 34, 0]],
  },
  {
    name: 'an old holder that writes first is not stopped before the new one wrote',
    steps: [x(33), x(33), x(40), x(33, 40), x(39, 40)],
    seen: [[-1, 40, 0]],
  },
  {
    name: 'one token protects two resources, each by itself',
    steps: [x(7), { ...x(7), resource: 'bills' }, { ...x(9), resource: 'bills' }, x(8), x(7, 8)],
    seen: [[-1, 8, 0]],
  },
  {
    name: 'names that differ by case, a slash or an accent are different resources',
    steps: [
      x(9),
      { ...x(1), resource: 'Orders' },
      { ...x(2), resource: 'orders/' },
      { ...x(3), resource: 'örders' },
      { ...x(4), resource: 'o\u0308rders' },
      { ...x(5), resource: 'orders ' },
      x(8, 9),
    ],
    seen: [[-1, 9, 0]],
  },
  {
    name: 'those who share do not shut each other out',
    steps: [s(5), s(9), s(5), s(7), s(9)],
    seen: [[-1, 0, 9]],
  },
  {
    name: 'a writer after readers shuts all of them out',
    steps: [s(5), s(6), x(7), s(5, 7), s(6, 7), x(7)],
    seen: [[-1, 7, 6]],
  },
  {
    name: 'readers after a writer shut it out, though they share',
    steps: [x(7), s(8), x(7, 8), s(8), s(9), x(8, 9)],
    seen: [[-1, 7, 9]],
  },
  {
    name: 'a token is not exclusive and shared at once',
    steps: [x(4), s(4, 4), s(6), x(6, 6), x(4, 6)],
    seen: [[-1, 4, 6]],
  },
  {
    name: 'readers that come late, but after the last writer, still share',
    steps: [x(3), s(8), s(5), x(9), s(8, 9), s(10), s(9, 9)],
    seen: [[-1, 9, 10]],
  },
  {
    name: 'each slot of a semaphore is fenced by itself',
    steps: [slots(5, [0]), slots(4, [1]), slots(4, [0], 5, 0), slots(5, [0]), slots(6, [1])],
    seen: [
      [0, 5, 0],
      [1, 6, 0],
      [-1, 0, 0],
    ],
  },
  {
    name: 'all slots of a claim pass, or none is remembered',
    steps: [slots(9, [2]), slots(8, [0, 1, 2], 9, 2), slots(7, [0]), slots(10, [2, 0, 1])],
    seen: [
      [0, 10, 0],
      [1, 10, 0],
      [2, 10, 0],
    ],
  },
  {
    name: 'a slot is nothing that could be shared',
    steps: [step({ token: 5, mode: 'shared', slots: [0] }), slots(4, [0], 5, 0), slots(5, [0])],
    seen: [[0, 5, 0]],
  },
  {
    name: 'a lock and a semaphore of one name do not mix',
    steps: [x(9), slots(5, [0]), x(8, 9), slots(4, [0], 5, 0)],
    seen: [
      [-1, 9, 0],
      [0, 5, 0],
    ],
  },
  {
    name: 'neighbours at the end of the range, 2^53 - 1, are told apart',
    steps: [x(MOST - 1), x(MOST), x(MOST - 1, MOST), x(MOST), s(MOST, MOST)],
    seen: [[-1, MOST, 0]],
  },
  {
    name: 'tokens of different lengths are compared as numbers',
    steps: [x(9), x(10), x(9, 10), x(100), x(99, 100), x(2 ** 31), x(2 ** 32), x(2 ** 31, 2 ** 32)],
    seen: [[-1, 2 ** 32, 0]],
  },
];

/** Claims that no guard takes, and what is wrong with them. */
export const MALFORMED_CLAIMS: readonly (readonly [string, unknown])[] = [
  ['no claim', null],
  ['no token', {}],
  ['token 0', { token: 0 }],
  ['a negative token', { token: -1 }],
  ['half a token', { token: 1.5 }],
  ['a token of 2^53', { token: 2 ** 53 }],
  ['a token that is no number', { token: Number.NaN }],
  ['an endless token', { token: Infinity }],
  ['a token in a text', { token: '34' }],
  ['a token as a bigint', { token: 34n }],
  ['an unknown mode', { token: 34, mode: 'write' }],
  ['a slot below 0', { token: 34, slots: [-1] }],
  ['a slot in a text', { token: 34, slots: ['1'] }],
  ['half a slot', { token: 34, slots: [0.5] }],
  ['one slot twice', { token: 34, slots: [1, 1] }],
  ['slots that are no list', { token: 34, slots: 1 }],
  ['too many slots', { token: 34, slots: Array.from({ length: 1_025 }, (_, slot) => slot) }],
];

/** Names that no guard takes. */
export const MALFORMED_RESOURCES: readonly unknown[] = ['', '.', 'a\nb', '\ud800', 7, undefined];

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
