// What the lock machine must refuse as malformed (DESIGN.md §5), told once more and without texts.

import { nameProblem, utf8Length } from '../../src/base/name.ts';
import type {
  Acquire,
  OpenSession,
  ReplicatedLimits,
  RequestItem,
} from '../../src/locks/commands.ts';

/** Whether a session may be opened like this. */
export function isOpenable(command: OpenSession, limits: ReplicatedLimits): boolean {
  const { nonce, ttlMs, lockDelayMs, name, meta } = command;
  return (
    /^[\w-]{16}$/.test(nonce) &&
    (ttlMs === null || isWithin(ttlMs, limits.ttlMsMin, limits.ttlMsMax)) &&
    isWithin(lockDelayMs, 0, limits.lockDelayMsMax) &&
    isText(name, limits.nameBytesMax) &&
    isText(meta, limits.metaBytesMax)
  );
}

/** Whether locks may be asked for like this by a session of which so much is there already. */
export function isAskable(command: Acquire, limits: ReplicatedLimits, has: number): boolean {
  const { items, waitMs, meta, value } = command;
  return (
    isWithin(items.length, 1, limits.namesPerRequestMax) &&
    items.every((item) => isItem(item, limits)) &&
    new Set(items.map((item) => item.name)).size === items.length &&
    (waitMs === null || isWithin(waitMs, 0, Number.MAX_SAFE_INTEGER)) &&
    isText(meta, limits.metaBytesMax) &&
    (value === null || isText(value, limits.metaBytesMax)) &&
    has + weightOf(items) <= limits.holdingsPerSessionMax
  );
}

/** What requests count in `holdingsPerSessionMax`: a lock one, a semaphore its permits. */
export function weightOf(items: readonly RequestItem[]): number {
  return items.reduce((sum, { permits }) => sum + (permits?.[0] ?? 1), 0);
}

/** Whether an operator may put these limits in force. */
export function areLimits(limits: ReplicatedLimits): boolean {
  const { ttlMsMin, ttlMsMax, lockDelayMsMax, windowMax, namesPerRequestMax } = limits;
  const { nameBytesMax, metaBytesMax, permitsTotalMax, permitsPerRequestMax } = limits;
  return (
    isWithin(ttlMsMax, 1_000, 24 * 60 * 60 * 1_000) &&
    isWithin(ttlMsMin, 100, ttlMsMax) &&
    isWithin(lockDelayMsMax, 0, 60_000) &&
    isWithin(windowMax, 1, 65_536) &&
    isWithin(namesPerRequestMax, 1, 64) &&
    isWithin(limits.holdingsPerSessionMax, 1, 10_000) &&
    isWithin(nameBytesMax, 1, 512) &&
    isWithin(metaBytesMax, 0, 4_096) &&
    isWithin(permitsTotalMax, 1, 1_000_000) &&
    isWithin(permitsPerRequestMax, 1, 1_024)
  );
}

function isItem({ name, mode, permits }: RequestItem, limits: ReplicatedLimits): boolean {
  if (nameProblem(name, limits.nameBytesMax) !== null) return false;
  if (permits === null) return mode === 'exclusive' || mode === 'shared';
  const [taken, total] = permits;
  return (
    mode === 'exclusive' &&
    isWithin(total, 1, limits.permitsTotalMax) &&
    isWithin(taken, 1, Math.min(total, limits.permitsPerRequestMax))
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
