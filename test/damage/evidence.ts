// What an eye that is not the node's sees of a directory, before and after.

import { readFileSync } from 'node:fs';
import { lossBetween, readStore } from '../../scripts/lib/level-reader.mjs';
import type { LevelReading } from '../../scripts/lib/level-reader.mjs';
import { slotState } from '../../scripts/lib/slot-reader.mjs';
import { logDirectory, slotPaths } from '../../src/server/data-directory.ts';

/** A directory as it lies there. */
export interface Sight {
  readonly reading: LevelReading;
  readonly slots: readonly { readonly state: string; readonly bytes: string | null }[];
}

export function lookAt(directory: string): Sight {
  const slots = slotPaths(directory).map((path) => {
    const state = slotState(path);
    return { state, bytes: state === 'missing' ? null : readFileSync(path, 'hex') };
  });
  return { reading: readStore(logDirectory(directory)), slots };
}

/** What differs, in a few words; empty when nothing does. */
export function describeDamage(before: Sight, after: Sight): string {
  const { gone, changed } = lossBetween(before.reading, after.reading);
  const problems = after.reading.problems.map(({ file, at, what }) =>
    what === 'the file is missing' ? `${file} is missing` : `${what} at byte ${at} of ${file}`,
  );
  const slots = after.slots.flatMap(({ state, bytes }, at) => {
    const what = state === 'whole' ? 'another record' : state;
    return bytes === before.slots[at]?.bytes
      ? []
      : `${what} in ${'first second'.split(' ')[at]} slot`;
  });
  return [
    ...problems,
    ...(gone.length > 0 ? [`${gone.length} of ${before.reading.live.size} keys gone`] : []),
    ...(changed.length > 0 ? [`${changed.length} keys of other content`] : []),
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
