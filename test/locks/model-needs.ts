// What the plain model keeps, and its arithmetic: what goes together, which slots are free.

import { compareUtf8 } from '../../src/base/name.ts';
import type {
  Acquire,
  Proclaim,
  Release,
  ReplicatedLimits,
  RequestItem,
} from '../../src/locks/commands.ts';

/** Who has a name: a holder or a ghost. */
export interface Tenant {
  readonly item: RequestItem;
  readonly slots: readonly number[];
}

/** What the model says of an answer: the outcome without texts and views. */
export type Verdict = readonly (string | number | null)[];

/** A living session, with the answers that it may ask for again. */
export interface ModelSession {
  readonly id: string;
  readonly nonce: string;
  readonly ttlMs: number | null;
  readonly lockDelayMs: number;
  isUsed: boolean;
  ackedBelow: number;
  readonly answers: Map<number, { hash: number | null; verdict: Verdict }>;
}

/** A live acquire. */
export interface ModelRequest {
  readonly session: string;
  readonly seq: number;
  readonly hash: number;
  readonly index: number;
  readonly items: readonly RequestItem[];
  value: string | null;
  /** 0 while it waits. */
  token: number;
  /** For each item. */
  slots: readonly (readonly number[])[];
}

/** One name of a grant whose session expired with a lock-delay. */
export interface ModelGhost extends Tenant {
  readonly session: string;
  readonly seq: number;
  readonly token: number;
  readonly closedAt: number;
}

/** What is looked at when somebody asks, or an embargo is lifted. */
export interface ModelState {
  readonly limits: ReplicatedLimits;
  readonly requests: readonly ModelRequest[];
  readonly ghosts: readonly ModelGhost[];
}

/** Whether an acquire is refused, whoever has what it asks for. */
export function isRefused({ session, items }: Acquire, state: ModelState): boolean {
  if (new Set(items.map((item) => item.name)).size < items.length) return true;
  const mine = state.requests.filter((request) => request.session === session);
  const weight = weightOf([...mine.flatMap((request) => request.items), ...items]);
  if (weight > state.limits.holdingsPerSessionMax) return true;
  return items.some(({ name, mode, permits }) => {
    const others = presentItems(state).filter((other) => other.name === name);
    if (others.some((other) => other.permits?.[1] !== permits?.[1])) return true;
    return permits !== null && (permits[0] > permits[1] || mode === 'shared');
  });
}

/** Grants that a session names. */
export function grantsMeant(
  requests: readonly ModelRequest[],
  { session, acquireSeq, token, name }: Release | Proclaim,
): readonly ModelRequest[] {
  return requests.filter(
    (request) =>
      request.session === session &&
      request.token === token &&
      request.items.some((item) => item.name === name) &&
      (acquireSeq === null || request.seq === acquireSeq),
  );
}

/** What the grants of a session leave behind. */
export function ghostsOf(
  requests: readonly ModelRequest[],
  { id, lockDelayMs }: ModelSession,
  closedAt: number,
): readonly ModelGhost[] {
  if (lockDelayMs === 0) return [];
  const held = requests.filter((one) => one.session === id && one.token > 0);
  held.sort((left, right) => left.seq - right.seq);
  return held.flatMap(({ items, slots, seq, token }) =>
    items.map((item, at) => {
      return { item, slots: slots[at] ?? [], session: id, seq, token, closedAt };
    }),
  );
}

/** Those of random logs: only their longest TTL can be wrong. */
export function areLimits({ ttlMsMin, ttlMsMax }: ReplicatedLimits): boolean {
  return ttlMsMax >= ttlMsMin;
}

/** Where one entry gets to that lifts an embargo; null: to the end. */
export function nextCursor(state: ModelState, cursor: string | null): string | null {
  const max = state.limits.holdingsPerSessionMax;
  const all = new Set(presentItems(state).map(({ name }) => name));
  const names = [...all].sort(compareUtf8).filter((name) => !isUpTo(name, cursor));
  let [seen, tested, last] = [0, 0, cursor];
  for (const name of names) {
    if (seen === max || tested >= Math.min(max, 1_000)) return last;
    const isHere = (item: RequestItem) => item.name === name;
    tested += state.requests.filter(({ token, items }) => token === 0 && items.some(isHere)).length;
    seen += 1;
    last = name;
  }
  return null;
}

/** Whether a name is open while an embargo is lifted up to the cursor. */
export function isUpTo(name: string, cursor: string | null | undefined): boolean {
  return typeof cursor === 'string' && compareUtf8(name, cursor) <= 0;
}

function presentItems({ requests, ghosts }: ModelState): readonly RequestItem[] {
  return [...requests.flatMap(({ items }) => items), ...ghosts.map(({ item }) => item)];
}

/** Whether one more may have the name together with these. */
export function isFree(item: RequestItem, tenants: readonly Tenant[]): boolean {
  if (item.permits === null) {
    return tenants.length === 0 || [item, ...tenants.map((one) => one.item)].every(isShared);
  }
  const [taken, total] = item.permits;
  return taken + weightOf(tenants.map((tenant) => tenant.item)) <= total;
}

/** The lowest slots that nobody has; none for a lock. */
export function freeSlots({ permits }: RequestItem, tenants: readonly Tenant[]): readonly number[] {
  if (permits === null) return [];
  const [taken, total] = permits;
  const all = Array.from({ length: total }, (_, slot) => slot);
  return all.filter((slot) => !tenants.some((one) => one.slots.includes(slot))).slice(0, taken);
}

/** One for each name, of a semaphore one for each permit. */
function weightOf(items: readonly RequestItem[]): number {
  return items.reduce((sum, { permits }) => sum + (permits?.[0] ?? 1), 0);
}

function isShared({ mode }: RequestItem): boolean {
  return mode === 'shared';
}
