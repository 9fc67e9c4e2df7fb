import type { Figure } from './figures.mjs';

/** What a comparison needs of a report. */
export interface ComparableReport {
  readonly experiments: readonly {
    readonly name: string;
    readonly figures: readonly Figure[];
    /** null when it failed before they were known. */
    readonly limits: Readonly<Record<'diskMs' | 'tcpMs' | 'wsMs', number>> | null;
  }[];
}

/** One figure in both reports. */
export interface Comparison {
  readonly experiment: string;
  readonly name: string;
  readonly unit: string;
  readonly then: number;
  readonly now: number;
  /** now : then. */
  readonly ratio: number;
  readonly mark: '' | 'better' | 'worse';
}

/** All figures that both reports have, and the limits beside them. */
export function compareReports(
  then: ComparableReport,
  now: ComparableReport,
): readonly Comparison[];
