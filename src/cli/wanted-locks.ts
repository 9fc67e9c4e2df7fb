// Which locks a command line asks for: names, and how each of them is taken.

import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { LockItem } from '../client/items.ts';
import type { Grant } from '../index.ts';
import { EXIT, Failure } from './exit-code.ts';
import { checkLockName } from './lock-name.ts';

/** How all named locks are taken; at most one of the two. */
export interface MannerOptions {
  readonly shared?: true;
  readonly permits?: readonly [taken: number, total: number];
}

const NAMES_MAX = 64;
const PERMITS_TOTAL_MAX = 1_000_000;
const PERMITS_TEXT = 'expected K/N, such as 1/4: K permits of N in all';

/** Adds --shared and --permits. */
export function addMannerOptions(command: Command): Command {
  return command
    .option('--shared', 'share the lock with others who say so, but with nobody else')
    .option(
      '--permits <k/n>',
      'take K of the N permits of a semaphore; all who use it must say the same N',
      permitsArgument,
    );
}

/** The request for these names. Throws INVALID for a bad name, a Failure (64) for the rest. */
export function wantedItems(names: readonly string[], options: MannerOptions): LockItem[] {
  const { shared, permits } = options;
  if (shared === true && permits !== undefined) {
    throw usage('give --shared, for a lock, or --permits, for a semaphore; got both');
  }
  names.forEach(checkLockName);
  const again = names.find((name, at) => names.indexOf(name) !== at);
  if (again !== undefined) throw usage(`expected each name once; got ${shown(again)} twice`);
  if (names.length > NAMES_MAX) {
    throw usage(`expected at most ${NAMES_MAX} names; got ${names.length}`);
  }
  if (permits !== undefined) return names.map((name) => ({ name, permits }));
  const mode = shared === true ? 'shared' : 'exclusive';
  return names.map((name) => ({ name, mode }));
}

/** How messages name what is wanted or held: the first name, and how many more. */
export function namesText(names: readonly string[]): string {
  const first = shown(names[0] ?? '');
  return names.length > 1 ? `${first} and ${names.length - 1} more` : first;
}

/** Slot numbers of each name of a grant, in their order. */
export function slotsOfAll(grant: Grant): readonly (readonly number[])[] {
  return grant.names.map((name) => grant.slotsOf(name));
}

function permitsArgument(text: string): readonly [number, number] {
  const [, taken, total] = (/^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []).map(Number);
  if (taken === undefined || total === undefined)
    throw new InvalidArgumentError(`${PERMITS_TEXT}.`);
  if (taken >= 1 && taken <= total && total <= PERMITS_TOTAL_MAX) return [taken, total];
  const range = `1 ≤ K ≤ N ≤ ${PERMITS_TOTAL_MAX}`;
  throw new InvalidArgumentError(`${PERMITS_TEXT}, with ${range}.`);
}

function usage(what: string): Failure {
  return new Failure(EXIT.usage, `USAGE: ${what}`);
}

function shown(name: string): string {
  return JSON.stringify(name);
}
