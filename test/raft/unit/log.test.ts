import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENTRY_OVERHEAD_BYTES, entryBytes, Log } from '../../../src/raft/log.ts';
import type { Entry } from '../../../src/raft/entry.ts';
import { TermRuns } from '../../../src/raft/term-runs.ts';
import { entriesOf, payloadOfSize, runsOf } from './fixtures.ts';

function logOf(terms: readonly number[], options: { origin?: number; tail?: number } = {}): Log {
  const { origin = 0, tail = terms.length } = options;
  const entries = entriesOf(terms, origin);
  return new Log({
    anchor: { index: origin, term: 0 },
    termRuns: runsOf(entries),
    tail: tail === 0 ? [] : entries.slice(-tail),
    lastIndex: origin + terms.length,
  });
}

const indicesOf = (entries: readonly Entry[] | null): number[] | null =>
  entries?.map((entry) => entry.index) ?? null;

describe('runs of terms', () => {
  test('tell the term of every index, and the last one of a term or an earlier one', () => {
    const steps = fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.nat({ max: 60 }), (increments, cut) => {
        let term = 1;
        const terms = increments.map((step) => (term += step));
        const runs = new TermRuns(runsOf(entriesOf(terms)));
        const kept = Math.min(cut, terms.length - 1) + 1;
        runs.truncateFrom(kept + 1);
        for (let index = 1; index <= kept; index++) {
          expect(runs.termAt(index)).toBe(terms[index - 1]);
          for (let limit = 0; limit <= term; limit++) {
            const expected = terms.slice(0, index).filter((each) => each <= limit).length;
            expect(runs.lastIndexAtMost(index, limit)).toBe(expected === 0 ? null : expected);
          }
        }
      }),
    );
  });

  test('INV-10 a term never follows a larger one', () => {
    const runs = new TermRuns([{ term: 4, firstIndex: 1 }]);
    expect(() => runs.append(2, 3)).toThrow('INV-10');
  });
});

describe('the log in memory', () => {
  test('begins after its anchor, wherever that is', () => {
    const log = logOf([3, 3, 5], { origin: 1_000 });
    expect([log.lastIndex, log.lastTerm]).toEqual([1_003, 5]);
    expect([999, 1_000, 1_001, 1_003, 1_004].map((index) => log.termAt(index))).toEqual([
      null,
      0,
      3,
      5,
      null,
    ]);
    const empty = logOf([], { origin: 7 });
    expect([empty.lastIndex, empty.lastTerm, empty.termAt(7)]).toEqual([7, 0, 0]);
  });

  test('knows terms of entries that are not in memory, but does not hand them out', () => {
    const log = logOf([1, 1, 2, 2, 3], { tail: 2 });
    expect(log.firstInMemory).toBe(4);
    expect(log.termAt(1)).toBe(1);
    expect(log.slice(3, 5, 1_000)).toBeNull();
    expect(indicesOf(log.slice(4, 5, 1_000))).toEqual([4, 5]);
  });

  test('R-44 a slice is contiguous and within the limit, but never empty', () => {
    const sizes = fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(sizes, fc.nat({ max: 400 }), fc.nat({ max: 19 }), (all, bytesMax, skip) => {
        const log = logOf([]);
        all.forEach((size, at) => {
          const entry = { index: at + 1, term: 1, prevTerm: at === 0 ? 0 : 1 };
          const payload = payloadOfSize(size);
          log.append({ ...entry, type: 'command', payload, config: null, record: null });
        });
        const from = Math.min(skip, all.length - 1) + 1;
        const slice = log.slice(from, log.lastIndex, bytesMax) ?? [];
        const bytes = slice.reduce((sum, entry) => sum + entryBytes(entry), 0);
        expect(slice[0]?.index).toBe(from);
        expect(slice.every((entry, at) => entry.index === from + at)).toBe(true);
        expect(log.bytesOf(from, from + slice.length - 1)).toBe(bytes);
        if (slice.length > 1) expect(bytes).toBeLessThanOrEqual(bytesMax);
        const next = all[from + slice.length - 1];
        if (next !== undefined) expect(bytes + next + ENTRY_OVERHEAD_BYTES > bytesMax).toBe(true);
      }),
    );
  });

  test('a cut forgets entries, terms and what was handed out before', () => {
    const log = logOf([1, 1, 2, 2, 3]);
    expect(indicesOf(log.slice(3, 5, 1_000))).toEqual([3, 4, 5]);
    log.truncateFrom(4);
    expect([log.lastIndex, log.lastTerm, log.termAt(4)]).toEqual([3, 2, null]);
    const [entry] = entriesOf([4], 3);
    if (entry !== undefined) log.append({ ...entry, prevTerm: 2 });
    expect(log.slice(3, 5, 1_000)?.map(({ term }) => term)).toEqual([2, 4]);
  });

  test('a cut may reach below the part in memory', () => {
    const log = logOf([1, 1, 2, 2, 3], { tail: 2 });
    log.truncateFrom(2);
    expect([log.lastIndex, log.lastTerm, log.firstInMemory]).toEqual([1, 1, 2]);
    const [entry] = entriesOf([6], 1);
    if (entry !== undefined) log.append({ ...entry, prevTerm: 1 });
    expect(indicesOf(log.slice(2, 2, 1_000))).toEqual([2]);
  });

  test('the tail is trimmed to its limit, but not beyond what may go', () => {
    const log = logOf(Array.from({ length: 100 }, () => 1));
    const bytes = log.tailBytes;
    log.trim(100, bytes);
    expect(log.firstInMemory).toBe(1);
    log.trim(10, bytes / 2);
    expect(log.firstInMemory).toBe(11);
    log.trim(100, bytes / 2);
    expect(log.tailBytes).toBeLessThanOrEqual(bytes / 2);
    expect(log.tailBytes).toBeGreaterThan(bytes / 4);
    expect(log.peek(log.firstInMemory)?.index).toBe(log.firstInMemory);
    expect(log.bytesOf(99, 100)).toBe(entryBytes(entriesOf([1, 1], 98)[0] ?? fail()) * 2 + 1);
  });
});

function fail(): never {
  throw new Error('an entry was expected');
}
