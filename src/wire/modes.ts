import type { LockMode } from '../locks/commands.ts';

/** Modes of a lock by their numbers on the wire; the list only ever grows at its end. */
export const MODES = ['exclusive', 'shared'] as const satisfies readonly LockMode[];
