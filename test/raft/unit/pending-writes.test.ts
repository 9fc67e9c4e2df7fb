import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PendingWrites } from '../../../src/raft/pending-writes.ts';

test('R-35 a write that completes late does not count for what replaced it', () => {
  const writes = new PendingWrites(4);
  const { sequence } = writes.begin(7, 0);
  writes.onTruncate(6);
  writes.complete(sequence);
  expect(writes.durableIndex).toBe(5);
});

test('R-35 the batch after a cut removes from the disk what memory no longer holds', () => {
  const writes = new PendingWrites(4);
  const first = writes.begin(7, 0);
  expect(first.truncateFrom).toBeNull();
  writes.onTruncate(6);
  writes.complete(first.sequence);
  const second = writes.begin(6, 0);
  expect(second.truncateFrom).toBe(6);
  writes.complete(second.sequence);
  expect(writes.begin(7, 0).truncateFrom).toBeNull();
});

test('a cut of entries that were never handed over needs no cut on disk', () => {
  const writes = new PendingWrites(4);
  writes.onTruncate(6);
  expect(writes.begin(5, 0).truncateFrom).toBeNull();
});

test('one batch is out at a time, and completions answer it', () => {
  const writes = new PendingWrites(0);
  const { sequence } = writes.begin(1, 0);
  expect(() => writes.begin(2, 0)).toThrow('one batch');
  expect(() => writes.complete(sequence + 1)).toThrow('answer the batch in flight');
});

test('INV-8 what counts as durable is on the disk, whatever is cut and written when', () => {
  const action = fc.record({
    what: fc.constantFrom('append', 'cut', 'begin', 'complete'),
    at: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const model = new Model();
      for (const { what, at } of actions) model.act(what, at);
    }),
    { numRuns: 500 },
  );
});

/** Memory and disk as lists of unique marks; durable means that both have the same mark there. */
class Model {
  private readonly writes = new PendingWrites(0);
  private memory: number[] = [];
  private disk: number[] = [];
  private flight: { from: number | null; marks: number[]; sequence: number } | null = null;
  private mark = 0;

  act(what: string, at: number): void {
    if (what === 'append') this.memory.push(++this.mark);
    else if (what === 'cut') this.cut(at);
    else if (what === 'begin') this.begin(at);
    else this.complete();
    const { durableIndex } = this.writes;
    expect(this.disk.slice(0, durableIndex)).toEqual(this.memory.slice(0, durableIndex));
    expect(durableIndex).toBeLessThanOrEqual(this.memory.length);
  }

  private cut(at: number): void {
    if (this.memory.length === 0) return;
    const from = (at % this.memory.length) + 1;
    this.writes.onTruncate(from);
    this.memory = [...this.memory.slice(0, from - 1), ++this.mark];
  }

  private begin(at: number): void {
    const first = this.writes.submittedIndex;
    const waiting = this.memory.length - first;
    if (this.flight !== null || waiting === 0) return;
    const last = first + (at % waiting) + 1;
    const { sequence, truncateFrom } = this.writes.begin(last, 0);
    this.flight = { from: truncateFrom, marks: this.memory.slice(first, last), sequence };
  }

  private complete(): void {
    if (this.flight === null) return;
    const { from, marks, sequence } = this.flight;
    this.flight = null;
    this.disk = [...(from === null ? this.disk : this.disk.slice(0, from - 1)), ...marks];
    this.writes.complete(sequence);
    // An idle disk holds what was submitted, and nothing behind it that a cut would not remove.
    expect(this.writes.durableIndex).toBe(this.writes.submittedIndex);
  }
}
