// Hands committed entries to the state machine: in order, each once, in pages (RAFT.md §7.7).
// An entry may be applied before our own disk has it: a majority does.

import { assert } from '../base/assert.ts';
import type { Index } from '../base/units.ts';
import type { Core } from './state.ts';

/** The host applied everything up to here, all of the page that is out or a first part of it. */
export function onApplied(core: Core, index: Index): void {
  assert(
    index > core.appliedIndex && index <= core.applyingIndex,
    'the host applies what it was given, in order, each entry once',
  );
  core.appliedIndex = index;
  if (index === core.applyingIndex) core.applyingIndex = 0;
  const { leader } = core;
  if (leader === null || leader.isReady || index < leader.noopIndex) return;
  leader.isReady = true;
  core.effects.push({ type: 'leaderReady', term: core.hard.term, index: leader.noopIndex });
}

/**
 * Keeps the entries in memory within their limit. What is neither committed nor durable stays;
 * applied entries are the oldest and go first, and what is applied late is loaded again.
 */
export function forgetOldEntries(core: Core): void {
  const { commitIndex, log, writes, settings } = core;
  log.trim(Math.min(commitIndex, writes.durableIndex), settings.tailBytesMax);
}

/** Hands out the next page if none is out; asks for a load if its beginning left memory. */
export function applyCommitted(core: Core): void {
  if (core.applyingIndex !== 0 || core.appliedIndex === core.commitIndex) return;
  // What a checkpoint is about to replace stands still.
  if (core.snapshots.install !== null) return;
  const entries = core.loader.read({
    from: core.appliedIndex + 1,
    last: core.commitIndex,
    bytesMax: core.settings.applyBytesMax,
  });
  if (entries === null) return;
  core.applyingIndex = core.appliedIndex + entries.length;
  core.effects.push({ type: 'apply', entries });
}
