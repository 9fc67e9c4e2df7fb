// What may go wrong in a simulated world, as its user sees it: plain data, so that it can be drawn,
// saved, read by a person, and made smaller.

/**
 * What can go wrong, with a node of the cluster or with one of the user's own processes:
 * - `pause`: it stands still, as in a long garbage collection or after SIGSTOP. Its clocks go on.
 * - `suspend`: its machine sleeps; monotonic time stands still as well.
 * - `crash`: it dies, and starts again when the fault is over. With an odd `arg` its machine loses
 *   power: what was not synced is gone, and nothing tells the others.
 * - `isolate`: it is cut off from everybody. Of nodes, with an odd `arg`: from other nodes only.
 * - `isolateIn`: it hears nobody, and is heard. `isolateOut`: the other way round.
 * - `split`: the nodes fall into two parts, and everybody else with them, by the bits of `arg`.
 * - `lag`: whatever it sends and hears takes longer, by 5 ms and up to 3 s, by `arg`.
 * - `slow`: each of its call-backs takes 0.2 ms and up to 50 ms, by `arg`: a starved CPU.
 * - `reset`: its connections break, and can be made anew.
 * - `clockRate`: its clock runs up to 1 % too fast or too slow, by `arg`: as leases allow for.
 * - `wallJump`: its wall clock is wrong by 1 s, a minute or a day, by `arg`.
 * - `slowDisk`: each operation of its disk takes 1 ms and up to 1 s longer, by `arg`. Nodes only.
 */
export const WORLD_FAULT_KINDS = [
  'pause',
  'suspend',
  'crash',
  'isolate',
  'isolateIn',
  'isolateOut',
  'split',
  'lag',
  'slow',
  'reset',
  'clockRate',
  'wallJump',
  'slowDisk',
] as const;

/** One of them. */
export type WorldFaultKind = (typeof WORLD_FAULT_KINDS)[number];

/** One thing that goes wrong. Any values will do: what does not apply does nothing. */
export interface WorldFault {
  /** What goes wrong. */
  readonly kind: WorldFaultKind;
  /**
   * Whom it strikes: a process by its name, a node by its id (`n1`, `n2`, …), `leader` (whoever
   * leads the cluster then), `holder` (a process that holds a lock then), or a whole number: the
   * n-th process in the order of their starts, from 0, and round again. While nobody leads or
   * holds, it waits for the next one who does, up to 10 s.
   */
  readonly target: number | string;
  /** Milliseconds from the beginning of the scenario, from 0. */
  readonly atMs: number;
  /** Milliseconds until it is undone, from 0. What is over at once, such as `reset`, ignores it. */
  readonly forMs: number;
  /**
   * A whole number from 0: a variant of the kind. For kinds without variants that strike a
   * `holder`: so many milliseconds after it was seen to hold.
   */
  readonly arg: number;
}

/** A fault that struck. */
export interface Strike {
  readonly fault: WorldFault;
  /** The name of the process or node that was meant. */
  readonly target: string;
  /** When it began, in virtual microseconds of the world. */
  readonly fromUs: number;
  /** When it is undone at the latest; that of faults that are over at once equals `fromUs`. */
  readonly toUs: number;
}
