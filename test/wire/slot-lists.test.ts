import { expect, test } from 'vitest';
import { DecodeError } from '../../src/wire/msgpack.ts';
import { readPermits, readSlots } from '../../src/wire/slot-lists.ts';

test('permits are two whole numbers from 1, slots are whole numbers from 0', () => {
  expect(readPermits([1, 1], 'p')).toEqual([1, 1]);
  for (const bad of [[0, 1], [1, 0], [1], [1, 2, 3], [1.5, 2], ['1', 2], null, 3]) {
    expect(() => readPermits(bad, 'p')).toThrow(DecodeError);
  }
  expect(readSlots([0, 999_999], 's')).toEqual([0, 999_999]);
  for (const bad of [[-1], [0.5], ['0'], [null], [2 ** 53], null]) {
    expect(() => readSlots(bad, 's')).toThrow(DecodeError);
  }
});
