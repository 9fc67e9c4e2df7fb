import type { NodeId, Term } from '../../src/base/units.ts';
import type { Core } from '../../src/raft/state.ts';
import type { LogTerms } from './log-terms.ts';
import type { DiskTruth } from './raft-disk.ts';
import type { NodeHistory } from './raft-history.ts';

/** One life of a node, as the checks see it. */
export interface LifeView {
  readonly id: NodeId;
  readonly core: Core;
  readonly history: NodeHistory;
  readonly disk: DiskTruth;
  /** The log in memory as of the last step. */
  readonly mirror: LogTerms;
  /** Term in which it leads, or led last; 0 if it never did. */
  readonly ledTerm: Term;
}
