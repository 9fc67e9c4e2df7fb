/** The name of a kind of fault. */
export type FaultKind = string;

/** What can be done to the cluster and its clients. */
export const FAULT_KINDS: Readonly<
  Record<FaultKind, { readonly lengthMs: readonly [number, number]; readonly isEndOfNode: boolean }>
>;

/** One fault, before it has happened. */
export interface PlannedFault {
  /** From 1 on, in the order of time. */
  readonly number: number;
  readonly kind: FaultKind;
  /** From the start of the load. */
  readonly atMs: number;
  readonly lengthMs: number;
  /** From 0 up to but not including 1: decides whatever else is to be chosen. */
  readonly chance: number;
}

/** All faults of a run; the same for the same seed. */
export function drawSchedule(options: {
  readonly seed: number;
  readonly totalMs: number;
  readonly kinds?: readonly FaultKind[];
}): readonly PlannedFault[];
