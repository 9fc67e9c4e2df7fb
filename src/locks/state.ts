// The data of the lock machine. A lock is nothing but its grants, its ghosts and its queue: when
// all are empty it leaves the table. Everything that two nodes must agree on is in some row; the
// rest (tables, queues, counts) follows from the rows.

import type { Index, SessionId, Token } from '../base/units.ts';
import type { Acquire, OpenSession, RequestItem } from './commands.ts';
import type { Crowd } from './crowd.ts';
import { itemRow } from './item-row.ts';
import type { RowValue } from './machine-types.ts';
import type { Outcome } from './outcomes.ts';
import { outcomeRow } from './outcome-row.ts';
import type { Queue } from './queue.ts';
import { StateRow, keyNumber, sessionKey } from './rows.ts';

/** What a session without TTL has until its first command (RAFT.md §12), milliseconds. */
export const PROVISIONAL_TTL_MS = 15_000;

const NO_SLOTS: readonly (readonly number[])[] = [];

/** A client's standing with the cluster, from its open to its end. */
export class Session extends StateRow {
  readonly id: SessionId;
  /** Index of the entry that opened it; the first part of the id. */
  readonly index: Index;
  readonly nonce: string;
  readonly ttlMs: number | null;
  readonly lockDelayMs: number;
  readonly name: string;
  readonly meta: string;
  readonly openedMs: number;
  /** Highest that any command said: answers of requests below it are known. Never falls. */
  ackedBelow = 0;
  /** A command of this session was applied, so the client knows of it. */
  isUsed = false;
  /** Live acquires by seq: waiters and grants. A live one is its own record (RAFT.md §12). */
  readonly requests = new Map<number, Request>();
  /** Frozen answers by seq, none of them below `ackedBelow`, none with a live request. */
  readonly records = new Map<number, FrozenRecord>();
  /** Weight of its grants: one for each name, of a semaphore one for each permit. */
  held = 0;
  /** Weight of its waiters. */
  waiting = 0;

  constructor(index: Index, command: Omit<OpenSession, 'op'>) {
    super();
    this.id = `${index}-${command.nonce}`;
    this.index = index;
    this.nonce = command.nonce;
    this.ttlMs = command.ttlMs;
    this.lockDelayMs = command.lockDelayMs;
    this.name = command.name;
    this.meta = command.meta;
    this.openedMs = command.stampMs;
  }

  /** How long it may be silent, milliseconds; null: for ever. */
  leaseMs(): number | null {
    return this.ttlMs ?? (this.isUsed ? null : PROVISIONAL_TTL_MS);
  }

  override rowKey(): string {
    return sessionKey(this.index);
  }

  override rowValue(): RowValue {
    return [
      this.nonce,
      this.ttlMs,
      this.lockDelayMs,
      this.name,
      this.meta,
      this.openedMs,
      this.ackedBelow,
      this.isUsed,
    ];
  }
}

/** The answer of a request that is over, kept until the client has acknowledged it. */
export class FrozenRecord extends StateRow {
  readonly session: Session;
  readonly seq: number;
  /** null matches any content: the request was cancelled before it was seen. */
  readonly bodyHash: number | null;
  readonly outcome: Outcome;

  constructor(
    session: Session,
    seq: number,
    answer: { readonly bodyHash: number | null; readonly outcome: Outcome },
  ) {
    super();
    this.session = session;
    this.seq = seq;
    this.bodyHash = answer.bodyHash;
    this.outcome = answer.outcome;
  }

  override rowKey(): string {
    return `${sessionKey(this.session.index)}/r/${keyNumber(this.seq)}`;
  }

  override rowValue(): RowValue {
    return [this.bodyHash, outcomeRow(this.outcome)];
  }
}

/** What a request keeps of its acquire. */
export type RequestParts = Pick<
  Acquire,
  'seq' | 'bodyHash' | 'waitMs' | 'meta' | 'value' | 'stampMs'
>;

/** A live acquire: a waiter while its token is 0, then a grant of all its names. */
export class Request extends StateRow {
  readonly session: Session;
  readonly seq: number;
  readonly bodyHash: number;
  /** Index of the acquire's entry: its place in every queue. */
  readonly index: Index;
  readonly waitMs: number | null;
  readonly meta: string;
  /** What an election's grant proclaims; null for locks. */
  value: string | null;
  readonly sinceMs: number;
  /** Index of the entry that granted it; 0 while it waits. */
  token: Token = 0;
  /** One for each name, in the order of the request. */
  claims: readonly Claim[] = [];

  constructor(session: Session, index: Index, command: RequestParts) {
    super();
    this.session = session;
    this.seq = command.seq;
    this.bodyHash = command.bodyHash;
    this.index = index;
    this.waitMs = command.waitMs;
    this.meta = command.meta;
    this.value = command.value;
    this.sinceMs = command.stampMs;
  }

  isGranted(): boolean {
    return this.token !== 0;
  }

  names(): readonly string[] {
    return this.claims.map((claim) => claim.item.name);
  }

  /** What it counts in `holdingsPerSessionMax`. */
  weight(): number {
    return this.claims.reduce((sum, { item }) => sum + weightOf(item), 0);
  }

  /** Slot numbers for each name, in the order of the request; empty without a semaphore. */
  slots(): readonly (readonly number[])[] {
    if (this.claims.every(({ item }) => item.permits === null)) return NO_SLOTS;
    return this.claims.map((claim) => claim.lock.crowd?.slotsOf(claim) ?? []);
  }

  override rowKey(): string {
    const kind = this.isGranted() ? 'g' : 'w';
    return `${sessionKey(this.session.index)}/${kind}/${keyNumber(this.seq)}`;
  }

  override rowValue(): RowValue {
    const items = this.claims.map(({ item }) => itemRow(item));
    const common = [this.index, this.bodyHash, this.meta, this.value, this.sinceMs, items];
    return this.isGranted() ? [...common, this.token, this.slots()] : [...common, this.waitMs];
  }
}

/** What a request wants of, or has of, one lock. */
export interface Claim {
  readonly request: Request;
  readonly item: RequestItem;
  readonly lock: Lock;
}

/** Exists while somebody holds it or waits for it, or a ghost closes it. */
export interface Lock {
  readonly name: string;
  /** Who has it alone, be it shared or not. Of a semaphore always null. */
  holder: Claim | null;
  /** Those who have it together, ghosts included. Never empty, never beside a lone holder. */
  crowd: Crowd | null;
  /** null while nobody has to wait. */
  queue: Queue<Claim> | null;
}

/** What a name counts in `holdingsPerSessionMax`: one, of a semaphore as many as it takes. */
export function weightOf(item: RequestItem): number {
  return item.permits === null ? 1 : item.permits[0];
}
