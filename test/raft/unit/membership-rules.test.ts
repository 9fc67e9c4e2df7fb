import { describe, expect, test } from 'vitest';
import type { ClusterConfig } from '../../../src/raft/config.ts';
import { CatchUp } from '../../../src/raft/catch-up.ts';
import type { MembershipChange } from '../../../src/raft/membership-change.ts';
import { configAfter, configAfterJoint } from '../../../src/raft/membership-rules.ts';
import { describeConfig } from '../../../src/raft/membership-rules.ts';
import { MEMBERS_MAX, RETIRED_MAX, VOTERS_MAX } from '../../../src/raft/membership-rules.ts';
import { configOf, member } from './fixtures.ts';

const base = configOf(['n1', 'n2', 'n3'], { learners: ['n4', 'n5'] });

function namesUpTo(last: number, first = 1): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => `n${first + at}`);
}

function change(promote: readonly string[], remove: readonly string[]): MembershipChange {
  return { type: 'change', promote, remove };
}

/** The configuration that a change leads to; fails if it is refused. */
function after(config: ClusterConfig, what: MembershipChange): ClusterConfig {
  const next = configAfter(config, what);
  if ('code' in next) throw new Error(next.message);
  return next;
}

/** The first sentence of a refusal that must be INVALID. */
function problem(config: ClusterConfig, what: MembershipChange): string {
  const next = configAfter(config, what);
  if (!('code' in next)) throw new Error('it was not refused');
  expect(next.code).toBe('INVALID');
  return next.message;
}

describe('what a change leads to', () => {
  test('R-64 a learner is added by a single entry', () => {
    const next = after(base, { type: 'addLearner', member: member('n6') });
    expect(next).toEqual({ ...base, learners: [...base.learners, member('n6')] });
  });

  test('R-64 a learner is removed by a single entry, and its name is never given again', () => {
    const next = after(base, change([], ['n4']));
    expect(next).toEqual({ ...base, learners: [member('n5')], retired: ['n4'] });
    expect(problem(next, { type: 'addLearner', member: { ...member('n4'), storeId: 's9' } })).toBe(
      'n4 was a member and left; names are never given again: choose a new one.',
    );
  });

  test('R-64 voters change through both, and those that go are retired at the end only', () => {
    const joint = after(base, change(['n4'], ['n1', 'n5']));
    expect(joint).toEqual({
      voters: ['n2', 'n3', 'n4'].map(member),
      votersOutgoing: ['n1', 'n2', 'n3'].map(member),
      learners: [],
      learnersNext: [],
      retired: ['n5'],
    });
    expect(configAfterJoint(joint)).toEqual({
      ...configOf(['n2', 'n3', 'n4']),
      retired: ['n5', 'n1'],
    });
  });

  test('R-64 a voter that becomes a learner stays a member', () => {
    const joint = configOf(['n2', 'n3'], { outgoing: ['n1', 'n2', 'n3'], learners: ['n4'] });
    expect(configAfterJoint({ ...joint, learnersNext: [member('n1')] })).toEqual(
      configOf(['n2', 'n3'], { learners: ['n4', 'n1'] }),
    );
  });

  test('R-64 a removal alone is joint as well', () => {
    const joint = after(configOf(['n1', 'n2']), change([], ['n1']));
    expect(joint).toEqual(configOf(['n2'], { outgoing: ['n1', 'n2'] }));
    expect(configAfterJoint(joint)).toEqual({ ...configOf(['n2']), retired: ['n1'] });
  });

  test('a configuration is described by its parts', () => {
    expect(describeConfig(configOf(['n2'], { outgoing: ['n1', 'n2'], learners: ['n4'] }))).toBe(
      'voters n2; until it is committed also the voters n1, n2; learners n4',
    );
    expect(describeConfig(configOf(['n1']))).toBe('voters n1');
  });
});

describe('what is refused, and why', () => {
  const twin = { ...member('n6'), storeId: 's2' };
  const cases: [string, MembershipChange, string][] = [
    ['a member again', { type: 'addLearner', member: member('n4') }, 'n4 is a member already.'],
    [
      'a copied data directory',
      { type: 'addLearner', member: twin },
      'n6 has the data directory of n2: start it with an empty one.',
    ],
    ['nobody', change([], []), 'The change names nobody.'],
    ['one twice', change(['n4'], ['n4']), 'n4 is named twice.'],
    ['one twice in a list', change([], ['n1', 'n1']), 'n1 is named twice.'],
    ['a stranger', change([], ['n9']), 'n9 is not a member.'],
    ['a voter as new voter', change(['n4', 'n2'], []), 'n2 is a voter already.'],
    ['all voters', change([], ['n1', 'n2', 'n3']), 'No voter would be left.'],
  ];
  for (const [what, asked, message] of cases) {
    test(`§10.3 ${what}`, () => expect(problem(base, asked)).toBe(message));
  }

  test(`§10.3 more than ${VOTERS_MAX} voters, or ${MEMBERS_MAX} members`, () => {
    const full = configOf(namesUpTo(VOTERS_MAX), { learners: namesUpTo(MEMBERS_MAX, 8) });
    expect(problem(full, change(['n8'], []))).toMatch(/^There would be 8 voters; at most 7/);
    expect(after(full, change(['n8'], ['n1'])).voters.length).toBe(VOTERS_MAX);
    const addition = { type: 'addLearner', member: member('n99') } as const;
    expect(problem(full, addition)).toMatch(/at most 14 members/);
    expect(after(after(full, change([], ['n8'])), addition).learners.length).toBe(7);
  });

  test('§10.6 more names than a configuration can keep', () => {
    const retired = namesUpTo(RETIRED_MAX + 99, 100).slice(0, RETIRED_MAX - 1);
    const old = { ...base, retired };
    expect(problem(old, change([], ['n1', 'n2']))).toMatch(/^More than 1024 nodes/);
    expect(after(old, change([], ['n4'])).retired.length).toBe(RETIRED_MAX);
  });
});

describe('R-73 rounds of catching up', () => {
  test('R-73 each ends with what the log held when it began', () => {
    const rounds = new CatchUp(100, 0);
    expect(rounds.isShorterThan(500, 0)).toBe(false);
    rounds.measure(99, 150, 400);
    expect(rounds.isShorterThan(500, 400)).toBe(false);
    rounds.measure(100, 150, 900);
    expect(rounds.isShorterThan(500, 900)).toBe(false);
    rounds.measure(150, 160, 1_200);
    expect(rounds.isShorterThan(500, 1_200)).toBe(true);
  });

  test('R-73 one that does not end is too long already', () => {
    const rounds = new CatchUp(0, 0);
    rounds.measure(0, 10, 100);
    rounds.measure(9, 20, 599);
    expect([rounds.isShorterThan(500, 599), rounds.isShorterThan(500, 600)]).toEqual([true, false]);
  });
});
