// The data of the lock machine. A lock is nothing but its grants, its ghosts and its queue: when
// all are empty it leaves the table. Everything that two nodes must agree on is in some row; the
// rest (tables, queues, counts) follows from the rows.

import { compact } from '../base/compact.ts';
import type { Chained } from '../base/name-map.ts';
import type { Placeable } from '../base/ordered-names.ts';
import { SeqTable } from '../base/seq-table.ts';
import type { Index, SessionId, Token } from '../base/units.ts';
import type { Acquire, OpenSession } from './commands.ts';
import type { Crowd } from './crowd.ts';
import { itemRow } from './item-row.ts';
import type { RowValue } from './machine-types.ts';
import type { Need } from './need.ts';
import type { Outcome } from './outcomes.ts';
import { outcomeRow } from './outcome-row.ts';
import type { Queue } from './queue.ts';
import { StateRow, keyNumber, sessionKey } from './rows.ts';

/** What a session without TTL has until its first command (RAFT.md §12), milliseconds. */
const PROVISIONAL_TTL_MS = 15_000;

const NO_SLOTS: readonly (readonly number[])[] = [];
const NO_CLAIMS: readonly Claim[] = [];
/** What a client without metadata sends. */
const NO_META = '{}';

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
  readonly requests = new SeqTable<Request>();
  /** Frozen answers by seq, none of them below `ackedBelow`, none with a live request. */
  readonly records = new SeqTable<FrozenRecord>();
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

/** In the place of how long a request waited: it does. */
const STILL_WAITS = -1;

/**
 * A live acquire: a waiter while its token is 0, then a grant of all its names.
 *
 * There may be a million of them, so what they have in common takes no memory of theirs. Indices
 * and times are kept as distances from those of the session: small numbers lie within the object,
 * large ones beside it, which takes three times as much. Distances of more than 2^31 are as right,
 * they only do not save anything.
 */
export class Request extends StateRow {
  readonly session: Session;
  readonly seq: number;
  readonly bodyHash: number;
  readonly waitMs: number | null;
  readonly meta: string;
  /** What an election's grant proclaims; null for locks. */
  value: string | null;
  private readonly indexAfterSession: number;
  private readonly msAfterSession: number;
  /** Entries from the acquire to its grant. */
  private waited = STILL_WAITS;
  /** A lone claim is its own list. */
  private claimed: Claim | readonly Claim[] = NO_CLAIMS;

  constructor(session: Session, index: Index, command: RequestParts) {
    super();
    this.session = session;
    this.seq = command.seq;
    this.bodyHash = command.bodyHash;
    this.waitMs = command.waitMs;
    this.meta = command.meta === NO_META ? NO_META : command.meta;
    this.value = command.value;
    this.indexAfterSession = compact(index - session.index);
    this.msAfterSession = compact(command.stampMs - session.openedMs);
  }

  /** Index of the acquire's entry: its place in every queue. */
  get index(): Index {
    return this.session.index + this.indexAfterSession;
  }

  /** Wall time of the leader that appended the acquire, for display. */
  get sinceMs(): number {
    return this.session.openedMs + this.msAfterSession;
  }

  /** Index of the entry that granted it; 0 while it waits. */
  get token(): Token {
    return this.isGranted() ? this.index + this.waited : 0;
  }

  /** It is granted by this entry. */
  set token(token: Token) {
    this.waited = compact(token - this.index);
  }

  /** One for each name, in the order of the request. */
  get claims(): readonly Claim[] {
    return this.claimed instanceof Claim ? [this.claimed] : this.claimed;
  }

  set claims(claims: readonly Claim[]) {
    const first = claims[0];
    this.claimed = first !== undefined && claims.length === 1 ? first : claims;
  }

  isGranted(): boolean {
    return this.waited !== STILL_WAITS;
  }

  // What follows is asked of every request several times: of a lone claim without its list.

  names(): readonly string[] {
    const { claimed } = this;
    return claimed instanceof Claim ? [claimed.lock.name] : claimed.map(({ lock }) => lock.name);
  }

  isOf(name: string): boolean {
    const { claimed } = this;
    if (claimed instanceof Claim) return claimed.lock.name === name;
    return claimed.some(({ lock }) => lock.name === name);
  }

  /** What it counts in `holdingsPerSessionMax`. */
  weight(): number {
    const { claimed } = this;
    if (claimed instanceof Claim) return weightOf(claimed.need);
    return claimed.reduce((sum, { need }) => sum + weightOf(need), 0);
  }

  /** Slot numbers for each name, in the order of the request; empty without a semaphore. */
  slots(): readonly (readonly number[])[] {
    const { claimed } = this;
    if (claimed instanceof Claim && claimed.need.permits === null) return NO_SLOTS;
    const { claims } = this;
    if (claims.every(({ need }) => need.permits === null)) return NO_SLOTS;
    return claims.map((claim) => claim.lock.crowd?.slotsOf(claim) ?? []);
  }

  override rowKey(): string {
    const kind = this.isGranted() ? 'g' : 'w';
    return `${sessionKey(this.session.index)}/${kind}/${keyNumber(this.seq)}`;
  }

  override rowValue(): RowValue {
    const items = this.claims.map(({ lock, need }) => itemRow({ name: lock.name, ...need }));
    const common = [this.index, this.bodyHash, this.meta, this.value, this.sinceMs, items];
    return this.isGranted() ? [...common, this.token, this.slots()] : [...common, this.waitMs];
  }
}

/** What a request wants of, or has of, one lock. */
export class Claim {
  readonly request: Request;
  readonly lock: Lock;
  readonly need: Need;

  constructor(request: Request, lock: Lock, need: Need) {
    this.request = request;
    this.lock = lock;
    this.need = need;
  }
}

/** Exists while somebody holds it or waits for it, or a ghost closes it. */
export interface Lock extends Chained<Lock>, Placeable {
  /** Who has it alone, be it shared or not. Of a semaphore always null. */
  holder: Claim | null;
  /** Those who have it together, ghosts included. Never empty, never beside a lone holder. */
  crowd: Crowd | null;
  /** null while nobody has to wait. */
  queue: Queue<Claim> | null;
}

/** What a name counts in `holdingsPerSessionMax`: one, of a semaphore as many as it takes. */
export function weightOf({ permits }: Need): number {
  return permits === null ? 1 : permits[0];
}
