// What a holder presents to a guard, checked before anything is asked of a store.

import { HoldfastError, describeValue } from '../base/error.ts';
import { nameProblem } from '../base/name.ts';
import type { LockMode } from '../locks/commands.ts';
import { invalid } from './errors.ts';
import { NO_SLOT } from './rule.ts';

/** Largest token: 2^53 - 1, up to which a number is exact. */
const TOKEN_MAX = Number.MAX_SAFE_INTEGER;
/** As many permits as one request may ask for. */
const SLOTS_MAX = 1_024;
/** The largest number of a slot: it fits a column of 32 bits. */
const SLOT_MAX = 2 ** 31 - 1;

/**
 * Why somebody may write: the token of a grant. A grant of the client is one as it is; one with
 * several names is for resources that are named like them, each with its own mode and slots. For
 * anything else say what is meant: `{ token: grant.token, mode: 'exclusive' }`.
 */
export interface FenceClaim {
  /** The grant's fencing token: a whole number from 1 to 2^53 - 1, never a text. */
  readonly token: number;
  /** `exclusive` unless given. Of no meaning with slots. */
  readonly mode?: LockMode;
  /**
   * Of a semaphore: the grant's slot numbers, different ones from 0 to 2^31 - 1, at most 1,024.
   * Each is fenced by itself, and the claim passes only if it passes for all. None: a lock.
   */
  readonly slots?: readonly number[];
  /** Of a grant: its names. */
  readonly names?: readonly string[];
  /** Of a grant: how it holds one of its names. */
  modeOf?(name: string): LockMode;
  /** Of a grant: its slots of one of its names. */
  slotsOf?(name: string): readonly number[];
}

/** A claim that was checked, for one resource. */
export interface CheckedClaim {
  /** What is protected, named by the rule of lock names; mostly the name of its lock. */
  readonly resource: string;
  /** From 1 to 2^53 - 1. */
  readonly token: number;
  /** Always `exclusive` with slots: nobody shares a slot. */
  readonly mode: LockMode;
  /** Ascending; empty for a lock. */
  readonly slots: readonly number[];
}

/**
 * A claim as guards use it. Throws HoldfastError INVALID, before anything is asked or changed, when
 * the resource is no name (1 to 512 bytes of well-formed UTF-8 without control characters) or the
 * claim is not what FenceClaim says.
 */
export function checkClaim(resource: string, claim: FenceClaim): CheckedClaim {
  // Callers without types may give anything.
  const given: unknown = claim;
  if (typeof given !== 'object' || given === null) {
    throw invalid('claim', 'a grant, or an object with its token', given);
  }
  const { token, mode = 'exclusive', slots = [] } = meantFor(resource, claim);
  const checkedSlots = checkSlots(slots);
  if (mode !== 'exclusive' && mode !== 'shared') {
    throw invalid('mode', "'exclusive' or 'shared'", mode);
  }
  return {
    resource: checkResource(resource),
    token: checkToken(token),
    mode: checkedSlots.length === 0 ? mode : 'exclusive',
    slots: checkedSlots,
  };
}

/**
 * Of a claim with several names, what it says of one. Throws INVALID where that is not known: the
 * mode and slots of another name would let a stale holder pass.
 */
export function meantFor(name: unknown, claim: FenceClaim): FenceClaim {
  const { token, names } = claim;
  if (!Array.isArray(names) || names.length < 2) return claim;
  if (typeof claim.modeOf === 'function' && typeof claim.slotsOf === 'function') {
    if (typeof name === 'string' && names.includes(name)) {
      return { token, mode: claim.modeOf(name), slots: claim.slotsOf(name) };
    }
  }
  const text =
    `this grant has several names (${names.join(', ')}), and it is not known which of them ` +
    `${describeValue(name)} is: name the resource like one of them, or say what is meant, ` +
    `{ token: grant.token, mode: 'exclusive' } or with slots: grant.slotsOf(…)`;
  throw new HoldfastError('INVALID', text, { details: { option: 'claim' } });
}

/** The slots under which a claim is remembered: its own, or that of a lock. */
export function rowsOf({ slots }: CheckedClaim): readonly number[] {
  return slots.length === 0 ? [NO_SLOT] : slots;
}

/** A name of a resource. Throws HoldfastError INVALID. */
export function checkResource(resource: unknown): string {
  if (typeof resource !== 'string') {
    throw invalid('resource', 'a text that could name a lock', resource);
  }
  const problem = nameProblem(resource);
  if (problem === null) return resource;
  const text = `resource: ${problem} (got ${describeValue(resource)})`;
  throw new HoldfastError('INVALID', text, { details: { option: 'resource' } });
}

/** A slot to be asked about, NO_SLOT when left out. Throws HoldfastError INVALID. */
export function checkSlot(slot: number = NO_SLOT): number {
  if (slot === NO_SLOT || isSlot(slot)) return slot;
  throw invalid('slot', `a whole number from 0 to ${SLOT_MAX}, or none for a lock`, slot);
}

function checkToken(token: unknown): number {
  if (typeof token === 'number' && Number.isSafeInteger(token) && token >= 1) return token;
  if (typeof token === 'string' && /^\d{1,16}$/.test(token)) {
    throw invalid('token', `a number, as of Number(token), from 1 to ${TOKEN_MAX}`, token);
  }
  throw invalid('token', `a whole number from 1 to ${TOKEN_MAX}`, token);
}

function checkSlots(value: unknown): readonly number[] {
  const expected = `at most ${SLOTS_MAX} different whole numbers from 0 to ${SLOT_MAX}`;
  if (!Array.isArray(value)) throw invalid('slots', expected, value);
  const list: readonly unknown[] = value;
  if (list.length > SLOTS_MAX)
    throw invalid('the number of slots', `at most ${SLOTS_MAX}`, list.length);
  const slots = new Set<number>();
  for (const slot of list) {
    if (!isSlot(slot) || slots.has(slot)) throw invalid('slots', expected, slot);
    slots.add(slot);
  }
  return [...slots].toSorted((left, right) => left - right);
}

function isSlot(value: unknown): value is number {
  return (
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= SLOT_MAX
  );
}
