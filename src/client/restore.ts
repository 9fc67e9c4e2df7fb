// Makes a new cluster of blank nodes that begins with the state of a backup (RAFT.md §15.7). The
// state is made here, once, from the backup's: no session with a TTL lives on, and nothing is
// granted until the old cluster's clients cannot believe in their locks any more. Every node then
// gets the same rows, and puts them in force when their sum is the one that the record names.
//
// 1. A blank first node makes a record: a new cluster, whose log begins above every token that the
//    old one can have issued.
// 2. The state is transformed for that origin; its sum completes the record.
// 3. One node after the other takes the state. We may stop at any point: a node keeps nothing of
//    the record before it has the whole state.
// 4. The next run finds the record at a node that has it, makes the very same state from the same
//    file, and brings it to the rest. Another file, or other options, would give another sum.

import { present } from '../base/assert.ts';
import { HoldfastError } from '../base/error.ts';
import { compareUtf8 } from '../base/name.ts';
import type { Index, NodeId } from '../base/units.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import { encodeSnapshotEnd, encodeSnapshotMeta, encodeSnapshotRows } from '../wire/checkpoint.ts';
import type { Checkpoint, SnapshotMeta, StoredRow } from '../wire/checkpoint.ts';
import type { FoundingStep } from '../wire/client-messages.ts';
import type { FoundingRecord, RestoredFrom } from '../wire/founding-record.ts';
import { encodeRowValue } from '../wire/rows.ts';
import {
  askStandings,
  askStep,
  commonRecord,
  memberProblem,
  membersOf,
  standingOf,
} from './founding.ts';
import type { NodesPlan, Standing } from './founding.ts';
import { askNode } from './single-request.ts';
import type { Question, SingleRequestPorts } from './single-request.ts';

/** Rows of one piece weigh about so much at most: a frame has 256 KiB. */
const PIECE_BYTES_MAX = 160 * 1024;

/** What is to be restored, and where. */
export interface RestorePlan extends NodesPlan {
  readonly clusterName: string;
  readonly backup: SnapshotMeta;
  /** The backup's state; it is changed into the one of the new cluster. */
  readonly machine: LockMachine;
  /** Tokens begin above it; null: the clock tells. */
  readonly tokenFloor: Index | null;
  readonly embargoMs: number;
  /** Hears of every node that has the state now. */
  readonly onNode: (nodeId: NodeId) => void;
}

/** A cluster that was restored. */
export interface Restored {
  readonly clusterId: string;
  readonly origin: Index;
  /** Of the run that made the record. */
  readonly embargoMs: number;
  /** An earlier run made the record: floor and embargo of this plan count for nothing. */
  readonly isContinued: boolean;
  /** Nodes that took the state in this run; empty when all had it before. */
  readonly restored: readonly NodeId[];
}

/**
 * Restores, or completes a restore. Rejects with UNAVAILABLE when a node was not reached, CONFIG
 * when one is not who the plan says, CLUSTER_CHANGED when one belongs to a cluster that does not
 * begin with this backup, INVALID when the clock implies tokens that the old cluster can have
 * issued and no floor is given.
 */
export async function restoreCluster(
  ports: SingleRequestPorts,
  plan: RestorePlan,
): Promise<Restored> {
  const standings = await askStandings(ports, plan);
  const known = commonRecord(standings);
  if (known !== null) checkOrigin(known, plan, standings);
  const draft = known ?? (await mint(ports, plan, standings));
  const embargoMs = known?.restored?.embargoMs ?? plan.embargoMs;
  plan.machine.becomeRestored(draft.origin, embargoMs);
  const { last } = plan.backup.checkpoint.point;
  const from: RestoredFrom = { ...last, embargoMs, rowSum: plan.machine.stateHash() };
  if (known !== null && known.restored?.rowSum !== from.rowSum) throw otherBackup(known);
  const record = { ...draft, restored: from };
  const pieces = piecesOf(record, plan.machine);
  const restored: NodeId[] = [];
  for (const standing of standings.filter(({ isFounded }) => !isFounded)) {
    await send(ports, plan, { standing, pieces, clusterId: record.clusterId });
    restored.push(standing.node.id);
    plan.onNode(standing.node.id);
  }
  const { clusterId, origin } = record;
  return { clusterId, origin, embargoMs, isContinued: known !== null, restored };
}

async function mint(
  ports: SingleRequestPorts,
  plan: RestorePlan,
  standings: readonly Standing[],
): Promise<FoundingRecord> {
  const { clusterName, backup, tokenFloor } = plan;
  const step: FoundingStep = {
    step: 'mintRestored',
    clusterName,
    members: membersOf(standings),
    limits: backup.founding.limits,
    backup: backup.checkpoint.point.last,
    tokenFloor,
  };
  const node = present(plan.nodes[0], 'a plan has at least one node');
  const { record } = await askStep(ports, plan, { node, step });
  return present(record, 'a node that mints answers with its record');
}

// A record that was found must be that of this very restore.
function checkOrigin(
  record: FoundingRecord,
  plan: RestorePlan,
  standings: readonly Standing[],
): void {
  const { last } = plan.backup.checkpoint.point;
  const { restored } = record;
  if (restored?.index !== last.index || restored.term !== last.term) throw otherBackup(record);
  const problem = memberProblem(record, standings);
  if (problem !== null) throw new HoldfastError('CLUSTER_CHANGED', problem);
}

function otherBackup({ clusterName, clusterId, restored }: FoundingRecord): HoldfastError {
  const past = restored === null ? 'was not restored' : 'was restored from another backup';
  const text = `the nodes belong to the cluster "${clusterName}" (${clusterId}), which ${past}`;
  return new HoldfastError('CLUSTER_CHANGED', `${text}: a restore needs nodes without data`);
}

interface Sending {
  readonly standing: Standing;
  readonly pieces: readonly Uint8Array[];
  readonly clusterId: string;
}

// Those that have the state already may bring it to a node while we do: then it is a member before
// it took all of ours.
async function send(
  ports: SingleRequestPorts,
  plan: RestorePlan,
  { standing, pieces, clusterId }: Sending,
): Promise<void> {
  const { node } = standing;
  let sequence = 0;
  const question = (): Question => {
    const content = present(pieces[sequence], 'asked for while there are pieces');
    const isLast = sequence === pieces.length - 1;
    return { type: 'founding', step: { step: 'restorePart', sequence, isLast, content } };
  };
  const result = await askNode(ports, {
    address: node.address,
    question: question(),
    next: (answer) => {
      sequence += 1;
      const isWanted = answer.kind === 'founding' && answer.record === null;
      return isWanted && sequence < pieces.length ? question() : null;
    },
    patienceMs: plan.patienceMs,
    onWaiting: (problem) => plan.onWaiting?.(node, problem),
  });
  const { record } = standingOf(node, result);
  if (record === null) {
    throw new HoldfastError('INTERNAL', `${node.id} took the whole state and is still blank`);
  }
  if (record.clusterId !== clusterId) throw otherBackup(record);
}

/** The state as it travels: what it says of itself, its rows in key order, its end. */
function piecesOf(record: FoundingRecord, machine: LockMachine): Uint8Array[] {
  const { origin, members } = record;
  const { term, rowSum } = present(record.restored, 'the record of a restore');
  const none = { votersOutgoing: [], learners: [], learnersNext: [], retired: [] };
  const checkpoint: Checkpoint = {
    point: {
      last: { index: origin, term: term + 1 },
      config: { voters: members, ...none },
      configIndex: origin,
    },
    rowSum,
  };
  const rows = [...machine.rows()]
    .sort((one, other) => compareUtf8(one.key, other.key))
    .map(({ key, value }) => ({ key, value: encodeRowValue(value) }));
  return [
    encodeSnapshotMeta({ founding: record, checkpoint }),
    ...pagesOf(rows).map(encodeSnapshotRows),
    encodeSnapshotEnd({ count: rows.length, rowSum }),
  ];
}

function pagesOf(rows: readonly StoredRow[]): StoredRow[][] {
  const pages: StoredRow[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const own = 3 * row.key.length + row.value.length;
    if (bytes + own > PIECE_BYTES_MAX) {
      pages.push([]);
      bytes = 0;
    }
    pages.at(-1)?.push(row);
    bytes += own;
  }
  return pages;
}
