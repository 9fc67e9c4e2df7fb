import type { Figure } from './figures.mjs';

/** What is printed of one experiment. */
export interface ShownExperiment {
  readonly name: string;
  readonly about: string;
  readonly limits: null;
  readonly figures: readonly Figure[];
  readonly notes: readonly string[];
  readonly failed: string | null;
}

/** The lines of one experiment. */
export function experimentLines(experiment: ShownExperiment): readonly string[];
