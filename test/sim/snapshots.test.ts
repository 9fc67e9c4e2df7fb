// Compaction and transfers of checkpoints in whole clusters, under the eyes of all oracles.

import { describe, expect, test } from 'vitest';
import { createSimCluster } from '../../sim/cluster.ts';
import { FoundedImages } from '../../sim/founded-images.ts';
import { grantAll, seeds } from './scenario.ts';

const images = new FoundedImages();
/** A checkpoint every few entries, almost no log behind it, small pieces. */
const CHECKPOINTS = {
  dirtyRowsMax: 4,
  intervalMs: 100,
  trailingEntries: 2,
  pinnedEntriesMax: 8,
  partBytesMax: 200,
  partsInFlightMax: 2,
  hashEvery: 8,
};

describe('a follower that is behind the log', () => {
  test('INV-5 R-53 gets a checkpoint, and is like the others afterwards', async () => {
    for (const seed of seeds(5)) {
      const settings = { checkpoints: CHECKPOINTS };
      const cluster = await createSimCluster({ seed, images, settings });
      const leader = await cluster.waitLeader();
      const [behind = ''] = cluster.others(leader);
      await grantAll(cluster, leader, ['a']);
      cluster.world.isolate(behind);
      await grantAll(cluster, leader, ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']);
      const before = cluster.status(behind).lastIndex;
      await cluster.until('a compaction', () => cluster.status(leader).anchorIndex > before);
      cluster.world.heal();
      await cluster.until('its catching up', () => cluster.status(behind).anchorIndex > before);
      await grantAll(cluster, await cluster.waitLeader(), ['m']);
      await cluster.converge();
      const hashes = cluster.living().map(({ stateHash }) => stateHash);
      expect(new Set(hashes).size).toBe(1);
    }
  });
});
