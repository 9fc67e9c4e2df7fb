// What a name is: a lock, or a semaphore of so many permits. Nothing declares it for good; it is in
// force while anybody holds the name, waits for it, or a ghost closes it, and all must agree.

import type { Need } from './need.ts';
import type { Lock } from './state.ts';
import { quote } from './validation.ts';

/** Why a request may not ask for a name like this now, or null. */
export function kindProblem(need: Need, lock: Lock): string | null {
  const inForce = totalInForce(lock);
  const asked = need.permits?.[1] ?? null;
  if (asked === inForce) return null;
  const present = `${quote(lock.name)} is ${describeKind(inForce)} while it is held or waited for`;
  return `${present} (asked for as ${describeKind(asked)})`;
}

/** Permits in total; null: a lock. As all agree, anybody there can tell. */
function totalInForce({ crowd, queue }: Lock): number | null {
  if (crowd !== null) return crowd.slots?.total ?? null;
  // A lone holder has a lock, and so whoever waits for it asked for a lock too.
  return queue?.first()?.need.permits?.[1] ?? null;
}

function describeKind(total: number | null): string {
  return total === null ? 'a lock' : `a semaphore of ${total}`;
}
