// The part of cluster.config.json about checkpoints, the log behind them, and the search for
// damage (RAFT.md §9, §15.5).

import { z } from 'zod';
import { DEFAULT_CHECKPOINTS } from '../node/checkpoint-settings.ts';
import { DEFAULT_SCRUB } from '../node/scrub.ts';
import { whole } from './config-fields.ts';

const normal = DEFAULT_CHECKPOINTS;
const ROWS_MAX = 1_048_576;
const ENTRIES_MAX = 1_000_000_000;
const PART_BYTES_MAX = 192 * 1024;

/** How a node makes its state durable, and how it reads its disk for damage. */
export const checkpointsSchema = z.strictObject(
  {
    dirtyRowsMax: whole(
      { min: 1, max: ROWS_MAX, normal: normal.dirtyRowsMax },
      'Changed rows of the state at which a checkpoint begins.',
    ),
    intervalMs: whole(
      { min: 10, max: 3_600_000, normal: normal.intervalMs },
      'A checkpoint begins this long after the last one, if anything changed.',
    ),
    pauseRowsMax: whole(
      { min: 1, max: ROWS_MAX, normal: normal.pauseRowsMax },
      'Changed rows at which nothing more is applied until a checkpoint is durable.',
    ),
    sliceRows: whole(
      { min: 1, max: 65_536, normal: normal.sliceRows },
      'Rows that are encoded at a time, between other work.',
    ),
    trailingEntries: whole(
      { min: 0, max: ENTRIES_MAX, normal: normal.trailingEntries },
      'Entries of the log that stay behind a checkpoint, for nodes that lag a little.',
    ),
    pinnedEntriesMax: whole(
      { min: 0, max: ENTRIES_MAX, normal: normal.pinnedEntriesMax },
      'Entries that stay for a node that is being sent the state.',
    ),
    partBytesMax: whole(
      { min: 1_024, max: PART_BYTES_MAX, normal: normal.partBytesMax },
      'Bytes of one piece of the state on its way to another node.',
    ),
    partsInFlightMax: whole(
      { min: 1, max: 64, normal: normal.partsInFlightMax },
      'Such pieces on their way at a time.',
    ),
    hashEvery: whole(
      { min: 1, max: ENTRIES_MAX, normal: normal.hashEvery },
      'Nodes compare their states at entries whose index is a multiple of this; equal on all.',
    ),
    scrubBytes: whole(
      { min: 1_024, max: 1_073_741_824, normal: DEFAULT_SCRUB.bytes },
      'Bytes that are read from the disk in search of damage, …',
    ),
    scrubPeriodMs: whole(
      { min: 100, max: 3_600_000, normal: DEFAULT_SCRUB.periodMs },
      '… in every such period.',
    ),
  },
  'an object about checkpoints',
);
