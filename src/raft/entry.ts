import type { Index, Term } from '../base/units.ts';
import type { ClusterConfig } from './config.ts';

/** noop: first entry of a term. config: carries a ClusterConfig. command: for the state machine. */
export type EntryType = 'noop' | 'config' | 'command';

/**
 * One record of the replicated log. (index, term) names its content for ever (INV-3).
 * `prevTerm` chains it to its predecessor, so that a gap or a swap on disk is seen.
 */
export interface Entry {
  readonly index: Index;
  readonly term: Term;
  readonly prevTerm: Term;
  readonly type: EntryType;
  /** What the host proposed; empty for a no-op. Consensus never looks inside a command. */
  readonly payload: Uint8Array;
  /** The decoded configuration of a `config` entry, else null. */
  readonly config: ClusterConfig | null;
  /**
   * Memory of the host's in which the payload lies behind its head, as in frames and on disk;
   * entries that came together share it. Null: the payload is somewhere else.
   */
  readonly record: Uint8Array | null;
}
