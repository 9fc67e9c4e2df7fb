import { HoldfastError } from '../../../src/base/error.ts';

/** Throws INVALID under fake timers: programs would wait for those, and nobody moves them on. */
export function checkTimers(): void {
  const isFake = [setTimeout, Date].some((each) => Object.hasOwn(each, 'clock'));
  if (!isFake) return;
  const text =
    'fake timers are in place: a simulation has its own, so call vi.useRealTimers() first';
  throw new HoldfastError('INVALID', text);
}
