// Founding: how a blank directory becomes a member of a cluster. It is the install of a checkpoint,
// an empty one at the origin or one that came from elsewhere: first one batch in the log store,
// then both slots, which are the commit point. While the slots are blank, whatever the store holds
// of an earlier try is ignored and founding is done again (RAFT.md §15.7).

import type { Term } from '../../base/units.ts';
import type { EntryId, RaftStart } from '../../raft/events.ts';
import type { KeyValueOp } from '../../ports/storage.ts';
import type { Checkpoint } from '../../wire/checkpoint.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import { encodeFounding } from '../../wire/founding.ts';
import type { SlotRecord } from '../../wire/slot-record.ts';
import { refuse, STORED, writeFailed } from './exits.ts';
import type { HardState } from './hard-state.ts';
import type { FoundedStore } from './founded-store.ts';
import { forceOps } from './founded-store.ts';
import { ROW, sealRow } from './layout.ts';
import type { MetaRow } from './layout.ts';
import type { ScannedLog } from './log-scan.ts';
import type { StorageResult } from './types.ts';

/** What a blank node becomes a member with. */
export interface FoundingStart {
  readonly founding: FoundingRecord;
  readonly meta: MetaRow;
  readonly term: Term;
}

/** Where the log of a cluster begins: no entry has term 0, nor that of a restored anchor. */
function originOf(record: FoundingRecord): EntryId {
  const { restored } = record;
  return { index: record.origin, term: restored === null ? 0 : restored.term + 1 };
}

/** What a cluster that begins empty contains at its origin. */
export function foundingCheckpoint(record: FoundingRecord): Checkpoint {
  const config = {
    voters: record.members,
    votersOutgoing: [],
    learners: [],
    learnersNext: [],
    retired: [],
  };
  const point = { last: originOf(record), config, configIndex: record.origin };
  return { point, rowSum: SUM_OF_NONE };
}

/** Makes a blank directory that of a member. */
export function foundDirectory(
  media: { readonly keyValue: FoundedStore['keyValue']; readonly hardState: HardState },
  start: FoundingStart,
  done: (result: StorageResult<void>) => void,
): void {
  const { keyValue, hardState } = media;
  const { last } = start.meta.checkpoint.point;
  const { storeId } = hardState.record;
  const founding = sealRow(ROW.founding, encodeFounding(start.founding));
  const ops: readonly KeyValueOp[] = [
    { type: 'put', key: ROW.founding, value: founding },
    ...forceOps(start.meta, { anchor: last, last, storeId }),
  ];
  keyValue.batch(ops, (result) => {
    if (!result.ok) return done(refuse(writeFailed(result.failure)));
    const { clusterId } = start.founding;
    const change = { clusterId, term: start.term, vote: null, durableFloor: last };
    hardState.change(change, (written) => {
      done(written.ok ? STORED : refuse(writeFailed(written.failure)));
    });
  });
}

/** What the core starts from. The state is that of the checkpoint; the log may begin earlier. */
export function raftStart(slots: SlotRecord, checkpoint: Checkpoint, log: ScannedLog): RaftStart {
  const { index } = log;
  const { last, config, configIndex } = checkpoint.point;
  return {
    nodeId: slots.nodeId,
    storeId: slots.storeId,
    term: slots.term,
    vote: slots.vote,
    anchor: index.anchor,
    termRuns: index.termRuns(),
    tail: log.tail,
    lastIndex: index.lastEntry.index,
    applied: last.index,
    configs: [
      { index: configIndex, config },
      ...log.configs.filter((later) => later.index > configIndex),
    ],
  };
}

const SUM_OF_NONE = '0'.repeat(16);
