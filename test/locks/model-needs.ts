// The plain model's arithmetic of needs: what goes together, which slots are free, what it weighs.

import type { RequestItem } from '../../src/locks/commands.ts';

/** Who has a name: a holder or a ghost. */
export interface Tenant {
  readonly item: RequestItem;
  readonly slots: readonly number[];
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
