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
  /** Encoded form, the same in frames and on disk; filled by the host when first needed. */
  record: Uint8Array | null;
}
