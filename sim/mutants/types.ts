/** One change of a text. `find` stands exactly once in the file. */
export interface Edit {
  readonly find: string;
  readonly replace: string;
}

/** A change of one file of the product: a bug, or something harmless. */
export interface Mutant extends Edit {
  /**
   * `M-03`: of the list of bugs that programs of this kind are known for; with a letter for a
   * variant (`M-03b`). `N-…` breaks a rule of this project, `B-…` is harmless, `C-…` the canary.
   */
  readonly id: string;
  /** What the changed program does, as a phrase. */
  readonly title: string;
  /** From the root of the repository. */
  readonly file: string;
  /**
   * What the same slip needs elsewhere: an import, an assertion that says the same, or a second
   * guard, mostly in the same file.
   */
  readonly also?: readonly FurtherEdit[];
}

/** Part of a mutant. */
export interface FurtherEdit extends Edit {
  /** Default: the file of the mutant. */
  readonly file?: string;
}

/** A bug of the list that is not planted, and why. */
export interface Unplanted {
  readonly id: string;
  readonly title: string;
  /**
   * equivalent: in this program it breaks no promise. waits: for a capability that is not there
   * yet, or for scenes that reach it. elsewhere: below what is simulated, or beside it; a named
   * test kills it.
   */
  readonly because: 'equivalent' | 'waits' | 'elsewhere';
  readonly why: string;
}

/** One part of the catalogue. */
export interface MutantGroup {
  readonly planted: readonly Mutant[];
  readonly unplanted: readonly Unplanted[];
}
