// How rows tell what a request wants, or has, of a name.

import { nameProblem } from '../base/name.ts';
import type { LockMode, RequestItem } from './commands.ts';
import type { RowValue } from './machine-types.ts';
import { rowError } from './row-reader.ts';
import type { RowReader } from './row-reader.ts';

const MODES = ['exclusive', 'shared'] as const satisfies readonly LockMode[];

/** Positional value of one name of a request. */
export function itemRow({ name, mode, permits }: RequestItem): RowValue {
  return [name, mode, permits];
}

/** All of a request, in its order, each name once. Throws RowError. */
export function readItems(row: RowReader): readonly RequestItem[] {
  const items = row.rest((rest) => readItem(rest.list('a name of the request')));
  const isDistinct =
    items.length < 2 || new Set(items.map(({ name }) => name)).size === items.length;
  if (items.length > 0 && isDistinct) return items;
  const came = items.map(({ name }) => JSON.stringify(name)).join(', ');
  throw rowError(row.key, 'at least one name, each once', `[${came}]`);
}

/** Throws RowError. */
export function readMode(row: RowReader): LockMode {
  return row.choice('the mode', MODES);
}

/** [taken, total] of a semaphore, null for a lock. Throws RowError. */
export function readPermits(row: RowReader): readonly [number, number] | null {
  const permits = row.listOrNull('the permits');
  if (permits === null) return null;
  const taken = permits.whole('the permits taken', 1);
  return permits.done([taken, permits.whole('the permits in total', taken)]);
}

/** Slot numbers, ascending. Throws RowError. */
export function readSlots(row: RowReader): readonly number[] {
  let next = 0;
  return row.rest((rest) => {
    const slot = rest.whole('the slot', next);
    next = slot + 1;
    return slot;
  });
}

/** Why a kind of claim cannot be, or null; the texts are for RowError. */
export function checkItem(key: string, item: RequestItem): void {
  const { name, mode, permits } = item;
  const problem = nameProblem(name);
  if (problem !== null) throw rowError(key, 'the name of a lock', problem);
  if (permits === null || mode === 'exclusive') return;
  throw rowError(key, 'permits of an exclusive request', 'those of a shared one');
}

function readItem(row: RowReader): RequestItem {
  const item = { name: row.text('the name'), mode: readMode(row), permits: readPermits(row) };
  checkItem(row.key, item);
  return row.done(item);
}
