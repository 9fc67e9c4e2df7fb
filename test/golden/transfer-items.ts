// The pieces of a checkpoint on its way to another node, or into a backup.

import * as wire from '../../src/wire/checkpoint.ts';
import { CHECKPOINT, RESTORED, ROWS } from '../wire/samples.ts';
import { item } from './item.ts';
import type { GoldenItem } from './item.ts';

/** Items of a transfer. */
export function transferItems(): readonly GoldenItem[] {
  return [
    item({
      name: 'transfer/first',
      about: 'the first piece of a transfer: what comes',
      value: { founding: RESTORED, checkpoint: CHECKPOINT },
      encode: wire.encodeSnapshotMeta,
      decode: wire.decodeSnapshotMeta,
    }),
    item({
      name: 'transfer/rows',
      about: 'a piece of a transfer with rows',
      value: ROWS,
      encode: wire.encodeSnapshotRows,
      decode: wire.decodeSnapshotRows,
    }),
    item({
      name: 'transfer/last',
      about: 'the last piece of a transfer: what must have come',
      value: { count: 2, rowSum: CHECKPOINT.rowSum },
      encode: wire.encodeSnapshotEnd,
      decode: wire.decodeSnapshotEnd,
    }),
  ];
}
