// What an eye that is not the node's sees of a directory, before and after.

import { isDeepStrictEqual } from 'node:util';
import { lossBetween, readStore } from '../../scripts/lib/level-reader.mjs';
import type { LevelReading } from '../../scripts/lib/level-reader.mjs';
import { slotState } from '../../scripts/lib/slot-reader.mjs';
import { logDirectory, slotPaths } from '../../src/server/data-directory.ts';
import { readSlot } from './directories.ts';

/** A directory as it lies there. */
export interface Sight {
  readonly reading: LevelReading;
  readonly slots: readonly SlotSight[];
}

/** `promises` are what the record holds beside counts of boots and writes; null: none is whole. */
export interface SlotSight {
  readonly state: ReturnType<typeof slotState>;
  readonly promises: unknown;
}

export function lookAt(directory: string): Sight {
  const slots = slotPaths(directory).map((path) => {
    const state = slotState(path);
    return { state, promises: state === 'whole' ? promisesIn(path) : null };
  });
  return { reading: readStore(logDirectory(directory)), slots };
}

// A start that is refused may have been counted as one: nothing depends on that.
function promisesIn(path: string): unknown {
  return { ...readSlot(path), version: null, bootCount: null };
}

/** What differs, in a few words; empty when nothing does. */
export function describeDamage(before: Sight, after: Sight): string {
  const { gone, changed } = lossBetween(before.reading, after.reading);
  const added = [...after.reading.live.keys()].filter((key) => !before.reading.live.has(key));
  const problems = after.reading.problems.map(({ file, at, what }) =>
    what === 'the file is missing' ? `${file} is missing` : `${what} at byte ${at} of ${file}`,
  );
  const slots = after.slots.flatMap(({ state, promises }, at) => {
    const name = at === 0 ? 'first slot' : 'second slot';
    if (state !== 'whole') return `${state}: ${name}`;
    const former = before.slots[at]?.promises;
    return isDeepStrictEqual(promises, former) ? [] : `another record in the ${name}`;
  });
  return [
    ...problems,
    ...(gone.length > 0 ? [`${gone.length} of ${before.reading.live.size} keys gone`] : []),
    ...(changed.length > 0 ? [`${changed.length} keys of other content`] : []),
    ...(added.length > 0 ? [`${added.length} keys more`] : []),
    ...slots,
  ].join('; ');
}

/**
 * Keys that hold what they never held before. What LevelDB does to its own files when it opens
 * them, such as turning a write-ahead file into a table, is no such thing.
 */
export function writtenBetween(before: LevelReading, after: LevelReading): readonly string[] {
  const known = new Set(before.versions.map(({ key, value }) => `${key} ${hexOf(value)}`));
  return [...after.live.values()]
    .filter(({ key, value }) => !known.has(`${key} ${hexOf(value)}`))
    .map(({ key }) => key);
}

function hexOf(value: Uint8Array): string {
  return Buffer.from(value).toString('hex');
}
