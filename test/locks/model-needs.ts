// What the plain model keeps, and its arithmetic: what goes together, which slots are free.

import type { RequestItem } from '../../src/locks/commands.ts';

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
export function weightOf(items: readonly RequestItem[]): number {
  return items.reduce((sum, { permits }) => sum + (permits?.[0] ?? 1), 0);
}

function isShared({ mode }: RequestItem): boolean {
  return mode === 'shared';
}
