/** What a run was told. */
export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly trials: number;
  readonly processes: number;
  readonly limitCount: number;
  readonly isQuick: boolean;
  readonly isList: boolean;
  readonly only: readonly string[];
  readonly directory: string | null;
  readonly jsonFile: string | null;
  readonly compareFile: string | null;
}

/** How to call it. */
export const USAGE: string;

/** Settings of a run. Throws with the way it is used when something cannot be meant. */
export function readOptions(args: readonly string[]): Options;

/** Those that `only` names; all when it is empty. Throws for a name that fits nothing. */
export function chosen<T extends { readonly name: string }>(
  experiments: readonly T[],
  only: readonly string[],
): readonly T[];
