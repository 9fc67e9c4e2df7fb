// Reports about elections, while the leader of the cluster is cut off and does not know it.

import { describe, expect, test } from 'vitest';
import type { SimCluster } from '../../sim/cluster.ts';
import { valueOf } from '../../sim/cluster-client.ts';
import type { SimClient } from '../../sim/cluster-client.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { ElectionView } from '../../src/client/election.ts';
import { E, elapsed, seeds, withLeader } from './scenario.ts';

// The followers' patience (E), their draw (up to E more), and time for the rounds of both sides.
const MOVED_MS = 3 * E;

type Cut = (cluster: SimCluster, leader: NodeId, rest: readonly NodeId[]) => void;

const CUTS: readonly (readonly [string, Cut])[] = [
  [
    'cut off both ways',
    ({ world }, leader, rest) => rest.forEach((node) => world.cutBoth(leader, node)),
  ],
  ['not heard', ({ world }, leader, rest) => rest.forEach((node) => world.cut(leader, node))],
  ['deaf', ({ world }, leader, rest) => rest.forEach((node) => world.cut(node, leader))],
];

/** Everything that a client observes of the election from now on. */
function observe(owner: SimClient): ElectionView[] {
  const views: ElectionView[] = [];
  owner.run(async ({ client }) => {
    for await (const view of client.election('e').observe()) views.push(view);
  });
  return views;
}

/** Nobody goes back, and no two tell of different leaders as of one revision. */
function expectOneStory(observers: readonly (readonly ElectionView[])[]): void {
  const told = new Map<number, string>();
  for (const views of observers) {
    let last = 0;
    for (const { revision, leader } of views) {
      const text = JSON.stringify(leader);
      expect([revision > last, told.get(revision) ?? text]).toEqual([true, text]);
      told.set(revision, text);
      last = revision;
    }
  }
}

async function incumbent(cluster: SimCluster) {
  const [one, two] = [cluster.client('one'), cluster.client('two')];
  const first = one.run(({ client }) => client.election('e').campaign());
  await cluster.until('a leader', () => first.isSettled);
  const second = two.run(({ client }) => client.election('e').campaign());
  await cluster.runFor(500);
  return { one, first: valueOf(first.value), second };
}

function tokens(views: readonly ElectionView[]): (number | null)[] {
  return views.map(({ leader }) => leader?.token ?? null);
}

describe('while the leader of the cluster is', () => {
  test.each(CUTS)(
    'B12 A10 %s, who campaigns and who observes moves on, and sees one leader at a time',
    async (_how, cut) => {
      for (const seed of seeds(5)) {
        const { cluster, leader, rest } = await withLeader({ seed });
        const observers = ['three', 'four'].map((name) => observe(cluster.client(name)));
        const { one, first, second } = await incumbent(cluster);
        cut(cluster, leader, rest);
        const resigned = one.run(() => first.resign());
        const wonMs = await elapsed(cluster, 'the next winner', () => second.isSettled);
        expect(wonMs).toBeLessThan(MOVED_MS);
        const won = valueOf(second.value);
        const areTold = (): boolean =>
          observers.every((views) => tokens(views).includes(won.token));
        expect(wonMs + (await elapsed(cluster, 'the observers', areTold))).toBeLessThan(MOVED_MS);
        await cluster.until('an answer to who resigned', () => resigned.isSettled);
        expect([valueOf(resigned.value), won.held(), won.token > first.token]).toEqual([
          true,
          true,
          true,
        ]);
        cluster.world.heal();
        await cluster.runFor(5_000);
        expectOneStory(observers);
        for (const views of observers) expect(tokens(views).slice(-1)).toEqual([won.token]);
      }
    },
  );

  test('B12 cut off together with an observer, that one is told nothing until it is back', async () => {
    for (const seed of seeds(5)) {
      const { cluster, leader, rest } = await withLeader({ seed });
      const [stranded, other] = [cluster.client('stranded'), cluster.client('other')];
      const observers = [observe(stranded), observe(other)] as const;
      const { one, first, second } = await incumbent(cluster);
      for (const node of rest) {
        cluster.world.cutBoth(leader, node);
        cluster.world.cutBoth('stranded', node);
      }
      one.run(() => first.resign());
      await cluster.until('the next winner', () => second.isSettled);
      await cluster.runFor(10_000);
      const won = valueOf(second.value);
      expect(tokens(observers[0]).slice(-1)).toEqual([first.token]);
      expect(tokens(observers[1]).slice(-1)).toEqual([won.token]);
      cluster.world.heal();
      await cluster.runFor(10_000);
      expectOneStory(observers);
      expect(tokens(observers[0]).slice(-1)).toEqual([won.token]);
    }
  });
});
