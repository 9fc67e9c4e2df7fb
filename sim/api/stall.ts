// When nothing is left that could end a scenario: everybody waits, and only heartbeats go round.

import { US_PER_MS } from '../../src/base/units.ts';
import type { Conversations } from './conversations.ts';
import type { HeldNow } from './judges.ts';
import type { RunWorld } from './run-world.ts';
import { secondsOf } from './story.ts';

/** Longer than any lease, election or retry of the usual settings. */
const QUIET_US = 60_000 * US_PER_MS;

/** What is looked at. */
export interface StallParts {
  readonly inside: Pick<RunWorld, 'pending'>;
  readonly conversations: Conversations;
  /** Before that time of the world something happens by itself. */
  readonly quietFromUs: number;
}

/** Tells at each event whether it has come to that. */
export function stallOf({ inside, conversations, quietFromUs }: StallParts): {
  readonly isNow: (nowUs: number) => boolean;
} {
  return {
    isNow: (nowUs) => {
      const sinceUs = Math.max(conversations.spokenUs, quietFromUs);
      if (nowUs - sinceUs <= QUIET_US + conversations.longestWaitUs) return false;
      return inside.pending === 0;
    },
  };
}

/** Who waits for what, and who has it. */
export function waitingText(
  conversations: Conversations,
  held: readonly HeldNow[],
  startUs: number,
): string {
  const waits = conversations.waiting().map(({ by, names, sinceUs }) => {
    const holders = held.filter((each) => each.names.some((name) => names.includes(name)));
    const whose = holders.map((each) => `${each.by} holds ${each.names.join(' and ')}`);
    const since = secondsOf((sinceUs - startUs) / US_PER_MS);
    const what = `${by} waits since ${since} for ${names.join(' and ')}`;
    return whose.length === 0 ? what : `${what}, while ${whose.join(' and ')}`;
  });
  return waits.length === 0 ? 'it waits for what never comes' : waits.join('; ');
}
