// A machine that was loaded from its rows is the machine that wrote them: whatever comes after.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Command } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockMachine, RowValue } from '../../src/locks/machine-types.ts';
import { hashOfRows } from '../../src/locks/rows.ts';
import { keepChanges, loaded, rowsIn, sortedRows } from './loading-rig.ts';
import { LIMITS, TERM, drafts, resolve } from './random-log.ts';

test('INV-5, R-62, R-78, M-36, M-37 a loaded machine goes on as the one that was written', () => {
  fc.assert(
    fc.property(drafts, fc.nat({ max: 80 }), (list, at) => {
      const machine = createLockMachine(LIMITS);
      const log: Command[] = [];
      let twin: LockMachine | null = null;
      for (const [done, draft] of list.entries()) {
        if (done === at) {
          machine.takeChanges();
          twin = loaded(sortedRows(machine), LIMITS);
        }
        const command = resolve(draft, machine, log, TERM);
        log.push(command);
        const applied = machine.apply(log.length, TERM, command);
        if (twin === null) continue;
        expect(twin.apply(log.length, TERM, command)).toEqual(applied);
        expect(twin.stateHash()).toBe(machine.stateHash());
        if (done % 3 === 0) expect(changesOf(twin)).toEqual(changesOf(machine));
        twin.checkInvariants();
      }
      if (twin !== null) expect(sortedRows(twin)).toEqual(sortedRows(machine));
    }),
    { numRuns: 60 },
  );
});

test('INV-14, R-78, M-36 every request of the log is answered the same after a restart', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      const log: Command[] = [];
      for (const draft of list) {
        const command = resolve(draft, machine, log, TERM);
        log.push(command);
        machine.apply(log.length, TERM, command);
      }
      const twin = loaded(sortedRows(machine), LIMITS);
      for (const [again, command] of log.entries()) {
        const index = log.length + 1 + again;
        expect(twin.apply(index, TERM, command)).toEqual(machine.apply(index, TERM, command));
      }
    }),
    { numRuns: 100 },
  );
});

test('R-62 changes that are kept, checkpoint by checkpoint, are the whole state', () => {
  fc.assert(
    fc.property(drafts, fc.integer({ min: 1, max: 9 }), (list, every) => {
      const machine = createLockMachine(LIMITS);
      const kept = new Map<string, RowValue>();
      const log: Command[] = [];
      for (const draft of list) {
        const command = resolve(draft, machine, log, TERM);
        log.push(command);
        machine.apply(log.length, TERM, command);
        if (log.length % every !== 0) continue;
        keepChanges(machine, kept);
        expect(rowsIn(kept)).toEqual(sortedRows(machine));
        expect(hashOfRows(rowsIn(kept))).toBe(machine.stateHash());
      }
    }),
    { numRuns: 100 },
  );
});

function changesOf(machine: LockMachine): readonly unknown[] {
  const count = machine.changedCount();
  const changes = machine.takeChanges();
  expect(changes).toHaveLength(count);
  expect(new Set(changes.map(({ key }) => key)).size).toBe(count);
  return [...changes].sort((left, right) => (left.key < right.key ? -1 : 1));
}
