import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LinearModel } from '../../sim/oracle/linear-model.ts';
import { LockModel } from '../../sim/oracle/model.ts';
import { MachineOracle } from '../../sim/oracle/machine.ts';
import type { CommittedEntry } from '../../sim/oracle/types.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import { drafts, LIMITS, run, TERM } from '../locks/random-log.ts';

const ALL = 100;

describe('two models of the lock machine, one that knows the rules and one that watches', () => {
  test('INV-12 agree with every answer, event and view of random logs of all forms', () => {
    const seen = new Map<string, number>();
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    fc.assert(
      fc.property(drafts, (list) => {
        const machine = createLockMachine(LIMITS);
        const verdict = new Verdict(() => 0);
        const rules = new MachineOracle({ verdict, model: new LockModel(LIMITS) });
        const watcher = new LinearModel();
        run(list, machine, ({ index, command, outcome, events }) => {
          rules.replay({ index, term: TERM, atUs: 0 }, command, { outcome, events });
          const entry: CommittedEntry = {
            ...{ index, term: TERM, command, outcome, events },
            ...{ atUs: 0, by: 'n1' },
          };
          expect([watcher.apply(entry), verdict.violation]).toEqual([null, null]);
          const names = watcher.names('', '');
          expect(machine.list('', '', ALL)).toEqual(names.map((name) => watcher.lockView(name)));
          const sessions = machine.sessions(0, ALL);
          expect(sessions).toEqual(watcher.sessionsAfter(0));
          for (const { session } of sessions) {
            const { holdings } = machine.holdings(session, 0, ALL) ?? {};
            expect(holdings).toEqual(watcher.holdingsAfter(session, 0));
          }
          count(outcome.code);
          for (const event of events) count(event.type);
        });
      }),
      { numRuns: 300, seed: 4 },
    );
    const rare = [
      'LOCK_BUSY',
      'NOT_HOLDER',
      'INVALID',
      'WINDOW',
      'delayed',
      'lifted',
      'proclaimed',
    ];
    for (const what of rare) expect([what, seen.get(what) ?? 0]).not.toEqual([what, 0]);
  });
});
