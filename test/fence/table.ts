// The rule of fencing in stories, and what no guard takes: data, for conformance.ts.

import type { FenceClaim } from '../../src/fence/claim.ts';

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
