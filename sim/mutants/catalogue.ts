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
import { SHARING } from './sharing.ts';
import { SNAPSHOTS } from './snapshots.ts';
import { STORAGE } from './storage.ts';
import { TRANSFERS } from './transfer.ts';
import { WATCHING } from './watching.ts';
import type { Edit, Mutant, MutantGroup, Unplanted } from './types.ts';
import { UNREACHED } from './unreached.ts';

const GROUPS: readonly MutantGroup[] = [
  ELECTIONS,
  REPLICATION,
  READING,
  SNAPSHOTS,
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
export const PLANTED: readonly Mutant[] = WRITTEN.filter(({ id }) => !UNREACHED.has(id));

/** Bugs that no drawn script reaches yet; named tests kill them. They can be hunted by their id. */
export const WAITING: readonly Mutant[] = WRITTEN.filter(({ id }) => UNREACHED.has(id));

/** Bugs that cannot be planted here, or not yet. */
export const UNPLANTED: readonly Unplanted[] = [
  ...GROUPS.flatMap((group) => group.unplanted),
  ...WAITING.map(({ id, title }) => unreached(id, title)),
].sort(byId);

/** The file's text with the mutant in it. Throws unless each `find` stands there exactly once. */
export function mutated({ id, file, also = [], ...first }: Mutant, text: string): string {
  let changed = text;
  for (const { find, replace } of [first, ...also] satisfies readonly Edit[]) {
    const parts = changed.split(find);
    if (parts.length !== 2) {
      throw new Error(
        `${id}: ${file} has ${parts.length - 1} times what it must have once: ${find}`,
      );
    }
    changed = parts.join(replace);
  }
  return changed;
}

function unreached(id: string, title: string): Unplanted {
  const why = `for scenes that reach it: 250 drawn runs did not; ${UNREACHED.get(id) ?? ''}`;
  return { id, title, because: 'waits', why };
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id < right.id ? -1 : 1;
}
