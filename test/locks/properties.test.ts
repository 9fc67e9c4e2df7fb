// What the rules promise, shown for random logs of all forms from the outside alone: by the events
// and the views that anybody can see.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RequestItem } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { LockView } from '../../src/locks/outcomes.ts';
import { LIMITS, NAMES, TERM, drafts, run } from './random-log.ts';
import type { Applied } from './random-log.ts';

test('INV-16 of two grants that could not be held together the later has the larger token', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const granted: { item: RequestItem; slots: readonly number[]; token: number }[] = [];
      eachGrant(list, ({ item, slots, token, index }) => {
        expect(token).toBe(index);
        for (const earlier of granted.filter((one) => one.item.name === item.name)) {
          const isShared = item.mode === 'shared' && earlier.item.mode === 'shared';
          const isOfSlots = item.permits !== null && earlier.item.permits?.[1] === item.permits[1];
          const isMet = slots.some((slot) => earlier.slots.includes(slot));
          const isConflict = isOfSlots ? isMet : !isShared;
          if (isConflict) expect(token).toBeGreaterThan(earlier.token);
        }
        granted.push({ item, slots, token });
      });
    }),
    { numRuns: 100 },
  );
});

test('INV-19 whoever asks for a name earlier gets it no later, unless it gives up', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const last = new Map<string, number>();
      eachGrant(list, ({ item, asked }) => {
        expect(asked).toBeGreaterThan(last.get(item.name) ?? 0);
        last.set(item.name, asked);
      });
    }),
    { numRuns: 100 },
  );
});

test('LIV-6 nobody waits for what is free, and the oldest waiter heads all its queues', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      run(list, machine, () => expectNobodyIdle(machine));
    }),
    { numRuns: 200 },
  );
});

test('LIV-6 no deadlock: when holders give back, everybody is served in time', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      let index = run(list, machine, () => undefined);
      // Each round ends a grant or a delay, and nobody asks anew.
      for (let round = 0; round < 500 && waitingIn(machine).size > 0; round++) {
        const [view] = machine.list('', '', 100).filter((one) => tenantsOf(one).length > 0);
        const token = view === undefined ? 0 : tenantsOf(view)[0]?.token;
        expect(token).toBeGreaterThan(0);
        const target = { name: view?.name ?? '', token: token ?? 0, session: null };
        machine.apply(++index, TERM, { op: 'break', ...target, by: '', reason: '' });
      }
      expect(waitingIn(machine).size).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('INV-18 after the end of all sessions and delays nothing is left, whatever the log was', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      let index = run(list, machine, () => undefined);
      for (const { session } of machine.sessions(0, 100)) {
        machine.apply(++index, TERM, { op: 'endSession', session, by: '', reason: '' });
        const names = machine.list('', '', 100);
        const present = names.flatMap((view) => [...view.holders, ...view.waiters]);
        expect(present.some((one) => one.session === session)).toBe(false);
      }
      for (const { name, ghosts } of machine.list('', '', 100)) {
        expect(ghosts.length).toBeGreaterThan(0);
        for (const { closedAt } of ghosts) {
          machine.apply(++index, TERM, { op: 'liftDelay', name, closedAt, proposerTerm: TERM });
        }
      }
      expect(machine.lockCount()).toBe(0);
      expect([...machine.rows()].filter(({ key }) => key !== 'rules')).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

interface Grant {
  readonly item: RequestItem;
  readonly slots: readonly number[];
  readonly token: number;
  readonly index: number;
  /** Index of the acquire's entry. */
  readonly asked: number;
}

/** Looks at every grant of a log, name by name. */
function eachGrant(list: Parameters<typeof run>[0], look: (grant: Grant) => void): void {
  const asked = new Map<string, { items: readonly RequestItem[]; index: number }>();
  run(list, createLockMachine(LIMITS), ({ index, command, events, outcome }: Applied) => {
    const isNew = outcome.code === 'QUEUED' || outcome.code === 'GRANTED';
    if (command.op === 'acquire' && isNew && events.length > 0) {
      asked.set(`${command.session}:${command.seq}`, { items: command.items, index });
    }
    for (const event of events) {
      if (event.type !== 'granted') continue;
      const request = asked.get(`${event.session}:${event.acquireSeq}`);
      expect(request?.items.map((item) => item.name)).toEqual(event.names);
      for (const [at, item] of request?.items.entries() ?? []) {
        const slots = event.slots[at] ?? [];
        look({ item, slots, token: event.token, index, asked: request?.index ?? 0 });
      }
    }
  });
}

function tenantsOf(view: LockView): readonly { token: number; mode: string; permits: Permits }[] {
  return [...view.holders, ...view.ghosts];
}

type Permits = readonly [number, number] | null;

/** All that wait, by the index of their entries, with what they wait for. */
function waitingIn(machine: LockMachine): Map<number, { view: LockView; at: number }[]> {
  const waiting = new Map<number, { view: LockView; at: number }[]>();
  for (const name of NAMES) {
    const view = machine.inspect(name);
    for (const [at, { index }] of view.waiters.entries()) {
      waiting.set(index, [...(waiting.get(index) ?? []), { view, at }]);
    }
  }
  return waiting;
}

function expectNobodyIdle(machine: LockMachine): void {
  const waiting = waitingIn(machine);
  const oldest = Math.min(...waiting.keys());
  for (const [index, places] of waiting) {
    const isFirst = places.every(({ at }) => at === 0);
    if (index === oldest) expect(isFirst).toBe(true);
    expect(isFirst && places.every(isOpen)).toBe(false);
  }
}

function isOpen({ view, at }: { readonly view: LockView; readonly at: number }): boolean {
  const waiter = view.waiters[at];
  const tenants = tenantsOf(view);
  if (waiter === undefined || tenants.length === 0) return true;
  if (waiter.permits === null) {
    return waiter.mode === 'shared' && tenants.every(({ mode }) => mode === 'shared');
  }
  const taken = tenants.reduce((sum, { permits }) => sum + (permits?.[0] ?? 0), 0);
  return taken + waiter.permits[0] <= waiter.permits[1];
}
