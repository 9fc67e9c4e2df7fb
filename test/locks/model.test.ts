import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareUtf8 } from '../../src/base/name.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';
import { Model } from './model.ts';
import { ghostText, heldText, placesOf, placesOfModel, verdictOf, waitText } from './model-rig.ts';
import { LIMITS, NAMES, TERM, drafts, run } from './random-log.ts';

test('INV-14 INV-15 INV-18 INV-19 any log gives what the plain model gives', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      const model = new Model(LIMITS);
      run(list, machine, ({ index, command, outcome }) => {
        expect(verdictOf(outcome)).toEqual(model.apply(index, TERM, command));
        machine.checkInvariants();
        for (const name of NAMES)
          expect(placesOf(machine, name)).toEqual(placesOfModel(model, name));
        expect(machine.sessionCount()).toBe(model.sessions.length);
        expect(machine.lockCount()).toBe(
          NAMES.filter((name) => placesOfModel(model, name)[0]).length,
        );
      });
    }),
    { numRuns: 400 },
  );
});

test('events alone tell who holds what with which slots and value, waits, or is a ghost', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      const told = new Map<string, readonly string[]>();
      run(list, machine, ({ events }) => {
        for (const event of events) tell(told, event);
        const seen = NAMES.flatMap((name) => placesOf(machine, name)).sort(compareUtf8);
        expect([...told.values()].flat().sort(compareUtf8)).toEqual(seen);
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
        if (index % 3 === 0) asked.takeChanges();
      });
      expect(asked.stateHash()).toBe(silent.stateHash());
    }),
    { numRuns: 100 },
  );
});

function tell(told: Map<string, readonly string[]>, event: LockEvent): void {
  if (!('acquireSeq' in event)) return;
  const { session, acquireSeq: seq } = event;
  const key = `${session}:${seq}`;
  switch (event.type) {
    case 'queued':
      told.set(
        key,
        event.names.map((name) => waitText({ name, session, seq })),
      );
      return;
    case 'granted': {
      const { token, value } = event;
      const places = event.names.map((name, at) => {
        return heldText({ name, session, seq, token, slots: event.slots[at] ?? [], value });
      });
      told.set(key, places);
      return;
    }
    case 'proclaimed': {
      const places = told.get(key) ?? [];
      const named = (text: string) => text.split(':').slice(0, 5).join(':');
      told.set(
        key,
        places.map((text) => `${named(text)}:${event.value}`),
      );
      return;
    }
    case 'delayed': {
      const { name, closedAt } = event;
      told.set(`${key}:${name}:${closedAt}`, [ghostText({ name, session, seq, closedAt })]);
      return;
    }
    case 'lifted':
      told.delete(`${key}:${event.name}:${event.closedAt}`);
      return;
    default:
      told.delete(key);
  }
}
