// What faults of several kinds share, wherever they come from.

import type { Impairment, Undo } from '../world/direction.ts';
import type { Network } from '../world/network.ts';

/** Which ways are meant. */
export interface Ways {
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Only from the first to the second ones, not back; default false. */
  readonly isOneWay?: boolean;
}

/** Impairs the ways from each to each other one; null when there are none. */
export function impair(network: Network, ways: Ways, impairment: Impairment): Undo | null {
  const { from, to, isOneWay = false } = ways;
  const undos = from.flatMap((left) =>
    to
      .filter((right) => right !== left)
      .flatMap((right) => [
        network.impair(left, right, impairment),
        ...(isOneWay ? [] : [network.impair(right, left, impairment)]),
      ]),
  );
  return undos.length === 0 ? null : all(undos);
}

/** One way to undo all of these. */
export function all(undos: readonly Undo[]): Undo {
  return () => {
    for (const undo of undos) undo();
  };
}

/** What several faults may do to the same thing at the same time: it ends with the last. */
export class SharedStates {
  // One for each thing that faults can share: a few for each process.
  private readonly holds = new Map<string, number>();

  /** Begins it, and gives the way to end it, which counts once. */
  begin(what: string, begin: () => void, end: () => void): Undo {
    this.holds.set(what, (this.holds.get(what) ?? 0) + 1);
    begin();
    return () => {
      const left = (this.holds.get(what) ?? 0) - 1;
      this.holds.set(what, left);
      if (left === 0) end();
    };
  }
}
