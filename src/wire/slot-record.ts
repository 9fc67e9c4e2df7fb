import type { Index, NodeId, StoreId, Term } from '../base/units.ts';

/** Everything of the hard state, written as a whole to both slots (RAFT.md §15.2). */
export interface SlotRecord {
  /** Grows by one with every write. */
  readonly version: number;
  readonly formatVersion: number;
  /** null while the node is blank. */
  readonly clusterId: string | null;
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly bootCount: number;
  readonly term: Term;
  readonly vote: { readonly nodeId: NodeId; readonly storeId: StoreId } | null;
  /** The log is known to have reached this entry: shorter means loss (RAFT.md §15.3). */
  readonly durableFloor: { readonly index: Index; readonly term: Term };
  /** A sync failed: this directory may not be trusted again (RAFT.md §15.4). */
  readonly fsyncFailed: boolean;
}
