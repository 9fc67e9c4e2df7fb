import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  jointTally,
  majoritySize,
  majorityTally,
  majorityValue,
} from '../../../src/raft/quorum.ts';

/** Whether the members that answered are a quorum of old {1,2,3} and new {3,4,5}. */
function isJointQuorum(answered: readonly number[]): boolean {
  const value = (member: number): number => (answered.includes(member) ? 1 : 0);
  const old = majorityValue([1, 2, 3].map(value));
  const fresh = majorityValue([3, 4, 5].map(value));
  return Math.min(old, fresh) >= 1;
}

function jointVote(granted: readonly number[], denied: readonly number[]): string {
  const count = (half: readonly number[]): ReturnType<typeof majorityTally> =>
    majorityTally({
      granted: half.filter((member) => granted.includes(member)).length,
      denied: half.filter((member) => denied.includes(member)).length,
      size: half.length,
    });
  return jointTally(count([1, 2, 3]), count([3, 4, 5]));
}

describe('R-65 joint quorum arithmetic', () => {
  test('R-65 a joint quorum needs a majority of both halves', () => {
    expect(isJointQuorum([1, 2])).toBe(false);
    expect(isJointQuorum([1, 2, 3])).toBe(false);
    expect(isJointQuorum([1, 2, 4, 5])).toBe(true);
    expect(isJointQuorum([1, 3, 4])).toBe(true);
  });

  test('R-65 votes are counted by the same rule', () => {
    expect(jointVote([1, 2], [])).toBe('pending');
    expect(jointVote([1, 2, 3], [])).toBe('pending');
    expect(jointVote([1, 2, 4, 5], [])).toBe('won');
    expect(jointVote([1, 3, 4], [])).toBe('won');
    expect(jointVote([1, 2, 3], [4, 5])).toBe('lost');
    expect(jointVote([3, 4, 5], [1, 2])).toBe('lost');
  });

  test('R-65 an empty half counts as satisfied', () => {
    expect(majorityValue([])).toBe(Infinity);
    expect(majorityTally({ granted: 0, denied: 0, size: 0 })).toBe('won');
  });

  test('R-65 two majorities of one set always share a member', () => {
    for (let size = 1; size <= 7; size++) {
      expect(2 * majoritySize(size)).toBeGreaterThan(size);
      expect(majoritySize(size)).toBeLessThanOrEqual(Math.floor(size / 2) + 1);
    }
    expect([1, 2, 3, 4, 5, 6, 7].map(majoritySize)).toEqual([1, 2, 2, 3, 3, 4, 4]);
  });
});

test('the majority value is the largest one that a majority reached', () => {
  const values = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(values, (all) => {
      const value = majorityValue([...all]);
      const reached = (least: number): number => all.filter((each) => each >= least).length;
      expect(reached(value)).toBeGreaterThanOrEqual(majoritySize(all.length));
      expect(reached(value + 1)).toBeLessThan(majoritySize(all.length));
    }),
  );
});

test('a vote is lost as soon as the rest cannot win it any more', () => {
  for (let size = 1; size <= 7; size++) {
    for (let denied = 0; denied <= size; denied++) {
      const canStillWin = size - denied >= majoritySize(size);
      const tally = majorityTally({ granted: 0, denied, size });
      expect(tally).toBe(canStillWin ? 'pending' : 'lost');
    }
  }
});
