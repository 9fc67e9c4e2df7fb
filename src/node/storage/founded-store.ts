import type { StoreId } from '../../base/units.ts';
import type { KeyValue, KeyValueOp } from '../../ports/storage.ts';
import type { EntryId } from '../../raft/events.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import { encodeAnchor, encodeMeta, encodeTail, ROW } from './layout.ts';
import type { MetaRow } from './layout.ts';
import type { LogIndex } from './log-index.ts';

/** What the store of a founded node holds, as far as it is kept in memory. */
export interface FoundedStore {
  readonly keyValue: KeyValue;
  readonly storeId: StoreId;
  readonly founding: FoundingRecord;
  /** From wire/record.ts clusterSeed. */
  readonly seed: number;
  readonly index: LogIndex;
  /** The checkpoint in force; another one when the batch that brings it has landed. */
  current: MetaRow;
}

/** The single rows of a batch that puts another checkpoint in force. */
export function* forceOps(
  meta: MetaRow,
  log: { readonly anchor: EntryId; readonly last: EntryId; readonly storeId: StoreId },
): Iterable<KeyValueOp> {
  const { last, anchor, storeId } = log;
  const applied = meta.checkpoint.point.last.index;
  const tail = { lastIndex: last.index, lastTerm: last.term, applied, storeId };
  yield { type: 'put', key: ROW.meta, value: encodeMeta(meta) };
  yield { type: 'put', key: ROW.anchor, value: encodeAnchor(anchor) };
  yield { type: 'put', key: ROW.tail, value: encodeTail(tail) };
}
