// What a damage is.

import type { Place } from './harm.ts';

/**
 * Which directory is harmed. written: stopped in good order, all is in the write-ahead file.
 * killed: the same of another node, killed. restarted: `written` after one more life, in which the
 * node voted and took an entry; what is older than that is in a table.
 */
export type Source = 'written' | 'killed' | 'restarted';

/** The whole directories. */
export type Sources = Readonly<Record<Source, string>>;

/** What is done to a copy of which directory, and how its start must end. */
export interface Damage {
  readonly title: string;
  readonly source: Source;
  readonly harm: (place: Place, sources: Sources) => void | Promise<void>;
  readonly exitCode: number;
  readonly says: RegExp;
  /** Other than that of the cluster. */
  readonly name?: string;
}
