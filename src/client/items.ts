// What a request is for: locks, and semaphores with the permits that it takes of them.

import { HoldfastError } from '../base/error.ts';
import { NAME_BYTES_MAX, nameProblem, utf8Length } from '../base/name.ts';
import { DEFAULT_LIMITS } from '../locks/commands.ts';
import type { LockMode, RequestItem } from '../locks/commands.ts';
import { nameList } from './loss.ts';
import { checkKnown, checkWhole, invalid } from './options.ts';

/** Names in one request (replicated limit, DESIGN.md §5). */
const NAMES_MAX = 64;
const { permitsTotalMax: TOTAL_MAX, permitsPerRequestMax: TAKEN_MAX } = DEFAULT_LIMITS;

/** One thing to take: a lock by its name, or a lock or semaphore with how to take it. */
export type LockItem =
  | string
  | {
      /** What to take. */
      readonly name: string;
      /** Of a lock; the mode of the acquire unless given. A semaphore has none. */
      readonly mode?: LockMode;
      /**
       * Makes it a semaphore: how many permits to take (1 to 1,024, at most the total), and how
       * many there are (1 to 1,000,000). All who hold or wait for it must say the same total.
       */
      readonly permits?: readonly [taken: number, total: number];
    };

/** A checked item. `mode` is null where the acquire decides. */
export interface CheckedItem {
  readonly name: string;
  readonly mode: LockMode | null;
  readonly permits: readonly [number, number] | null;
}

/** Throws HoldfastError INVALID unless these are 1 to 64 items with different names. */
export function checkItems(items: readonly LockItem[]): readonly CheckedItem[] {
  if (!Array.isArray(items) || items.length < 1 || items.length > NAMES_MAX) {
    const came = Array.isArray(items) ? `${items.length} items` : items;
    throw invalid('items', `1 to ${NAMES_MAX} lock names, or items with a name`, came);
  }
  const checked = items.map(checkItem);
  const names = checked.map((item) => item.name);
  if (new Set(names).size === names.length) return checked;
  throw new HoldfastError('INVALID', `the names must differ (got ${nameList(names)})`);
}

/** As they are sent. `mode` counts for the locks that have none of their own. */
export function requestItems(items: readonly CheckedItem[], mode: LockMode): RequestItem[] {
  return items.map(({ name, permits, mode: own }) => ({ name, permits, mode: own ?? mode }));
}

/** Throws HoldfastError INVALID unless it can name a lock. */
export function checkName(name: unknown): string {
  if (typeof name !== 'string') throw invalid('name', 'a string', name);
  const problem = nameProblem(name);
  if (problem === null) return name;
  throw new HoldfastError('INVALID', problem);
}

/** Text that a name may begin with, or come after. Throws HoldfastError INVALID. */
export function checkPart(option: string, text: unknown): string {
  const bytes = typeof text === 'string' ? utf8Length(text) : -1;
  if (typeof text === 'string' && bytes >= 0 && bytes <= NAME_BYTES_MAX) return text;
  throw invalid(option, `well-formed text of at most ${NAME_BYTES_MAX} bytes`, text);
}

/** Throws HoldfastError INVALID unless it is one of the modes. */
export function checkMode(mode: unknown): LockMode {
  if (mode === 'exclusive' || mode === 'shared') return mode;
  throw invalid('mode', '"exclusive" or "shared"', mode);
}

/** Permits in total. Throws HoldfastError INVALID. */
export function checkTotal(total: unknown): number {
  return checkWhole('total', total, [1, TOTAL_MAX]);
}

/** Permits to take of so many. Throws HoldfastError INVALID. */
export function checkTaken(taken: unknown, total: number): number {
  return checkWhole('permits', taken, [1, Math.min(TAKEN_MAX, total)]);
}

function checkItem(item: LockItem): CheckedItem {
  if (typeof item === 'string') return { name: checkName(item), mode: null, permits: null };
  if (typeof item !== 'object' || item === null) {
    throw invalid('item', 'a name, or an object with a name', item);
  }
  checkKnown(item, ['name', 'mode', 'permits']);
  const name = checkName(item.name);
  const mode = item.mode === undefined ? null : checkMode(item.mode);
  if (item.permits === undefined) return { name, mode, permits: null };
  if (mode === 'shared') {
    const text = `mode "shared" is not for a semaphore, as permits make one of ${nameList([name])}`;
    throw new HoldfastError('INVALID', text, { details: { option: 'mode' } });
  }
  return { name, mode: 'exclusive', permits: checkPermits(item.permits) };
}

function checkPermits(permits: unknown): readonly [number, number] {
  if (!Array.isArray(permits) || permits.length !== 2) {
    throw invalid('permits', 'a pair [taken, total]', permits);
  }
  const [taken, total]: readonly unknown[] = permits;
  const all = checkTotal(total);
  return [checkTaken(taken, all), all];
}
