import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Configurations } from '../../../src/raft/configurations.ts';
import type { Entry } from '../../../src/raft/entry.ts';
import { Log } from '../../../src/raft/log.ts';
import { PendingWrites } from '../../../src/raft/pending-writes.ts';
import { CoreCluster, configOf, entriesOf, payloadOf, runsOf } from './harness.ts';

/** What a log must be, in the simplest form: all its entries, and the one before them. */
interface Model {
  anchor: { index: number; term: number };
  entries: Entry[];
}

function lastOf({ anchor, entries }: Model): { index: number; term: number } {
  return entries[entries.length - 1] ?? anchor;
}

function entryAfter(model: Model, termStep: number): Entry {
  const { index, term: prevTerm } = lastOf(model);
  const payload = payloadOf('x');
  const what = { type: 'command', payload, config: null, record: null } as const;
  return { index: index + 1, term: prevTerm + termStep, prevTerm, ...what };
}

function check(log: Log, { anchor, entries }: Model): void {
  const last = lastOf({ anchor, entries });
  expect([log.anchorIndex, log.anchorTerm]).toEqual([anchor.index, anchor.term]);
  expect([log.lastIndex, log.lastTerm]).toEqual([last.index, last.term]);
  expect(log.termAt(anchor.index - 1)).toBeNull();
  expect(log.termAt(last.index + 1)).toBeNull();
  for (const { index, term } of [anchor, ...entries]) expect(log.termAt(index)).toBe(term);
  expect(log.firstInMemory).toBeGreaterThan(anchor.index);
  const inMemory = entries.filter(({ index }) => index >= log.firstInMemory);
  expect(log.slice(log.firstInMemory, last.index, Infinity) ?? []).toEqual(inMemory);
  for (let limit = 0; limit <= last.term; limit++) {
    const fitting = [anchor, ...entries].findLast(({ term }) => term <= limit) ?? anchor;
    expect(log.lastIndexAtMost(last.index, limit)).toBe(fitting.index);
  }
}

describe('a log that is compacted', () => {
  test('R-62 tells the same of what it still has, whatever is appended, cut and compacted', () => {
    const action = fc.tuple(
      fc.constantFrom('append', 'append', 'append', 'cut', 'compact', 'trim', 'restart'),
      fc.nat({ max: 20 }),
    );
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 60 }), (actions) => {
        const model: Model = { anchor: { index: 100, term: 3 }, entries: [] };
        const log = new Log({ anchor: model.anchor, termRuns: [], tail: [], lastIndex: 100 });
        for (const [what, number] of actions) act(log, model, { what, number });
      }),
    );
  });

  function act(log: Log, model: Model, { what, number }: { what: string; number: number }): void {
    const { entries } = model;
    const chosen = entries[number % Math.max(1, entries.length)];
    if (what === 'append') {
      const entry = entryAfter(model, number % 3);
      entries.push(entry);
      log.append(entry);
    } else if (what === 'restart') {
      const { index, term } = lastOf(model);
      model.anchor = { index: index + number, term: term + (number % 2) };
      model.entries = [];
      log.restartAt(model.anchor);
    } else if (what === 'trim') {
      log.trim(lastOf(model).index, 33 * number);
    } else if (chosen !== undefined && what === 'cut') {
      model.entries = entries.filter(({ index }) => index < chosen.index);
      log.truncateFrom(chosen.index);
    } else if (chosen !== undefined && what === 'compact') {
      model.anchor = { index: chosen.index, term: chosen.term };
      model.entries = entries.filter(({ index }) => index > chosen.index);
      log.compactTo(model.anchor);
    }
    check(log, model);
  }

  test('is compacted only to an entry of its own', () => {
    const entries = entriesOf([1, 1, 2]);
    const anchor = { index: 0, term: 0 };
    const log = new Log({ anchor, termRuns: runsOf(entries), tail: entries, lastIndex: 3 });
    expect(() => log.compactTo({ index: 2, term: 2 })).toThrow('an entry of the log');
    expect(() => log.compactTo({ index: 4, term: 2 })).toThrow('an entry of the log');
  });
});

describe('R-62 configurations of a log that is compacted', () => {
  const history = [0, 5, 9].map((index) => ({ index, config: configOf([`n${index + 1}`]) }));

  test('R-62 the one in force at the anchor stays, however often that moves', () => {
    const configurations = new Configurations(history);
    for (const anchor of [5, 6, 8]) {
      configurations.compactTo(anchor);
      expect(configurations.list()).toEqual(history.slice(1));
    }
    configurations.truncateFrom(9);
    expect(configurations.latest).toBe(history[1]);
    configurations.compactTo(20);
    configurations.compactTo(30);
    expect(configurations.list()).toEqual(history.slice(1, 2));
  });

  test('R-62 after a start, the anchor may lie below all that are known', () => {
    const configurations = new Configurations(history.slice(1));
    configurations.compactTo(3);
    expect(configurations.list()).toEqual(history.slice(1));
    configurations.compactTo(9);
    expect(configurations.list()).toEqual(history.slice(2));
  });

  test('each entry has the one that was in force there', () => {
    const configurations = new Configurations(history);
    expect([0, 4, 5, 8, 9, 90].map((index) => configurations.at(index).index)).toEqual([
      0, 0, 5, 5, 9, 9,
    ]);
  });
});

test('writes begin anew behind a checkpoint that took the place of the log', () => {
  const writes = new PendingWrites(30);
  writes.onTruncate(20);
  writes.restartAt(25);
  expect([writes.durableIndex, writes.submittedIndex]).toEqual([25, 25]);
  // Nothing of the old log is there any more that would have to be cut.
  expect(writes.begin(26, 0).truncateFrom).toBeNull();
  expect(() => writes.restartAt(40)).toThrow('no batch is out');
});

describe('the host compacts', () => {
  function applied(): CoreCluster {
    const cluster = new CoreCluster({ size: 1 });
    cluster.run(3 * cluster.settings.electionUs);
    cluster.propose('n1', 'a', 'b', 'c', 'd');
    return cluster;
  }

  test('and the core tells of what is left: terms, configurations, where the log begins', () => {
    const cluster = applied();
    const { raft } = cluster.node('n1');
    cluster.step('n1', { type: 'compacted', anchor: { index: 3, term: 1 } });
    expect(raft.status().anchor).toEqual({ index: 3, term: 1 });
    expect([raft.termAt(2), raft.termAt(3), raft.termAt(5), raft.termAt(6)]).toEqual([
      null,
      1,
      1,
      null,
    ]);
    expect(raft.configAt(5).index).toBe(0);
  });

  test('up to where a checkpoint from elsewhere reached already: nothing changes', () => {
    const cluster = applied();
    cluster.step('n1', { type: 'compacted', anchor: { index: 3, term: 1 } });
    cluster.step('n1', { type: 'compacted', anchor: { index: 2, term: 1 } });
    expect(cluster.node('n1').core.log.anchorIndex).toBe(3);
  });

  test('R-61 never what was not applied, or is not on disk', () => {
    const cluster = applied();
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    cluster.propose('n1', 'e');
    const step = (): unknown =>
      cluster.step('n1', { type: 'compacted', anchor: { index: 6, term: 1 } });
    expect(step).toThrow('contains');
  });
});
