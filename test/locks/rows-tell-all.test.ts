// What a restart has is the rows: here all that the machine shows is told from them alone.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockMachine, Row, RowValue } from '../../src/locks/machine-types.ts';
import { LIMITS, drafts, run } from './random-log.ts';

/** What rows of all kinds say of who has or wants a name. */
interface Tenancy {
  readonly kind: 'g' | 'w' | 'd';
  readonly name: string;
  readonly session: string;
  readonly acquireSeq: number;
  /** By which those of one name and kind are ordered. */
  readonly order: readonly number[];
  readonly facts: RowValue;
}

test('INV-5 rows alone tell every session, holder, ghost and waiter, and their order', () => {
  fc.assert(
    fc.property(drafts, (list) => {
      const machine = createLockMachine(LIMITS);
      const rows = new Map<string, Row>();
      run(list, machine, () => keep(machine, rows));
      const told = [...rows.values()].flatMap((row) => tenanciesOf(row, rows));
      expect(told.sort(byPlace).map(withoutOrder)).toEqual(shown(machine));
      const sessions = [...rows.keys()].filter((key) => /^s\/\w+$/.test(key)).sort(compareText);
      expect(sessions.map((key) => idOf(key, rows))).toEqual(
        machine.sessions(0, 100).map(({ session }) => session),
      );
    }),
    { numRuns: 150 },
  );
});

function keep(machine: LockMachine, rows: Map<string, Row>): void {
  for (const { key, value } of machine.takeChanges()) {
    if (value === null) rows.delete(key);
    else rows.set(key, { key, value });
  }
}

function tenanciesOf({ key, value }: Row, rows: ReadonlyMap<string, Row>): readonly Tenancy[] {
  const [first, place = '', kind = '', seqText = '', ...rest] = key.split('/');
  const acquireSeq = Number.parseInt(seqText, 16);
  if (first === 'd') {
    const [session, sessionName, token, delayMs, mode, permits, slots] = list(value);
    const closedAt = Number.parseInt(place, 16);
    const facts = [sessionName ?? null, token ?? null, delayMs ?? null, closedAt, mode ?? null];
    const order = [closedAt, acquireSeq];
    const about = { name: rest.join('/'), session: String(session), acquireSeq } as const;
    return [{ kind: 'd', ...about, order, facts: [...facts, permits ?? null, slots ?? null] }];
  }
  if (kind !== 'g' && kind !== 'w') return [];
  const [index = 0, , meta = '', grantValue = null, sinceMs = 0, items, last, slots] = list(value);
  const session = idOf(`s/${place}`, rows);
  return list(items).map((item, at) => {
    const [name, mode = null, permits = null] = list(item);
    const about = { kind, name: String(name), session, acquireSeq } as const;
    if (kind === 'w') {
      return { ...about, order: [Number(index)], facts: [mode, permits, index, sinceMs] };
    }
    const own = list(slots)[at] ?? [];
    const facts = [last ?? null, mode, permits, own, meta, grantValue, sinceMs];
    return { ...about, order: [Number(last), Number(index)], facts };
  });
}

/** The same, as the machine shows it. */
function shown(machine: LockMachine): readonly Omit<Tenancy, 'order'>[] {
  return machine.list('', '', 100).flatMap(({ name, holders, ghosts, waiters }) => [
    ...ghosts.map((view) => ({
      ...{ kind: 'd' as const, name, session: view.session, acquireSeq: view.acquireSeq },
      facts: [
        ...[view.sessionName, view.token, view.lockDelayMs, view.closedAt],
        ...[view.mode, view.permits, view.slots],
      ],
    })),
    ...holders.map((view) => ({
      ...{ kind: 'g' as const, name, session: view.session, acquireSeq: view.acquireSeq },
      facts: [
        ...[view.token, view.mode, view.permits, view.slots],
        ...[view.meta, view.value, view.sinceMs],
      ],
    })),
    ...waiters.map((view) => ({
      ...{ kind: 'w' as const, name, session: view.session, acquireSeq: view.acquireSeq },
      facts: [view.mode, view.permits, view.index, view.sinceMs],
    })),
  ]);
}

function byPlace(left: Tenancy, right: Tenancy): number {
  const [a = 0, b = 0] = left.order;
  const [c = 0, d = 0] = right.order;
  return compareText(left.name, right.name) || compareText(left.kind, right.kind) || a - c || b - d;
}

function withoutOrder({ kind, name, session, acquireSeq, facts }: Tenancy): object {
  return { kind, name, session, acquireSeq, facts };
}

function idOf(key: string, rows: ReadonlyMap<string, Row>): string {
  const [nonce] = list(rows.get(key)?.value ?? null);
  return `${Number.parseInt(key.slice(2), 16)}-${String(nonce)}`;
}

function list(value: RowValue | undefined): readonly RowValue[] {
  return Array.isArray(value) ? value : [];
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
