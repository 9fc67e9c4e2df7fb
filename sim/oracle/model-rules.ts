// What the lock machine must refuse as malformed (DESIGN.md §5), told once more and without texts.

import { nameProblem, utf8Length } from '../../src/base/name.ts';
import type { Acquire, OpenSession, ReplicatedLimits } from '../../src/locks/commands.ts';

/** Whether a session may be opened like this. */
export function isOpenable(command: OpenSession, limits: ReplicatedLimits): boolean {
  const { nonce, ttlMs, lockDelayMs, name, meta } = command;
  return (
    /^[\w-]{16}$/.test(nonce) &&
    (ttlMs === null || isWithin(ttlMs, limits.ttlMsMin, limits.ttlMsMax)) &&
    lockDelayMs === 0 &&
    isText(name, limits.nameBytesMax) &&
    isText(meta, limits.metaBytesMax)
  );
}

/** Whether locks may be asked for like this by a session that has so many names already. */
export function isAskable(command: Acquire, limits: ReplicatedLimits, names: number): boolean {
  const { items, waitMs, meta, value } = command;
  return (
    isWithin(items.length, 1, limits.namesPerRequestMax) &&
    items.every((item) => item.mode === 'exclusive' && item.permits === null) &&
    items.every((item) => nameProblem(item.name, limits.nameBytesMax) === null) &&
    new Set(items.map((item) => item.name)).size === items.length &&
    (waitMs === null || isWithin(waitMs, 0, Number.MAX_SAFE_INTEGER)) &&
    isText(meta, limits.metaBytesMax) &&
    (value === null || isText(value, limits.metaBytesMax)) &&
    names + items.length <= limits.holdingsPerSessionMax
  );
}

/** Well-formed Unicode of at most so many bytes. */
export function isText(text: string, bytesMax: number): boolean {
  return isWithin(utf8Length(text), 0, bytesMax);
}

/** A whole number from `min` to `max`. */
export function isWithin(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}
