// What is wanted of a name, the name itself aside.

import type { RequestItem } from './commands.ts';

/** What a request wants of one name, whichever name that is. */
export type Need = Pick<RequestItem, 'mode' | 'permits'>;

const EXCLUSIVE: Need = { mode: 'exclusive', permits: null };
const SHARED: Need = { mode: 'shared', permits: null };

/** The need of an item. All that want a lock share two of them; a semaphore's have their own. */
export function needOf({ mode, permits }: RequestItem): Need {
  if (permits !== null) return { mode, permits };
  return mode === 'shared' ? SHARED : EXCLUSIVE;
}
