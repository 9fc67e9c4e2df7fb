import type { Index, MonoUs, NodeId, Term } from '../base/units.ts';
import type { Entry } from '../raft/entry.ts';
import type {
  Proposal,
  RaftCore,
  RaftEffect,
  RaftEvent,
  RaftStatus,
  Refusal,
  Role,
  SnapshotPoint,
} from '../raft/events.ts';
import type { RaftMessage } from '../raft/messages.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import { InvariantError, present } from '../base/assert.ts';
import type { FloorEntry } from './floor-tracker.ts';
import { FloorTracker } from './floor-tracker.ts';
import type { NodeStorage, StorageResult } from './storage/types.ts';
import type { HostExit, HostWatch } from './host-types.ts';
import type { Membership } from './peers.ts';

/** What became of one `propose`: the first `accepted` proposals got indices from firstIndex on. */
export interface Admission {
  readonly term: Term;
  readonly firstIndex: Index;
  readonly accepted: number;
  readonly refusal: Refusal | null;
}

type EffectOf<Type extends RaftEffect['type']> = Extract<RaftEffect, { readonly type: Type }>;

type ToldEffect = Exclude<
  RaftEffect,
  EffectOf<'persist' | 'writeSlots' | 'load' | 'proposed' | 'fatal'>
>;

/** About checkpoints on their way from or to another node. */
export type SnapshotEffect = EffectOf<
  | 'sendSnapshot'
  | 'snapshotAnswered'
  | 'endSnapshot'
  | 'storePart'
  | 'installSnapshot'
  | 'discardSnapshot'
>;

/** The answer to something that was asked of the core with a number. */
export type DecisionEffect = EffectOf<'configDecided' | 'transferDecided'>;

/** Who is told what the core decided. All are called from within one turn, in order. */
export interface EngineListener {
  send(to: NodeId, message: RaftMessage): void;
  /** Applies the entries in order, and steps `applied` for them; not necessarily at once. */
  apply(entries: readonly Entry[]): void;
  readReady(ids: readonly number[]): void;
  readFailed(ids: readonly number[]): void;
  roleChanged(role: Role, term: Term, leaderId: NodeId | null): void;
  leaderReady(term: Term): void;
  configChanged(membership: Membership): void;
  snapshot(effect: SnapshotEffect): void;
  decided(effect: DecisionEffect): void;
  /** The cluster goes on without this node. */
  removed(configIndex: Index): void;
  peerLostLog(peer: NodeId, message: string): void;
  /** The node must stop; nothing leaves it any more. */
  failed(exit: HostExit): void;
}

export interface EngineOptions {
  readonly raft: RaftCore;
  readonly storage: NodeStorage;
  readonly clock: Clock;
  readonly listener: EngineListener;
  /** Longest time between two ticks. */
  readonly tickUs: number;
  /** Called at every tick with a fresh reading, before consensus sees it. */
  readonly onTick: (nowUs: MonoUs) => void;
  readonly watch?: HostWatch | undefined;
}

/**
 * Turns the crank of consensus: feeds events to the core and carries out its effects. Everything
 * happens in one synchronous turn; completions of the disk come back as events of later turns.
 * After a failure nothing is carried out any more (RAFT.md §15.4).
 */
export class Engine {
  private readonly options: EngineOptions;
  private readonly queue: RaftEvent[] = [];
  private isTurning = false;
  private isOver = false;
  private isSilent = false;
  private timer: Timer | null = null;
  private timerUs = 0;
  private lastAdmission: Admission | null = null;
  private readonly floor = new FloorTracker();

  constructor(options: EngineOptions) {
    this.options = options;
  }

  start(): void {
    this.step({ type: 'tick' });
  }

  /** Ends the engine: no effect is carried out, no call-back answered from now on. */
  stop(): void {
    this.isOver = true;
    this.timer?.cancel();
    this.timer = null;
  }

  /** For a disk that failed, until the node ends for it: nothing happens, so nothing is said. */
  silence(): void {
    this.isSilent = true;
    this.timer?.cancel();
    this.timer = null;
  }

  status(): RaftStatus {
    return this.options.raft.status();
  }

  /** The next durable floor, or null: durable here, committed, and above the one before. */
  takeFloor(): FloorEntry | null {
    return this.floor.take(this.status().commitIndex);
  }

  /** What a checkpoint at this entry contains; it must be applied, and not below the anchor. */
  pointAt(index: Index): SnapshotPoint {
    const { raft } = this.options;
    const { config, index: configIndex } = raft.configAt(index);
    const term = present(raft.termAt(index), 'the term of an entry that is applied');
    return { last: { index, term }, config, configIndex };
  }

  /** A checkpoint took the place of the log: entries that were durable may be gone. */
  forgetFloor(): void {
    this.floor.forget();
  }

  step(event: RaftEvent): void {
    if (this.isOver || this.isSilent) return;
    this.queue.push(event);
    if (!this.isTurning) this.turn(() => {});
  }

  /**
   * Does something as a part of a turn: what it steps follows in order, and a broken invariant
   * ends the node. Nothing happens when the engine is over.
   */
  run(work: () => void): void {
    if (this.isOver || this.isSilent) return;
    if (this.isTurning) work();
    else this.turn(work);
  }

  private turn(work: () => void): void {
    this.isTurning = true;
    try {
      work();
      this.drain();
    } catch (error) {
      this.fail({ exitCode: 70, message: describeBug(error) });
    } finally {
      this.isTurning = false;
    }
    this.arm();
  }

  /** Proposes now and tells what was admitted; must not be called from within a turn. */
  propose(proposals: readonly Proposal[]): Admission {
    if (this.isTurning) throw new InvariantError('a proposal is made between turns');
    this.lastAdmission = null;
    this.step({ type: 'propose', proposals });
    return (
      this.lastAdmission ?? { term: 0, firstIndex: 0, accepted: 0, refusal: 'UNAVAILABLE' as const }
    );
  }

  private drain(): void {
    const { raft, clock, watch } = this.options;
    for (let event = this.queue.shift(); event !== undefined; event = this.queue.shift()) {
      const effects = raft.step(event, clock.monoUs());
      watch?.stepped(event, effects);
      for (const effect of effects) {
        if (this.isOver) return;
        this.carryOut(effect);
      }
    }
  }

  private carryOut(effect: RaftEffect): void {
    switch (effect.type) {
      case 'persist':
        return this.persist(effect);
      case 'writeSlots':
        return this.options.storage.writeHardState(
          { term: effect.term, vote: effect.vote },
          this.whenStored(() => this.step({ type: 'slotsWritten', version: effect.version })),
        );
      case 'load':
        return this.options.storage.load(
          effect.from,
          effect.maxBytes,
          this.whenStored((entries) => this.step({ type: 'loaded', from: effect.from, entries })),
        );
      case 'proposed':
        this.lastAdmission = effect;
        return;
      case 'fatal':
        return this.fail({
          exitCode: effect.code === 'LOG_LOST' ? 84 : 83,
          message: effect.message,
        });
      default:
        return this.tell(effect);
    }
  }

  private tell(effect: ToldEffect): void {
    const { listener } = this.options;
    switch (effect.type) {
      case 'send':
        return listener.send(effect.to, effect.message);
      case 'apply':
        return listener.apply(effect.entries);
      case 'readReady':
        return listener.readReady(effect.ids);
      case 'readFailed':
        return listener.readFailed(effect.ids);
      case 'role':
        return listener.roleChanged(effect.role, effect.term, effect.leaderId);
      case 'leaderReady':
        return listener.leaderReady(effect.term);
      case 'configChanged':
        return listener.configChanged(effect);
      case 'removed':
        return listener.removed(effect.configIndex);
      case 'configDecided':
      case 'transferDecided':
        return listener.decided(effect);
      case 'peerLostLog':
        return listener.peerLostLog(effect.peer, effect.message);
      default:
        return listener.snapshot(effect);
    }
  }

  private persist(effect: EffectOf<'persist'>): void {
    const cut = effect.truncateFrom;
    if (cut !== null) this.floor.cut(cut);
    this.options.storage.persist(
      { truncateFrom: cut, entries: effect.entries },
      this.whenStored(() => {
        this.floor.persisted({ index: effect.lastIndex, term: effect.lastTerm });
        this.step({ type: 'persisted', sequence: effect.sequence });
      }),
    );
  }

  /** A failed write, sync or read ends the node; there is no second try (RAFT.md §15.4). */
  private whenStored<T>(then: (value: T) => void): (result: StorageResult<T>) => void {
    return (result) => {
      if (this.isOver) return;
      if (result.ok) then(result.value);
      else this.fail({ exitCode: result.exit.exitCode, message: result.exit.message });
    };
  }

  private fail(exit: HostExit): void {
    if (this.isOver) return;
    this.stop();
    this.queue.length = 0;
    this.options.listener.failed(exit);
  }

  private arm(): void {
    if (this.isOver || this.isSilent) return;
    const { clock, raft, tickUs } = this.options;
    const nowUs = clock.monoUs();
    const dueUs = Math.min(raft.nextDeadlineUs(), nowUs + tickUs);
    if (this.timer !== null && this.timerUs <= dueUs) return;
    this.timer?.cancel();
    this.timerUs = dueUs;
    this.timer = clock.after(Math.max(0, dueUs - nowUs), () => this.onTimer());
  }

  private onTimer(): void {
    this.timer = null;
    if (this.isOver) return;
    this.options.onTick(this.options.clock.monoUs());
    this.step({ type: 'tick' });
  }
}

function describeBug(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `An invariant is broken, so this node stops before it can do harm: ${text}`;
}
