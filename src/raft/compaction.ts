// The beginning of the log goes once a durable checkpoint contains it (RAFT.md §9).

import { assert } from '../base/assert.ts';
import type { EntryId } from './events.ts';
import type { Core } from './state.ts';

/**
 * The host deleted everything up to `anchor`. It was applied, and it is durable, so neither a cut
 * nor a write will need it; a follower that does gets the checkpoint instead.
 */
export function onCompacted(core: Core, anchor: EntryId): void {
  const { log, writes, configurations } = core;
  // A checkpoint from elsewhere was installed meanwhile, and reached further.
  if (anchor.index <= log.anchorIndex) return;
  assert(anchor.index <= core.appliedIndex, 'only what a checkpoint contains is compacted');
  assert(anchor.index <= writes.durableIndex, 'the log is durable up to its checkpoint');
  log.compactTo(anchor);
  configurations.compactTo(anchor.index);
}
