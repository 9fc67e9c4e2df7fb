import { describe, expect, test } from 'vitest';
import { OutputBarrier } from '../../../src/raft/barrier.ts';
import { Budget } from '../../../src/raft/budget.ts';
import { Configurations, isSoleVoter, othersOf } from '../../../src/raft/configurations.ts';
import { Loader } from '../../../src/raft/loader.ts';
import { Log } from '../../../src/raft/log.ts';
import { Rounds } from '../../../src/raft/rounds.ts';
import { configOf, entriesOf, member, runsOf } from './fixtures.ts';

describe('loads', () => {
  const entries = entriesOf([1, 1, 2, 2, 2]);
  const start = { anchor: { index: 0, term: 0 }, termRuns: runsOf(entries), lastIndex: 5 };
  const stretch = { from: 1, last: 5, bytesMax: 1_000 };

  test('the same stretch is asked for once, and used in the step in which it arrives', () => {
    const loader = new Loader(new Log({ ...start, tail: [] }));
    expect([loader.read(stretch), loader.read(stretch)]).toEqual([null, null]);
    expect(loader.endStep()).toEqual([{ from: 1, maxBytes: 1_000 }]);
    expect(loader.read(stretch)).toBeNull();
    expect(loader.endStep()).toEqual([]);
    loader.onLoaded(1, entries);
    expect(loader.read(stretch)).toEqual(entries);
    expect(loader.read({ ...stretch, last: 3 })?.length).toBe(3);
    expect(loader.read({ ...stretch, bytesMax: 80 })?.length).toBe(2);
    loader.endStep();
    expect(loader.read(stretch)).toBeNull();
  });

  test('what was cut while it was read is left out', () => {
    const log = new Log({ ...start, tail: entries.slice(3) });
    const loader = new Loader(log);
    loader.read(stretch);
    log.truncateFrom(3);
    for (const entry of entriesOf([5], 2)) log.append({ ...entry, prevTerm: 1 });
    loader.onLoaded(1, entries);
    expect(loader.read({ ...stretch, last: 3 })?.map(({ term }) => term)).toEqual([1, 1]);
  });
});

describe('the budget of uncommitted work', () => {
  test('is given back event by event, as commits pass their last entries', () => {
    const budget = new Budget({ clientBytesMax: 100, internalBytesMax: 100 });
    for (const lastIndex of [2, 4]) {
      budget.charge(40, false);
      budget.note({ lastIndex, clientBytes: 40, internalBytes: 0 });
    }
    expect(budget.admits(40, false)).toBe(false);
    budget.onCommit(1);
    expect(budget.clientBytes).toBe(80);
    budget.onCommit(3);
    expect([budget.clientBytes, budget.admits(40, false)]).toEqual([40, true]);
  });

  test('stays exact over very many events', () => {
    const budget = new Budget({ clientBytesMax: 1e9, internalBytesMax: 1e9 });
    for (let index = 1; index <= 1_000; index++) {
      budget.charge(7, true);
      budget.note({ lastIndex: index, clientBytes: 0, internalBytes: 7 });
      if (index > 10) budget.onCommit(index - 10);
    }
    expect(budget.internalBytes).toBe(70);
    budget.onCommit(1_000);
    expect(budget.internalBytes).toBe(0);
  });
});

describe('the output barrier', () => {
  test('lets messages go that wait for the term, and keeps those that wait for the vote', () => {
    const barrier = new OutputBarrier();
    const goodbye = { type: 'goodbye', term: 1 } as const;
    barrier.hold({ to: 'n2', message: goodbye, needsVote: true });
    barrier.hold({ to: 'n3', message: goodbye, needsVote: false });
    expect(barrier.takeMessages(false).map(({ to }) => to)).toEqual(['n3']);
    expect(barrier.takeMessages(true).map(({ to }) => to)).toEqual(['n2']);
    expect(barrier.takeMessages(true)).toEqual([]);
  });

  test('INV-8 merges what one write covered, and never more than that', () => {
    const barrier = new OutputBarrier();
    for (const match of [3, 5, 9, 4]) {
      barrier.holdAck({ to: 'n2', match, round: match, transfer: null });
    }
    expect(barrier.takeAck(2)).toBeNull();
    expect(barrier.takeAck(5)).toEqual({ to: 'n2', match: 5, round: 5, transfer: null });
    expect(barrier.takeAck(8)).toBeNull();
    expect(barrier.takeAck(9)).toEqual({ to: 'n2', match: 9, round: 9, transfer: null });
  });
});

test('a round too long ago, or never begun, has no time', () => {
  const rounds = new Rounds(100);
  for (let count = 0; count < 5_000; count++) rounds.begin(200 + count);
  expect([rounds.startOf(0), rounds.startOf(1), rounds.startOf(9_999)]).toEqual([null, null, null]);
  expect(rounds.startOf(rounds.current)).toBe(5_199);
  expect(rounds.startOf(rounds.current - 4_000)).toBe(1_199);
});

describe('configurations', () => {
  test('R-67 the latest one is in force until it is cut', () => {
    const first = { index: 0, config: configOf(['n1']) };
    const configurations = new Configurations([first]);
    configurations.append(5, configOf(['n1', 'n2']));
    expect([configurations.latest.index, configurations.previous]).toEqual([5, first]);
    configurations.truncateFrom(6);
    expect(configurations.latest.index).toBe(5);
    configurations.truncateFrom(5);
    expect([configurations.latest, configurations.previous]).toEqual([first, null]);
  });

  test('a sole voter is alone in every half, with its own data directory', () => {
    expect(isSoleVoter(configOf(['n1'], { learners: ['n2'] }), member('n1'))).toBe(true);
    expect(isSoleVoter(configOf(['n1'], { outgoing: ['n1'] }), member('n1'))).toBe(true);
    expect(isSoleVoter(configOf(['n1'], { outgoing: ['n1', 'n2'] }), member('n1'))).toBe(false);
    expect(isSoleVoter(configOf(['n2']), member('n1'))).toBe(false);
    expect(isSoleVoter(configOf(['n1']), { nodeId: 'n1', storeId: 'other' })).toBe(false);
  });

  test('everybody is met once, whatever parts of the configuration name it', () => {
    const config = configOf(['n1', 'n2'], { outgoing: ['n2', 'n3'], learners: ['n4'] });
    const names = othersOf(config, member('n1')).map(({ nodeId }) => nodeId);
    expect(names).toEqual(['n2', 'n3', 'n4']);
  });
});
