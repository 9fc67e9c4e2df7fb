import type { Mutant } from './types.ts';

/** A bug that nobody can miss: as long as it dies, the whole machinery is at work. */
export const CANARY: Mutant = {
  id: 'C-01',
  title: 'grants every lock at once, whoever holds it',
  file: 'src/locks/granting.ts',
  find: `if (!isCompatible(need, lock)) {`,
  replace: `if (!isCompatible(need, lock) && name === '') {`,
};
