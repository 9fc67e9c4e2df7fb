import { DISTRIBUTIONS } from '../script/distributions.ts';
import type { Script } from '../script/types.ts';
import { mutate } from './mutate.ts';
import type { Task } from './protocol.ts';

/** The script that a task means, wherever it is asked. */
export function scriptOf({ origin, base, distribution, seed }: Task): Script {
  if (base === null || origin === 'fresh') return DISTRIBUTIONS[distribution](seed);
  return origin === 'corpus' ? base : mutate(base, seed);
}
