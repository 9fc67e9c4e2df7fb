import { expect, test } from 'vitest';
import { LeaderDeadlines } from '../../src/node/leader-deadlines.ts';

interface Key {
  readonly session: string;
  readonly acquireSeq: number;
}

const waiter = { session: '7-abc', acquireSeq: 3 };

function setUp() {
  const withdrawn: Key[] = [];
  const state = { admits: true };
  const waits = new LeaderDeadlines<Key>({
    nameOf: ({ session, acquireSeq }) => `${session} ${acquireSeq}`,
    propose: (waiters) => {
      if (!state.admits) return 0;
      withdrawn.push(...waiters);
      return waiters.length;
    },
  });
  return { waits, withdrawn, state };
}

test('C9 a wait that is over is withdrawn once', () => {
  const { waits, withdrawn } = setUp();
  waits.start(waiter, 100, 0);
  waits.test(99_999, 0, 1);
  expect(withdrawn).toEqual([]);
  waits.test(100_000, 0, 1);
  waits.test(200_000, 0, 1);
  expect(withdrawn).toEqual([waiter]);
});

test('one that was granted is never withdrawn', () => {
  const { waits, withdrawn } = setUp();
  waits.start({ ...waiter, acquireSeq: 4 }, 100, 0);
  waits.settle({ ...waiter, acquireSeq: 4 });
  waits.test(10_000_000, 0, 1);
  expect(withdrawn).toEqual([]);
});

test('a new leader restarts the wait, and tries again what a lost office had appended', () => {
  const { waits, withdrawn } = setUp();
  waits.start(waiter, 100, 0);
  waits.test(100_000, 0, 1);
  waits.stepDown();
  waits.test(1_099_999, 1_000_000, 2);
  expect(withdrawn).toHaveLength(1);
  waits.test(1_100_000, 1_000_000, 2);
  expect(withdrawn).toHaveLength(2);
});

test('a refused withdrawal is tried again', () => {
  const { waits, withdrawn, state } = setUp();
  state.admits = false;
  waits.start(waiter, 100, 0);
  waits.test(100_000, 0, 1);
  state.admits = true;
  waits.test(125_000, 0, 1);
  expect(withdrawn).toEqual([waiter]);
});

test('G3 of what is over nothing is left, whether its end was appended before or not', () => {
  const { waits } = setUp();
  const early = { ...waiter, acquireSeq: 4 };
  waits.start(waiter, 100, 0);
  waits.start(early, 200, 0);
  waits.test(100_000, 0, 1);
  expect(waits.undecided).toBe(1);
  for (const item of [waiter, early]) {
    waits.settle(item);
    expect(waits.leftUs(item, 0, 0)).toBeNull();
  }
  expect(waits.undecided).toBe(0);
});
