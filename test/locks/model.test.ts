import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareUtf8 } from '../../src/base/name.ts';
import type { Command } from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { LockEvent, Outcome } from '../../src/locks/outcomes.ts';
import { Model } from './model.ts';
import type { Verdict } from './model.ts';
import { NAMES, drafts, resolve } from './random-log.ts';
import type { Draft } from './random-log.ts';

const LIMITS = { ...DEFAULT_LIMITS, windowMax: 4, holdingsPerSessionMax: 7 };
const TERM = 5;

test('INV-14 INV-15 INV-18 INV-19 any log gives what the plain model gives', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      const model = new Model(LIMITS);
      run(list, machine, ({ index, command, outcome }) => {
        expect(verdictOf(outcome)).toEqual(model.apply(index, TERM, command));
        machine.checkInvariants();
        for (const name of NAMES) expect(placesOf(machine, name)).toEqual(modelPlaces(model, name));
        expect(machine.sessionCount()).toBe(model.sessions.length);
      });
    }),
    { numRuns: 400 },
  );
});

test('INV-16 every grant of a lock has a larger token than the one before', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const last = new Map<string, number>();
      run(list, createLockMachine(LIMITS), ({ index, events }) => {
        for (const event of events) {
          if (event.type !== 'granted') continue;
          expect(event.token).toBe(index);
          for (const name of event.names) {
            expect(event.token).toBeGreaterThan(last.get(name) ?? 0);
            last.set(name, event.token);
          }
        }
      });
    }),
    { numRuns: 100 },
  );
});

test('events alone tell who holds what and who waits', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      const told = new Map<string, string>();
      run(list, machine, ({ events }) => {
        for (const event of events) tell(told, event);
        const seen = NAMES.flatMap((name) => placesOf(machine, name)).sort(compareUtf8);
        expect([...told.values()].flatMap((text) => text.split(' ')).sort(compareUtf8)).toEqual(
          seen,
        );
      });
    }),
    { numRuns: 100 },
  );
});

test('INV-5 DET-2 machines that apply one log are equal, asked at any time or never', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const [asked, silent] = [createLockMachine(LIMITS), createLockMachine(LIMITS)];
      run(list, asked, ({ index, command, outcome, events }) => {
        expect(silent.apply(index, TERM, command)).toEqual({ outcome, events });
        asked.stateHash();
        if (index % 3 === 0) asked.takeChangedKeys();
      });
      expect(asked.stateHash()).toBe(silent.stateHash());
    }),
    { numRuns: 100 },
  );
});

test('INV-18 when all sessions are closed nothing is left, whatever the log was', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      let index = run(list, machine, () => undefined);
      for (const { session } of machine.sessions(0, 100)) {
        machine.apply(++index, TERM, { op: 'endSession', session, by: '', reason: '' });
      }
      expect(machine.lockCount()).toBe(0);
      expect(machine.stateHash()).toBe(createLockMachine(LIMITS).stateHash());
    }),
    { numRuns: 100 },
  );
});

interface Applied {
  readonly index: number;
  readonly command: Command;
  readonly outcome: Outcome;
  readonly events: readonly LockEvent[];
}

function run(
  list: readonly Draft[],
  machine: LockMachine,
  look: (applied: Applied) => void,
): number {
  const log: Command[] = [];
  for (const draft of list) {
    const command = resolve(draft, machine, log, TERM);
    log.push(command);
    const index = log.length;
    look({ index, command, ...machine.apply(index, TERM, command) });
  }
  return log.length;
}

function verdictOf(outcome: Outcome): Verdict {
  switch (outcome.code) {
    case 'OPENED':
      return [outcome.code, outcome.session, outcome.ttlMs];
    case 'GRANTED':
      return [outcome.code, outcome.token];
    case 'QUEUED':
      return [outcome.code, outcome.ahead];
    case 'ENDED':
      return [outcome.code, outcome.cause, outcome.token];
    case 'LOCK_BUSY': {
      const { code, name, holder, aheadIndex } = outcome;
      return [code, name, holder?.token ?? null, holder?.session ?? null, aheadIndex];
    }
    default:
      return [outcome.code];
  }
}

/** "name:session:seq:token" of holders, then of waiters (token 0) in their order. */
function placesOf(machine: LockMachine, name: string): readonly string[] {
  const { holders, waiters } = machine.inspect(name);
  return [
    ...holders.map((one) => `${name}:${one.session}:${one.acquireSeq}:${one.token}`),
    ...waiters.map((one) => `${name}:${one.session}:${one.acquireSeq}:0`),
  ];
}

function modelPlaces(model: Model, name: string): readonly string[] {
  const here = model.requests.filter((request) => request.names.includes(name));
  const held = here.filter((request) => request.token > 0);
  const waiting = here.filter((request) => request.token === 0);
  return [...held, ...waiting].map((one) => `${name}:${one.session}:${one.seq}:${one.token}`);
}

function tell(told: Map<string, string>, event: LockEvent): void {
  if (event.type === 'queued' || event.type === 'granted') {
    const token = event.type === 'granted' ? event.token : 0;
    const places = event.names.map(
      (name) => `${name}:${event.session}:${event.acquireSeq}:${token}`,
    );
    told.set(`${event.session}:${event.acquireSeq}`, places.join(' '));
  } else if (event.type === 'left' || event.type === 'freed') {
    told.delete(`${event.session}:${event.acquireSeq}`);
  }
}
