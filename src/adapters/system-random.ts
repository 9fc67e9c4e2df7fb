import { randomFillSync } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/** Numbers fetched from the system at once; a call for each would cost a microsecond. */
const POOL_SIZE = 256;

/** The system's cryptographic randomness. */
export function createSystemRandom(): Random {
  const pool = new Uint32Array(POOL_SIZE);
  let used = POOL_SIZE;
  return {
    u32() {
      if (used === POOL_SIZE) {
        randomFillSync(pool);
        used = 0;
      }
      const value = pool[used] ?? 0;
      // What was given out is not kept: session ids are made of it.
      pool[used] = 0;
      used += 1;
      return value;
    },
  };
}
