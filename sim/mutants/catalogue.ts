// Every bug of the list, and those against rules of this project, planted or with the reason why
// not, in the order of their numbers.

import { CHECKPOINTS } from './checkpoints.ts';
import { CLIENT } from './client.ts';
import { DELAYS } from './delays.ts';
import { ELECTIONS } from './elections.ts';
import { FAMILY } from './family.ts';
import { LEASING } from './leases.ts';
import { LOCKS } from './locks.ts';
import { MEMBERSHIPS } from './membership.ts';
import { OUTCOMES } from './outcomes.ts';
import { READING } from './reads.ts';
import { REPLICATION } from './replication.ts';
import { RESTORES } from './restores.ts';
import { SHARING } from './sharing.ts';
import { SNAPSHOTS } from './snapshots.ts';
import { STORAGE } from './storage.ts';
import { TRANSFERS } from './transfer.ts';
import { WATCHING } from './watching.ts';
import type { FurtherEdit, Mutant, MutantGroup, Unplanted } from './types.ts';
import { SHADOWED } from './shadowed.ts';
import { UNREACHED } from './unreached.ts';

const GROUPS: readonly MutantGroup[] = [
  ELECTIONS,
  REPLICATION,
  READING,
  SNAPSHOTS,
  RESTORES,
  CHECKPOINTS,
  MEMBERSHIPS,
  TRANSFERS,
  OUTCOMES,
  LOCKS,
  LEASING,
  CLIENT,
  STORAGE,
  FAMILY,
  DELAYS,
  WATCHING,
  SHARING,
];

const WRITTEN: readonly Mutant[] = GROUPS.flatMap((group) => group.planted).sort(byId);

/** Bugs that the campaign must find. */
export const PLANTED: readonly Mutant[] = WRITTEN.filter((mutant) => !isWaiting(mutant));

/** Bugs that no drawn script reaches; named tests kill them. They can be hunted by their id. */
export const WAITING: readonly Mutant[] = WRITTEN.filter(isWaiting);

/** Bugs that cannot be planted here, or not yet. */
export const UNPLANTED: readonly Unplanted[] = [
  ...GROUPS.flatMap((group) => group.unplanted),
  ...WAITING.map(({ id, title }) => unreached(id, title)),
].sort(byId);

/** The files that the mutant changes, each once. */
export function filesOf({ file, also = [] }: Mutant): readonly string[] {
  return [...new Set([file, ...also.map((edit) => edit.file ?? file)])];
}

/** That file's text with the mutant in it. Throws unless each `find` stands there exactly once. */
export function mutated(mutant: Mutant, text: string, file = mutant.file): string {
  const edits: readonly FurtherEdit[] = [mutant, ...(mutant.also ?? [])];
  let changed = text;
  for (const { find, replace, ...edit } of edits) {
    if ((edit.file ?? mutant.file) !== file) continue;
    const parts = changed.split(find);
    if (parts.length !== 2) {
      const times = `${parts.length - 1} times what it must have once`;
      throw new Error(`${mutant.id}: ${file} has ${times}: ${find}`);
    }
    changed = parts.join(replace);
  }
  return changed;
}

function isWaiting({ id }: Mutant): boolean {
  return UNREACHED.has(id) || SHADOWED.has(id);
}

function unreached(id: string, title: string): Unplanted {
  const guard = SHADOWED.get(id);
  if (guard !== undefined) return { id, title, because: 'elsewhere', why: guard };
  const why = `for scenes that reach it: 1,000 drawn runs did not; ${UNREACHED.get(id) ?? ''}`;
  return { id, title, because: 'waits', why };
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id < right.id ? -1 : 1;
}
