// Waiting in a world that has days: conditions that cost something are looked at now and then.

import { InvariantError } from '../../src/base/assert.ts';
import type { SimCluster } from '../cluster.ts';
import { SECOND_MS } from './settings.ts';

/** Runs until it is so, as seen once a second; throws with what every node says when it is late. */
export async function watchOver(
  cluster: SimCluster,
  what: string,
  isTrue: () => boolean,
  withinMs: number,
): Promise<void> {
  const { world } = cluster;
  const endUs = world.nowUs + withinMs * 1_000;
  while (!isTrue()) {
    if (world.nowUs >= endUs) {
      throw new InvariantError(
        `LIV-1: did not come within ${withinMs} ms: ${what}\n${cluster.describe()}`,
      );
    }
    await cluster.runFor(SECOND_MS);
  }
}

/** Runs until every member is there and has applied what any of them has committed by now. */
export async function settle(cluster: SimCluster, withinMs: number): Promise<void> {
  const members = (): readonly string[] => cluster.members().map(({ id }) => id);
  const isUp = (): boolean => cluster.members().every((node) => node.isStarted && !node.isPaused);
  await watchOver(cluster, 'all members started', isUp, withinMs);
  await watchOver(cluster, 'a leader', () => cluster.leader() !== null, withinMs);
  const commits = members().map((id) => cluster.status(id).commitIndex);
  const goal = Math.max(...commits);
  const isThere = (): boolean => members().every((id) => cluster.status(id).appliedIndex >= goal);
  await watchOver(cluster, `all members at entry ${goal}`, isThere, withinMs);
}
