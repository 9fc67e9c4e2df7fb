import type { ErrorCode } from '../base/error.ts';
import type { Index, NodeId, StoreId } from '../base/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { FoundingStep, QueryResult } from '../wire/client-messages.ts';
import type { FoundingRecord } from '../wire/founding-record.ts';
import type { Recovered, StorageResult } from './storage/types.ts';

/** 2026-01-01T00:00:00Z in milliseconds since 1970: the origin of origins. */
const EPOCH_MS = 1_767_225_600_000;
/** Indices per second of wall time that a log may use up on average (DESIGN.md §4.13). */
const INDICES_PER_SECOND = 2 ** 20;

export interface FoundingOptions {
  readonly nodeId: NodeId;
  readonly storeId: StoreId;
  readonly clock: Clock;
  readonly random: Random;
  /** Makes the record durable: the directory is founded when it answers. */
  readonly found: (
    record: FoundingRecord,
    done: (result: StorageResult<Recovered>) => void,
  ) => void;
  readonly onFounded: (recovered: Recovered) => void;
  /** A piece of a restored state; see Adoption.restore. */
  readonly restore: (
    piece: Extract<FoundingStep, { readonly step: 'restorePart' }>,
    done: (result: FoundingRecord | string | null) => void,
  ) => void;
  /** The node is taking over a state: nothing else may found it meanwhile. */
  readonly isAdopting: () => boolean;
}

/**
 * One node's part in the founding of a cluster (DESIGN.md §4.12). Every step may be repeated:
 * minting twice gives the record of the first time, the same record twice is done already, and a
 * different one is refused.
 */
export class Founding {
  private readonly options: FoundingOptions;
  private record: FoundingRecord | null;
  private waiting: ((result: QueryResult) => void)[] = [];
  private isWriting = false;

  constructor(options: FoundingOptions, record: FoundingRecord | null) {
    this.options = options;
    this.record = record;
  }

  get founded(): FoundingRecord | null {
    return this.isWriting ? null : this.record;
  }

  /** The record is being made durable. */
  get isFounding(): boolean {
    return this.isWriting;
  }

  /** The node came into a cluster by taking over its state. */
  adopted(record: FoundingRecord): void {
    this.record = record;
  }

  handle(step: FoundingStep, done: (result: QueryResult) => void): void {
    if (step.step === 'ask') return done(this.describe());
    if (this.options.isAdopting()) {
      return done(refused('UNAVAILABLE', 'the node is joining a cluster at this moment'));
    }
    if (step.step === 'mintRestored') return done(this.mintRestored(step));
    if (step.step === 'restorePart') return this.restore(step, done);
    const record = step.step === 'mint' ? (this.record ?? this.mint(step)) : step.record;
    const problem = this.problemOf(record);
    if (problem !== null) return done(refused('CLUSTER_CHANGED', problem));
    if (this.record !== null && !this.isWriting) return done(this.describe());
    this.waiting.push(done);
    if (!this.isWriting) this.write(record);
  }

  private mint(step: Extract<FoundingStep, { step: 'mint' }>): FoundingRecord {
    const { random, clock } = this.options;
    return {
      clusterId: randomHex128(random),
      clusterName: step.clusterName,
      members: step.members,
      limits: step.limits,
      origin: step.origin ?? originAt(clock.wallMs()),
      restored: null,
    };
  }

  // The record is not kept: nothing is founded before the state has come. Who is founded already
  // shows its own record, which says what it was restored from.
  private mintRestored(step: Extract<FoundingStep, { step: 'mintRestored' }>): QueryResult {
    if (this.record !== null) return this.describe();
    const { clusterName, members, limits, backup, tokenFloor } = step;
    const clockOrigin = originAt(this.options.clock.wallMs());
    if (tokenFloor === null && clockOrigin <= backup.index) {
      return refused(
        'INVALID',
        `the clock of this machine implies tokens above ${clockOrigin}, which is not above the ` +
          `last entry of the backup (${backup.index}): set the clock right, or give a token ` +
          'floor above every token that the old cluster can have issued',
      );
    }
    const origin = Math.max(backup.index + 1, tokenFloor ?? 0, clockOrigin);
    const record: FoundingRecord = {
      clusterId: randomHex128(this.options.random),
      clusterName,
      members,
      limits,
      origin,
      restored: { ...backup, embargoMs: 0, rowSum: '' },
    };
    const { nodeId, storeId } = this.options;
    return { kind: 'founding', nodeId, storeId, state: 'blank', record };
  }

  private restore(
    piece: Extract<FoundingStep, { step: 'restorePart' }>,
    done: (result: QueryResult) => void,
  ): void {
    if (this.record !== null) return done(refused('CLUSTER_CHANGED', this.foundedText()));
    this.options.restore(piece, (result) => {
      if (typeof result === 'string') return done(refused('INVALID', result));
      if (result !== null) this.record = result;
      done(this.describe());
    });
  }

  private foundedText(): string {
    const { nodeId } = this.options;
    return `${nodeId} belongs to cluster ${this.record?.clusterId ?? ''} already`;
  }

  private problemOf(record: FoundingRecord): string | null {
    const { nodeId, storeId } = this.options;
    if (this.record !== null && this.record.clusterId !== record.clusterId) {
      return `${this.foundedText()}; it cannot be founded as ${record.clusterId}`;
    }
    const self = record.members.find((member) => member.nodeId === nodeId);
    if (self?.storeId === storeId) return null;
    const named = self === undefined ? 'does not name it' : `names directory ${self.storeId}`;
    return `${nodeId} has data directory ${storeId}, but the founding record ${named}`;
  }

  private write(record: FoundingRecord): void {
    this.isWriting = true;
    this.record = record;
    this.options.found(record, (result) => {
      this.isWriting = false;
      const waiting = this.waiting;
      this.waiting = [];
      if (result.ok) this.options.onFounded(result.value);
      else this.record = null;
      const answer: QueryResult = result.ok
        ? this.describe()
        : refused('INTERNAL', result.exit.message);
      for (const done of waiting) done(answer);
    });
  }

  private describe(): QueryResult {
    const { nodeId, storeId } = this.options;
    const record = this.founded;
    const state = record === null ? 'blank' : 'founded';
    return { kind: 'founding', nodeId, storeId, state, record };
  }
}

function refused(code: ErrorCode, message: string): QueryResult {
  return { kind: 'refused', code, message };
}

/** Where a log founded at that wall time starts, so that tokens never repeat (RAFT.md §15.7). */
export function originAt(wallMs: number): Index {
  const seconds = Math.max(0, Math.floor((wallMs - EPOCH_MS) / 1_000));
  return seconds * INDICES_PER_SECOND;
}

/** 128 random bits as 32 hex digits. */
export function randomHex128(random: Random): string {
  const word = (): string => random.u32().toString(16).padStart(8, '0');
  return word() + word() + word() + word();
}
