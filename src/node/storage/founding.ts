// Founding: how a blank directory becomes a member of a cluster. It is the install of an empty
// checkpoint at the origin: first one batch in the log store, then both slots, which are the
// commit point. While the slots are blank, whatever the store holds of an earlier try is ignored
// and founding is done again (RAFT.md §15.7).

import type { StoreId } from '../../base/units.ts';
import type { ClusterConfig } from '../../raft/config.ts';
import type { RaftStart } from '../../raft/events.ts';
import type { KeyValueOp } from '../../ports/storage.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import { encodeFounding } from '../../wire/founding.ts';
import type { SlotRecord } from '../../wire/slot-record.ts';
import type { HardStateChange } from './hard-state.ts';
import { encodeAnchor, encodeTail, ROW, sealRow } from './layout.ts';
import type { EntryId } from '../../raft/events.ts';
import type { ScannedLog } from './log-scan.ts';

/** Where the log of a cluster begins: no entry has term 0, nor that of a restored anchor. */
export function originOf(record: FoundingRecord): EntryId {
  const { restored } = record;
  return { index: record.origin, term: restored === null ? 0 : restored.term + 1 };
}

/** The rows of a founded store, one batch. */
export function foundingOps(record: FoundingRecord, storeId: StoreId): readonly KeyValueOp[] {
  const { index, term } = originOf(record);
  const tail = { lastIndex: index, lastTerm: term, applied: index, storeId };
  const founding = sealRow(ROW.founding, encodeFounding(record));
  return [
    { type: 'put', key: ROW.founding, value: founding },
    { type: 'put', key: ROW.anchor, value: encodeAnchor({ index, term }) },
    { type: 'put', key: ROW.tail, value: encodeTail(tail) },
  ];
}

/** The hard state of a founded node. */
export function foundingChange(record: FoundingRecord): HardStateChange {
  return {
    clusterId: record.clusterId,
    term: 0,
    vote: null,
    durableFloor: originOf(record),
  };
}

/** What the core starts from. The state is rebuilt from the log: it begins at the anchor. */
export function raftStart(slots: SlotRecord, founding: FoundingRecord, log: ScannedLog): RaftStart {
  const { index } = log;
  const founded = { index: index.anchor.index, config: foundingConfig(founding) };
  return {
    nodeId: slots.nodeId,
    storeId: slots.storeId,
    term: slots.term,
    vote: slots.vote,
    anchor: index.anchor,
    termRuns: index.termRuns(),
    tail: log.tail,
    lastIndex: index.lastEntry.index,
    applied: index.anchor.index,
    configs: [founded, ...log.configs],
  };
}

function foundingConfig(record: FoundingRecord): ClusterConfig {
  return { voters: record.members, votersOutgoing: [], learners: [], learnersNext: [], retired: [] };
}
