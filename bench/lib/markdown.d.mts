import type { Figure } from './figures.mjs';

/** The table of one experiment of a report; no lines when it has no curves. */
export function curveTable(experiment: { readonly figures: readonly Figure[] }): readonly string[];
