import { expect, test } from 'vitest';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimClusterOptions } from '../../sim/cluster.ts';
import { FoundedImages } from '../../sim/founded-images.ts';
import { decodeSlot } from '../../src/wire/slots.ts';

async function traceOf(options: SimClusterOptions): Promise<string> {
  const cluster = await createSimCluster(options);
  const leader = await cluster.waitLeader();
  const session = await cluster.openSession(leader);
  await cluster.answers(session.acquire(leader, 'k1'));
  await cluster.converge();
  return cluster.world.traceHash();
}

test('directories from images are those of one founding, at term 0, before anything else', async () => {
  const images = new FoundedImages();
  const cluster = await createSimCluster({ seed: 1, nodes: 5, images });
  const records = cluster
    .all()
    .flatMap(({ disk }) => disk.slots.map((slot) => decodeSlot(slot.read() ?? new Uint8Array())));
  expect(new Set(records.map(({ clusterId }) => clusterId)).size).toBe(1);
  expect(new Set(records.map(({ storeId }) => storeId)).size).toBe(5);
  expect(records.map(({ term }) => term)).toEqual(records.map(() => 0));
  await cluster.waitLeader();
  await cluster.converge();
});

test('DET-1 a run is the same with images that were made for it and with older ones', async () => {
  const images = new FoundedImages();
  const cold = await traceOf({ seed: 7, images });
  expect(await traceOf({ seed: 7, images })).toBe(cold);
  await traceOf({ seed: 8, nodes: 1, images });
  expect(await traceOf({ seed: 7, images: new FoundedImages() })).toBe(cold);
  expect(await traceOf({ seed: 8, images })).not.toBe(cold);
});

test('what a run writes does not get into the images of others', async () => {
  const images = new FoundedImages();
  const first = await createSimCluster({ seed: 1, images });
  for (const { disk } of first.all()) {
    for (const key of disk.store.keys()) disk.store.overwrite(key, null);
    for (const slot of disk.slots) slot.overwrite(null);
  }
  const second = await createSimCluster({ seed: 1, images });
  await second.waitLeader();
});

test('limits and names of clusters are founded each for themselves', async () => {
  const images = new FoundedImages();
  const founded = async (clusterName: string): Promise<unknown> => {
    const cluster = await createSimCluster({ seed: 1, images, settings: { clusterName } });
    await cluster.waitLeader();
    return cluster.status('n1').clusterId;
  };
  await founded('one');
  await founded('other');
  let foundings = 0;
  const found = (): Promise<readonly []> => {
    foundings += 1;
    return Promise.resolve([]);
  };
  await images.of('mine', found);
  await images.of('mine', found);
  expect(foundings).toBe(1);
});
