import { probes } from '../base/probe.ts';
import type { Term } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createMachineLoader } from '../locks/loader.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import type { Identity } from '../raft/configurations.ts';
import { findMember } from '../raft/configurations.ts';
import type { EntryId } from '../raft/events.ts';
import type { Sender } from '../raft/messages.ts';
import type { SnapshotMeta } from '../wire/checkpoint.ts';
import { decodeSnapshotMeta } from '../wire/checkpoint.ts';
import { DecodeError } from '../wire/msgpack.ts';
import type { FoundingRecord } from '../wire/founding-record.ts';
import type { BlankVisit } from './blank-peers.ts';
import type { HostExit } from './host-types.ts';
import type { PartAnswer } from './snapshot-receiver.ts';
import { SnapshotReceiver } from './snapshot-receiver.ts';
import type { NodeStorage, Recovered } from './storage/types.ts';

/** What a restore is received as: it comes from no node, and in no term. */
const RESTORER: Sender = { nodeId: 'restore', storeId: 'restore', bootCount: 0 };
const RESTORE_TERM: Term = 0;

/** A restorer that sends nothing for so long has given up; a leader may bring the state then. */
const RESTORER_QUIET_US = 10_000_000;

/** The blank directory, and what follows when it is one no more. */
export interface AdoptionOptions {
  readonly self: Identity;
  readonly storage: Pick<NodeStorage, 'receive' | 'adopt'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The founding of this directory is under way by other means. */
  readonly isFounding: () => boolean;
  /** `machine`: the state that it is a member with. */
  readonly onAdopted: (recovered: Recovered, machine: LockMachine) => void;
  readonly onFailed: (exit: HostExit) => void;
}

/** Null: go on; the record: it is in force; or what is wrong. */
type Restored = (result: FoundingRecord | string | null) => void;

/**
 * How a blank node comes into a cluster by its state: as a new member, whose leader sends a
 * checkpoint (RAFT.md §15.6), or by a restore (§15.7). The checkpoint must name this very node and
 * directory as a member. Until it is in force the node has no term, no vote and no log.
 *
 * Three may bring a node into one cluster at the same time: whoever founds it, whoever restores it,
 * and a leader of those who were founded or restored before it. A restorer is let finish, and a
 * leader sends again. Whatever is put in force first is in force; the rest finds a member.
 */
export class Adoption {
  private readonly options: AdoptionOptions;
  private readonly receiver: SnapshotReceiver;
  /** What came last from a leader. */
  private visited: BlankVisit | null = null;
  /** The piece of the restorer that is not answered. */
  private restoring: { readonly sequence: number; readonly done: Restored } | null = null;
  private restoreNumber = 0;
  private restoreEnd: EntryId = { index: 0, term: 0 };
  private restorerUntilUs = 0;
  private adopting = false;

  constructor(options: AdoptionOptions) {
    const { storage, clock, logger, onFailed } = options;
    this.options = options;
    this.receiver = new SnapshotReceiver({
      storage,
      clock,
      logger,
      createLoader: (founding) => createMachineLoader(founding.limits),
      problemOf: () => null,
      onAnswer: (answer) => this.answer(answer),
      onFailed,
    });
  }

  /** A checkpoint is being put in force: what else is wished for must wait. */
  get isAdopting(): boolean {
    return this.adopting;
  }

  /** A message of consensus from a leader that has this node as a member. */
  visit(visit: BlankVisit): void {
    const { message } = visit;
    const { term } = message;
    if (message.type === 'append') {
      const { round, prevIndex } = message;
      const nothing = { ok: false, matchIndex: 0, hintIndex: 0, hintTerm: 0 };
      const said = { term, round, rejectedPrev: prevIndex, ...nothing };
      return visit.answer({ type: 'appendResponse', ...said });
    }
    if (message.type === 'heartbeat') {
      const { round } = message;
      const nothing = { lastIndex: 0, durableIndex: 0 };
      return visit.answer({ type: 'heartbeatResponse', term, round, ...nothing });
    }
    if (message.type !== 'snapshotPart' || this.isBusy() || this.hasRestorer()) return;
    this.visited = visit;
    this.receiver.store(visit.from, term, message.part);
  }

  /**
   * A piece of a restore. Answers null when it is stored or the node became a member meanwhile, the
   * founding record when it was the last one and all is in force, or what is wrong.
   */
  restore(
    piece: { readonly sequence: number; readonly isLast: boolean; readonly content: Uint8Array },
    done: Restored,
  ): void {
    if (piece.sequence === 0) {
      const meta = readMeta(piece.content);
      if (typeof meta === 'string') return done(meta);
      this.restoreNumber += 1;
      this.restoreEnd = meta.checkpoint.point.last;
    }
    this.restoring?.done('another piece came before this one was stored');
    this.restoring = { sequence: piece.sequence, done };
    this.restorerUntilUs = this.options.clock.monoUs() + RESTORER_QUIET_US;
    const { index: lastIndex, term: lastTerm } = this.restoreEnd;
    const part = { ...piece, transfer: this.restoreNumber, lastIndex, lastTerm };
    this.receiver.store(RESTORER, RESTORE_TERM, part);
  }

  /** The directory was founded by other means. */
  stop(): void {
    this.visited = null;
    this.answerRestorer(null);
    if (!this.adopting) this.receiver.discard();
  }

  private isBusy(): boolean {
    return this.adopting || this.options.isFounding();
  }

  private hasRestorer(): boolean {
    return this.restoring !== null || this.options.clock.monoUs() < this.restorerUntilUs;
  }

  private answer(answer: PartAnswer): void {
    // It becomes a member by other means, though all of this came: `stop` follows.
    if (this.isBusy()) return;
    if (answer.term === RESTORE_TERM) this.answerRestore(answer);
    else if (this.visited !== null) this.answerVisit(this.visited, answer);
  }

  private answerVisit(visit: BlankVisit, answer: PartAnswer): void {
    const { message, clusterId } = visit;
    if (message.type !== 'snapshotPart' || message.term !== answer.term) return;
    const { term, round } = message;
    const { transfer, sequence } = answer;
    const say = (status: 'stored' | 'refused' | 'installed', matchIndex: number): void =>
      visit.answer({
        type: 'snapshotResponse',
        term,
        transfer,
        status,
        sequence,
        matchIndex,
        round,
      });
    if (answer.status !== 'complete') return say(answer.status, 0);
    this.adopt({ term, clusterId }, (result) => {
      if (typeof result === 'string') return say('refused', 0);
      probes.reach('blank-node-joins');
      say('installed', answer.point?.last.index ?? 0);
    });
  }

  private answerRestore({ status, sequence: stored }: PartAnswer): void {
    const { restoring } = this;
    if (restoring === null) return;
    const { sequence } = restoring;
    if (status === 'complete') return this.adopt(null, (result) => this.answerRestorer(result));
    if (status === 'refused') this.answerRestorer('the pieces do not make a whole; see the log');
    else if (stored === sequence) this.answerRestorer(null);
    else this.answerRestorer(`piece ${sequence} came, but piece ${stored + 1} was expected`);
  }

  private answerRestorer(result: Parameters<Restored>[0]): void {
    const { restoring } = this;
    this.restoring = null;
    restoring?.done(result);
  }

  /** `from`: the leader's term and cluster; null: a restore, which has none. */
  private adopt(
    from: { readonly term: Term; readonly clusterId: string } | null,
    done: (result: FoundingRecord | string) => void,
  ): void {
    const received = this.receiver.take();
    if (received === null) return done('nothing was received');
    const { meta, incoming, machine } = received;
    const { founding } = meta;
    const problem = this.problemOf(meta, from?.clusterId ?? null);
    if (problem !== null) {
      this.options.logger.error(`Refused to join: ${problem}`);
      incoming.discard();
      this.receiver.release();
      return done(problem);
    }
    this.adopting = true;
    const as = { founding, term: from?.term ?? (founding.restored?.term ?? 0) + 1 };
    this.options.storage.adopt(incoming, as, (result) => {
      this.adopting = false;
      this.receiver.release();
      if (!result.ok) return this.options.onFailed(result.exit);
      done(founding);
      this.options.onAdopted(result.value, machine);
    });
  }

  /** `clusterId`: of the leader's cluster; null: a restore. */
  private problemOf(
    { founding, checkpoint }: SnapshotMeta,
    clusterId: string | null,
  ): string | null {
    const { self } = this.options;
    const { config } = checkpoint.point;
    if (findMember(config, self.nodeId)?.storeId !== self.storeId) {
      return `the configuration of that cluster does not name ${self.nodeId} with this directory`;
    }
    if (clusterId !== null) {
      return clusterId === founding.clusterId ? null : `it is the state of another cluster`;
    }
    if (founding.restored === null) return 'the founding record is not one of a restore';
    if (founding.restored.rowSum === checkpoint.rowSum) return null;
    return `the state sums up to ${checkpoint.rowSum}, the record says ${founding.restored.rowSum}`;
  }
}

function readMeta(content: Uint8Array): SnapshotMeta | string {
  try {
    return decodeSnapshotMeta(content);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
