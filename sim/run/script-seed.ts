import type { KeyedRandom } from '../world/random.ts';

/** Which script is the `number`-th (from 1) of a campaign or hunt with this luck. */
export function scriptSeed(random: KeyedRandom, number: number): number {
  return random.draw('script', number);
}
