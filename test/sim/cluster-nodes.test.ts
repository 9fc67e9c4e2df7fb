// Nodes that come and go while a cluster runs.

import { describe, expect, test } from 'vitest';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { addressOf } from '../../sim/cluster-settings.ts';
import { FoundedImages } from '../../sim/founded-images.ts';
import { grantAll } from './scenario.ts';

const images = new FoundedImages();

async function working(seed: number): Promise<SimCluster> {
  const cluster = await createSimCluster({ seed, images });
  await grantAll(cluster, await cluster.waitLeader(), ['a', 'b']);
  return cluster;
}

/** Roles by node, 'dead' for those that do not run. */
function roles(cluster: SimCluster): Readonly<Record<string, string>> {
  return Object.fromEntries(
    cluster
      .all()
      .map(({ id, host }) => [
        id,
        host === null ? 'dead' : host.status().role === 'blank' ? 'blank' : 'member',
      ]),
  );
}

describe('a cluster that some of its nodes found', () => {
  test.each([
    ['from images', images],
    ['as part of the run', undefined],
  ])('leaves the others blank, %s', async (_how, from) => {
    const source = from === undefined ? {} : { images: from };
    const cluster = await createSimCluster({ seed: 3, nodes: 5, founders: 3, ...source });
    const leader = await cluster.waitLeader();
    await grantAll(cluster, leader, ['a']);
    await cluster.runFor(2_000);
    const blank = { n4: 'blank', n5: 'blank' };
    expect(roles(cluster)).toEqual({ n1: 'member', n2: 'member', n3: 'member', ...blank });
    expect(cluster.leader()).toBe(leader);
  });
});

describe('a node that comes later', () => {
  test('is blank, on a disk of its own, and disturbs nobody', async () => {
    const cluster = await working(4);
    const leader = cluster.leader();
    cluster.addNode('n4');
    await cluster.until('its start', () => cluster.node('n4').isStarted);
    await cluster.runFor(2_000);
    expect(roles(cluster)).toEqual({ n1: 'member', n2: 'member', n3: 'member', n4: 'blank' });
    expect(cluster.leader()).toBe(leader);
    const stores = cluster.living().map(({ storeId }) => storeId);
    expect(new Set(stores).size).toBe(4);
    expect(() => cluster.addNode('n4')).toThrow('n4 already');
  });

  test('DET-1 is the same each time, and leaves the luck of the others as it was', async () => {
    const storesOf = async (withOther: boolean): Promise<readonly unknown[]> => {
      const cluster = await working(5);
      if (withOther) cluster.addNode('n9');
      cluster.addNode('n4');
      await cluster.until('its start', () => cluster.node('n4').isStarted);
      const { storeId } = cluster.status('n4');
      return [storeId, withOther ? '' : cluster.world.traceHash()];
    };
    const first = await storesOf(false);
    expect(await storesOf(false)).toEqual(first);
    expect((await storesOf(true))[0]).toBe(first[0]);
  });
});

describe('a node that is wiped', () => {
  test('comes back as a stranger under its old name, and has no vote', async () => {
    const cluster = await working(6);
    const leader = cluster.leader() ?? '';
    const [wiped = '', other = ''] = cluster.others(leader);
    const before = cluster.status(wiped).storeId;
    cluster.node(wiped).wipe();
    expect(cluster.node(wiped).disk.isDamaged).toBe(false);
    cluster.node(wiped).start();
    await cluster.until('its start', () => cluster.node(wiped).isStarted);
    expect(cluster.status(wiped)).toMatchObject({ role: 'blank' });
    expect(cluster.status(wiped).storeId).not.toBe(before);
    cluster.node(leader).crash();
    await cluster.runFor(3_000);
    expect(cluster.leader()).toBe(null);
    cluster.node(leader).start();
    expect([leader, other]).toContain(await cluster.waitLeader());
  });
});

describe('a node whose machine is taken away', () => {
  test('never starts again, and another may listen at its address', async () => {
    const cluster = await working(7);
    const [gone = ''] = cluster.others(cluster.leader() ?? '');
    cluster.node(gone).takeAway();
    cluster.node(gone).start();
    await cluster.runFor(1_000);
    expect(cluster.node(gone).host).toBe(null);
    expect(cluster.ids).not.toContain(gone);
    expect(cluster.all()).toHaveLength(2);
    cluster.addNode('n4', { address: addressOf(gone) });
    await cluster.until('its start', () => cluster.node('n4').isStarted);
    expect(() => cluster.addNode(gone)).toThrow('already');
  });
});
