// What a node hands to its disk, and what may be lost of the disk from then on.

import type { RaftEffect } from '../../src/raft/events.ts';
import type { Commits } from './raft-commits.ts';
import type { Batch } from './raft-disk.ts';
import type { LifeView } from './raft-view.ts';
import type { Verdict } from './verdict.ts';

/** What writes are held against. */
interface WriteParts {
  readonly commits: Commits;
  readonly verdict: Verdict;
}

type InstallSnapshot = Extract<RaftEffect, { type: 'installSnapshot' }>;

/**
 * A batch of the log. INV-7: an entry that outlives its term in a crash was acknowledged by nobody
 * who is still bound by it. INV-10: what is written joins what is there.
 */
export function handBatch(
  { id, disk }: LifeView,
  batch: Batch,
  { commits, verdict }: WriteParts,
): void {
  verdict.expect(
    batch.lastTerm <= disk.term,
    'INV-7',
    () => `${id} writes entries of term ${batch.lastTerm} while its disk is in term ${disk.term}`,
  );
  const cut = batch.truncateFrom;
  for (let index = cut ?? Infinity; index <= disk.log.lastIndex; index++) {
    if (!commits.has(index, disk.log.termAt(index))) continue;
    verdict.report('INV-4', `${id} cuts entry ${index} off its disk, which is committed`);
    break;
  }
  disk.handBatch(batch);
  verdict.expect(
    batch.entries[0]?.index === disk.log.lastIndex + 1,
    'INV-10',
    () => `${id} writes from ${batch.entries[0]?.index} on; its disk ends at ${disk.log.lastIndex}`,
  );
}

/**
 * A checkpoint of another node. One that takes the place of the whole log leaves for certain only
 * what the two agree on, until it is told that it is in force. INV-8: it does so only where the log
 * does not have its last entry. INV-9, M-42b: and while nothing is applied, or entries of the state
 * before would come to the one after.
 */
export function handInstall(
  { id, core, disk, mirror }: LifeView,
  { point, keepsSuffix }: InstallSnapshot,
  { commits, verdict }: WriteParts,
): void {
  const { last } = point;
  verdict.expect(
    keepsSuffix === (mirror.termAt(last.index) === last.term),
    'INV-8',
    () => `${id} ${keepsSuffix ? 'keeps' : 'drops'} a log that does otherwise at ${last.index}`,
  );
  const { applyingIndex } = core;
  verdict.expect(
    applyingIndex === 0,
    'INV-9',
    () => `${id} installs a checkpoint while it applies entries up to ${applyingIndex}`,
  );
  if (!keepsSuffix) disk.handInstall(commits.firstDoubtful(disk.log));
}
