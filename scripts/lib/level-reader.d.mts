/** One version of a key. */
export interface LevelPair {
  readonly key: string;
  readonly value: Uint8Array;
  readonly sequence: number;
  readonly isDeletion: boolean;
  /** Name of the file that holds it. */
  readonly file: string;
  /** Where in that file a byte of the value lies. */
  readonly place: (offset: number) => number;
}

/** What is wrong where; `length` 0 when it cannot be told. */
export interface LevelProblem {
  readonly file: string;
  readonly at: number;
  readonly length: number;
  readonly what: string;
}

/** A file that counts. */
export interface LevelFile {
  readonly name: string;
  readonly kind: 'manifest' | 'log' | 'table';
  readonly isThere: boolean;
  /** Of a table: the block that tells where the others are. */
  readonly index?: { readonly at: number; readonly length: number } | null;
}

/** A store as its files tell it. */
export interface LevelReading {
  readonly files: readonly LevelFile[];
  /** The newest version of each key that was not deleted, in key order. */
  readonly live: ReadonlyMap<string, LevelPair>;
  /** All versions of all keys, the deleted and the overwritten ones too. */
  readonly versions: readonly LevelPair[];
  readonly problems: readonly LevelProblem[];
}

/** Reads the LevelDB store in this directory; never throws for damage. */
export function readStore(directory: string): LevelReading;

/** Keys of `before` that `after` lacks, or has with another value. */
export function lossBetween(
  before: LevelReading,
  after: LevelReading,
): { readonly gone: readonly string[]; readonly changed: readonly string[] };
