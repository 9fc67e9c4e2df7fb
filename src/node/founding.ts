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

  handle(step: FoundingStep, done: (result: QueryResult) => void): void {
    if (step.step === 'ask') return done(this.describe());
    const record = step.step === 'mint' ? (this.record ?? this.mint(step)) : step.record;
    const problem = this.problemOf(record);
    if (problem !== null)
      return done({ kind: 'refused', code: 'CLUSTER_CHANGED', message: problem });
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

  private problemOf(record: FoundingRecord): string | null {
    const { nodeId, storeId } = this.options;
    if (this.record !== null && this.record.clusterId !== record.clusterId) {
      return (
        `${nodeId} belongs to cluster ${this.record.clusterId} already; ` +
        `it cannot be founded as ${record.clusterId}`
      );
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
        : { kind: 'refused', code: 'INTERNAL', message: result.exit.message };
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
