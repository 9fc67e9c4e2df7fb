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
/** Steps that wait while the directory is being founded or takes over a state; a few come. */
const WAITING_MAX = 256;

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

interface Waiting {
  readonly step: FoundingStep;
  readonly done: (result: QueryResult) => void;
}

/**
 * One node's part in the founding of a cluster (DESIGN.md §4.12). Every step may be repeated:
 * minting twice gives the record of the first time, the same record twice is done already, and a
 * different one is refused. A step that comes while the node becomes a member by another one, or
 * by what a leader sends it, waits: what it came to is then what it would come to afterwards.
 */
export class Founding {
  private readonly options: FoundingOptions;
  private record: FoundingRecord | null;
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(options: FoundingOptions, record: FoundingRecord | null) {
    this.options = options;
    this.record = record;
  }

  get founded(): FoundingRecord | null {
    return this.record;
  }

  /** The record is being made durable. */
  get isFounding(): boolean {
    return this.isWriting;
  }

  /** The node came into a cluster by taking over its state. */
  adopted(record: FoundingRecord): void {
    this.record = record;
    this.goOn();
  }

  handle(step: FoundingStep, done: (result: QueryResult) => void): void {
    if (step.step === 'ask') return done(this.describe());
    if (this.isWriting || this.options.isAdopting()) return this.wait({ step, done });
    if (step.step === 'mintRestored') return done(this.mintRestored(step));
    if (step.step === 'restorePart') return this.restore(step, done);
    const record = step.step === 'mint' ? (this.record ?? this.mint(step)) : step.record;
    const problem = this.problemOf(record);
    if (problem !== null) return done(refused('CLUSTER_CHANGED', problem));
    if (this.record !== null) return done(this.describe());
    this.wait({ step, done });
    this.write(record);
  }

  private wait(waiting: Waiting): void {
    if (this.waiting.length < WAITING_MAX) return void this.waiting.push(waiting);
    waiting.done(refused('UNAVAILABLE', 'the node becomes a member of a cluster at this moment'));
  }

  private goOn(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const { step, done } of waiting) this.handle(step, done);
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
    // Without an embargo whoever waits may be granted with the origin for a token.
    const leastToken = tokenFloor === null ? 0 : tokenFloor + 1;
    const origin = Math.max(backup.index + 1, leastToken, clockOrigin);
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
    // It may have come into this very cluster by a leader's checkpoint: the restorer sees.
    if (this.record !== null) return done(this.describe());
    this.options.restore(piece, (result) => {
      if (typeof result === 'string') return done(refused('INVALID', result));
      if (result !== null) this.record = result;
      done(this.describe());
    });
  }

  private problemOf(record: FoundingRecord): string | null {
    const { nodeId, storeId } = this.options;
    if (this.record !== null && this.record.clusterId !== record.clusterId) {
      const own = `${nodeId} belongs to cluster ${this.record.clusterId} already`;
      return `${own}; it cannot be founded as ${record.clusterId}`;
    }
    // Its rows come piece by piece; the record alone founds nothing.
    if (this.record === null && record.restored !== null) {
      return (
        `${nodeId} is blank, and the cluster is made of a backup: run "holdfast restore" again ` +
        'with the same file'
      );
    }
    const self = record.members.find((member) => member.nodeId === nodeId);
    if (self?.storeId === storeId) return null;
    const named = self === undefined ? 'does not name it' : `names directory ${self.storeId}`;
    return `${nodeId} has data directory ${storeId}, but the founding record ${named}`;
  }

  private write(record: FoundingRecord): void {
    this.isWriting = true;
    this.options.found(record, (result) => {
      this.isWriting = false;
      if (!result.ok) return this.refuseAll(result.exit.message);
      this.record = record;
      this.options.onFounded(result.value);
      this.goOn();
    });
  }

  private refuseAll(message: string): void {
    const { waiting } = this;
    this.waiting = [];
    for (const { done } of waiting) done(refused('INTERNAL', message));
  }

  private describe(): QueryResult {
    const { nodeId, storeId } = this.options;
    const { record } = this;
    const state = record === null ? 'blank' : 'founded';
    return { kind: 'founding', nodeId, storeId, state, record };
  }
}

function refused(code: ErrorCode, message: string): QueryResult {
  return { kind: 'refused', code, message };
}

/** Where a log founded at that wall time starts, so that tokens never repeat (RAFT.md §15.7). */
export function originAt(wallMs: number): Index {
  const seconds = Math.max(0, wallMs - EPOCH_MS) / 1_000;
  return Math.floor(seconds * INDICES_PER_SECOND);
}

/** 128 random bits as 32 hex digits. */
export function randomHex128(random: Random): string {
  const word = (): string => random.u32().toString(16).padStart(8, '0');
  return word() + word() + word() + word();
}
