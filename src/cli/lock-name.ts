import { HoldfastError } from '../base/error.ts';
import { nameProblem } from '../base/name.ts';

/**
 * The name of a lock as it was typed. Throws INVALID; also for bytes that are no UTF-8, which Node
 * shows as U+FFFD: two such names would be one lock.
 */
export function checkLockName(name: string): string {
  const problem = nameProblem(name) ?? encodingProblem(name);
  if (problem !== null) throw new HoldfastError('INVALID', problem);
  return name;
}

function encodingProblem(name: string): string | null {
  return name.includes('\ufffd') ? `a name must be valid UTF-8; got ${JSON.stringify(name)}` : null;
}
