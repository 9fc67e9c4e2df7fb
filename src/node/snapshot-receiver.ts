import { probes } from '../base/probe.ts';
import type { NodeId, Term } from '../base/units.ts';
import type { MachineLoader, LockMachine } from '../locks/machine-types.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { SnapshotPoint } from '../raft/events.ts';
import type { Sender, SnapshotPart } from '../raft/messages.ts';
import { decodeSnapshotEnd, decodeSnapshotMeta, decodeSnapshotRows } from '../wire/checkpoint.ts';
import type { SnapshotMeta } from '../wire/checkpoint.ts';
import type { FoundingRecord } from '../wire/founding-record.ts';
import { DecodeError } from '../wire/msgpack.ts';
import type { HostExit } from './host-types.ts';
import { StateBuilder } from './state-builder.ts';
import type { IncomingCheckpoint, NodeStorage } from './storage/types.ts';

/** Pieces that wait for the disk; a sender has fewer unanswered. */
const WAITING_MAX = 16;

/** What is said of a piece; as the event `partStored` of consensus. */
export interface PartAnswer {
  readonly from: NodeId;
  readonly term: Term;
  readonly transfer: number;
  readonly status: 'stored' | 'refused' | 'complete';
  /** The last piece in order that is durable; -1: none. */
  readonly sequence: number;
  readonly point: SnapshotPoint | null;
}

/** A checkpoint that came as a whole and is not in force yet. */
export interface ReceivedSnapshot {
  readonly meta: SnapshotMeta;
  readonly incoming: IncomingCheckpoint;
  readonly machine: LockMachine;
}

export interface SnapshotReceiverOptions {
  readonly storage: Pick<NodeStorage, 'receive'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createLoader: (founding: FoundingRecord) => MachineLoader;
  /** Why a checkpoint that says this of itself is none for us; null: it is. */
  readonly problemOf: (meta: SnapshotMeta, part: SnapshotPart) => string | null;
  readonly onAnswer: (answer: PartAnswer) => void;
  /** The disk failed. */
  readonly onFailed: (exit: HostExit) => void;
}

/** What came of one transfer so far. */
interface Transfer {
  readonly from: Sender;
  readonly term: Term;
  readonly number: number;
  /** In order, not looked at yet. */
  readonly waiting: SnapshotPart[];
  /** Last piece in order that came, and last one that is durable. */
  accepted: number;
  stored: number;
  isBusy: boolean;
  state: 'open' | 'refused' | 'complete';
  content: { meta: SnapshotMeta; incoming: IncomingCheckpoint; builder: StateBuilder } | null;
}

/**
 * Receives a checkpoint piece by piece (RAFT.md §9): each is durable, under rows that are not in
 * force, before it is answered, and part of a machine that nobody sees. Whole is what has the right
 * number of rows and the right sum; anything else is refused, and the old state stays as it is.
 *
 * A transfer is told by (term, leader's store, number): a piece of another one discards what came.
 * With a core and without (a node that joins): whoever drives it passes the answers on.
 */
export class SnapshotReceiver {
  private readonly options: SnapshotReceiverOptions;
  private current: Transfer | null = null;
  private received: ReceivedSnapshot | null = null;
  /** From `take` to `release`: a checkpoint is being put in force. */
  private isTaken = false;

  constructor(options: SnapshotReceiverOptions) {
    this.options = options;
  }

  store(from: Sender, term: Term, part: SnapshotPart): void {
    // While one waits for its turn or is put in force, another has to wait: it is sent again.
    if (this.isTaken || this.received !== null) return;
    const transfer = this.transferOf(from, term, part);
    if (transfer === null) return;
    if (transfer.state === 'refused') return this.answer(transfer, 'refused');
    const isNext = part.sequence === transfer.accepted + 1;
    probes.sometimes('snapshot-piece-out-of-order', !isNext);
    if (!isNext || transfer.waiting.length >= WAITING_MAX) return this.answer(transfer, 'stored');
    transfer.accepted += 1;
    transfer.waiting.push(part);
    this.work(transfer);
  }

  /** The complete checkpoint, to be put in force; nothing else is received until `release`. */
  take(): ReceivedSnapshot | null {
    const { received } = this;
    if (received === null) return null;
    this.isTaken = true;
    this.received = null;
    this.current = null;
    return received;
  }

  /** What was taken is in force. */
  release(): void {
    this.isTaken = false;
  }

  /** Forgets what came, unless it was taken. */
  discard(): void {
    const { current } = this;
    this.current = null;
    this.received = null;
    current?.content?.incoming.discard();
  }

  /** That of the piece, begun anew if it is another than the present one; null: it is outdated. */
  private transferOf(from: Sender, term: Term, part: SnapshotPart): Transfer | null {
    const { current } = this;
    if (current !== null && current.term === term && current.from.storeId === from.storeId) {
      if (current.number === part.transfer) return current;
      if (current.number > part.transfer) return null;
    }
    probes.sometimes('transfer-replaces-another', current !== null);
    this.discard();
    const transfer: Transfer = {
      from,
      term,
      number: part.transfer,
      waiting: [],
      accepted: -1,
      stored: -1,
      isBusy: false,
      state: 'open',
      content: null,
    };
    this.current = transfer;
    return transfer;
  }

  private work(transfer: Transfer): void {
    if (transfer.isBusy || this.current !== transfer) return;
    const part = transfer.waiting.shift();
    if (part === undefined) return;
    transfer.isBusy = true;
    try {
      if (part.sequence === 0) this.begin(transfer, part);
      else if (part.isLast) this.finish(transfer, part);
      else this.addRows(transfer, part);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      this.refuse(transfer, error.message);
    }
  }

  private begin(transfer: Transfer, part: SnapshotPart): void {
    const { storage, clock, createLoader, problemOf } = this.options;
    const meta = decodeSnapshotMeta(part.content);
    const problem = problemOf(meta, part);
    if (problem !== null) return this.refuse(transfer, problem);
    const incoming = storage.receive(meta.checkpoint);
    const builder = new StateBuilder(createLoader(meta.founding), clock);
    transfer.content = { meta, incoming, builder };
    this.stored(transfer, part);
  }

  private addRows(transfer: Transfer, part: SnapshotPart): void {
    const { content } = transfer;
    const rows = decodeSnapshotRows(part.content);
    const problem = content === null ? 'rows without a beginning' : content.builder.add(rows);
    if (content === null || problem !== null) return this.refuse(transfer, problem ?? '');
    content.incoming.add(rows, (result) => {
      if (!result.ok) return this.options.onFailed(result.exit);
      if (this.current === transfer) this.stored(transfer, part);
    });
  }

  private finish(transfer: Transfer, part: SnapshotPart): void {
    const { content } = transfer;
    const { count, rowSum } = decodeSnapshotEnd(part.content);
    if (content === null) return this.refuse(transfer, 'an end without a beginning');
    const { meta, incoming, builder } = content;
    if (count !== builder.count) {
      return this.refuse(transfer, `${builder.count} rows came, and ${count} were sent`);
    }
    if (rowSum !== meta.checkpoint.rowSum) return this.refuse(transfer, 'two sums are named');
    builder.finish(rowSum, (built) => {
      if (this.current !== transfer) return;
      if (!built.ok) return this.refuse(transfer, built.problem);
      this.received = { meta, incoming, machine: built.machine };
      transfer.state = 'complete';
      this.answer(transfer, 'complete');
    });
  }

  private stored(transfer: Transfer, part: SnapshotPart): void {
    transfer.stored = part.sequence;
    transfer.isBusy = false;
    this.answer(transfer, 'stored');
    this.work(transfer);
  }

  private refuse(transfer: Transfer, problem: string): void {
    const { from, number } = transfer;
    const fields = { peer: from.nodeId, transfer: number };
    this.options.logger.error(`Refused a checkpoint: ${problem}`, fields);
    transfer.content?.incoming.discard();
    transfer.content = null;
    transfer.waiting.length = 0;
    transfer.state = 'refused';
    this.answer(transfer, 'refused');
  }

  private answer(transfer: Transfer, status: PartAnswer['status']): void {
    const { from, term, number, content } = transfer;
    const isComplete = status === 'complete';
    this.options.onAnswer({
      from: from.nodeId,
      term,
      transfer: number,
      status,
      sequence: status === 'refused' ? -1 : isComplete ? transfer.accepted : transfer.stored,
      point: isComplete ? (content?.meta.checkpoint.point ?? null) : null,
    });
  }
}
