import type { OwnGround } from '../ground.ts';

/** Readings of a clock at one instant, beyond which somebody waits for time to pass by looking. */
const READINGS_MAX = 1_000_000;

/** Counts the looks at clocks that stand still meanwhile; throws when they never end. */
export function noteReading({ readings, life }: OwnGround): void {
  const nowUs = life.nowUs();
  readings.count = readings.atUs === nowUs ? readings.count + 1 : 0;
  readings.atUs = nowUs;
  if (readings.count < READINGS_MAX) return;
  readings.count = 0;
  const hint = 'virtual time passes only while a program waits; world.pause is a blocked process';
  throw new Error(`a clock was read ${READINGS_MAX} times while time stood still: ${hint}`);
}
