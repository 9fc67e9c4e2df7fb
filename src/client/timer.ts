import type { MonoUs } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';

// Longest single delay: a timer of 2^31 ms or more would fire at once on some platforms.
const LEG_US_MAX = 3_600_000_000;

/**
 * Calls back once the monotonic clock has reached `dueUs`, never earlier: a timer that fires early
 * (RAFT.md §16.3) or a very long wait is armed again. Infinity never calls back.
 */
export function callAt(clock: Clock, dueUs: MonoUs, callback: () => void): Timer {
  let isCancelled = dueUs === Infinity;
  let timer: Timer | null = null;
  const arm = (): void => {
    const delayUs = Math.max(0, dueUs - clock.monoUs());
    timer = clock.after(Math.min(delayUs, LEG_US_MAX), () => {
      if (isCancelled) return;
      if (clock.monoUs() < dueUs) arm();
      else callback();
    });
  };
  if (!isCancelled) arm();
  return {
    cancel: () => {
      isCancelled = true;
      timer?.cancel();
    },
  };
}
