// Those who wait for one lock, in log order (RAFT.md §13, INV-19).

import { OrderedSet } from '../base/ordered-set.ts';
import type { Index } from '../base/units.ts';

/** Something that waits: its place is the index of the entry that asked. */
export interface Queued {
  readonly request: { readonly index: Index };
}

/** Ordered by the index of the acquire; leaving from the middle is as cheap as from the front. */
export class Queue<T extends Queued> extends OrderedSet<T> {
  constructor() {
    super((left, right) => left.request.index - right.request.index);
  }
}
