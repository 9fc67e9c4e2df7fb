import type { Figure } from './figures.mjs';

/** The table of one experiment of a report; no lines when it has no curves. */
export function curveTable(experiment: { readonly figures: readonly Figure[] }): readonly string[];

/** One table of all experiments, without their curves; no lines when nothing else is there. */
export function figureTable(
  experiments: readonly {
    readonly name: string;
    readonly limits: Readonly<Record<string, number>> | null;
    readonly figures: readonly Figure[];
  }[],
): readonly string[];
