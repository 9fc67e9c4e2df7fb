import type { Index, Term } from '../base/units.ts';
import type { ReplicatedLimits } from '../locks/commands.ts';
import type { Member } from '../raft/config.ts';

/** Made once by the first node of the file, copied to the rest (DESIGN.md §4.12). */
export interface FoundingRecord {
  /** 128 random bits in hex. */
  readonly clusterId: string;
  readonly clusterName: string;
  readonly members: readonly Member[];
  readonly limits: ReplicatedLimits;
  /** The log starts after this index, so that tokens never repeat (DESIGN.md §4.13). */
  readonly origin: Index;
  /** The backup that the cluster begins with; null: it begins empty. */
  readonly restored: RestoredFrom | null;
}

/** What a restored cluster begins with (RAFT.md §15.7). */
export interface RestoredFrom {
  /** Of the last entry in the backup. */
  readonly index: Index;
  readonly term: Term;
  /** For how long nothing is granted: clients of the old cluster may still believe. */
  readonly embargoMs: number;
  /** Of the state after the restore: what every member must have. */
  readonly rowSum: string;
}
