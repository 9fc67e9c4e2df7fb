// Writes that leave and come back. One log batch is out at a time; a batch with entries of a term
// is handed over only when the term is durable: entries that outlive their term in a crash lose
// committed data (RAFT.md §5.3; openraft io_ordering).

import { onVoteDurable } from './election.ts';
import { present } from '../base/assert.ts';
import { mayPersist } from './snapshot-receiving.ts';
import type { Core } from './state.ts';

/** Hands out term and vote if they changed. */
export function writeHardState(core: Core): void {
  const { hard } = core;
  const version = hard.takeUnwritten();
  if (version === null) return;
  core.effects.push({ type: 'writeSlots', version, term: hard.term, vote: hard.vote });
}

/** Hands out the next batch if none is out: all that arrived meanwhile, up to a limit. */
export function persistEntries(core: Core): void {
  const { log, writes, hard, settings } = core;
  if (writes.isBusy || !hard.isTermDurable || writes.submittedIndex === log.lastIndex) return;
  if (!mayPersist(core)) return;
  const from = writes.submittedIndex + 1;
  const slice = log.slice(from, log.lastIndex, settings.persistBytesMax);
  const entries = present(slice, 'entries that are not durable, in memory');
  const last = present(entries[entries.length - 1], 'the last entry of a batch');
  const { sequence, truncateFrom } = writes.begin(last.index, core.nowUs);
  core.effects.push({
    type: 'persist',
    sequence,
    truncateFrom,
    entries,
    lastIndex: last.index,
    lastTerm: last.term,
  });
}

/** A batch is on disk; a node whose disk hung may take part again. */
export function onPersisted(core: Core, sequence: number): void {
  core.writes.complete(sequence);
  core.isStorageStuck = false;
}

/** Both slots hold this version of term and vote. */
export function onSlotsWritten(core: Core, version: number): void {
  core.hard.onWritten(version);
  onVoteDurable(core);
}
