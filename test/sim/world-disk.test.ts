import { describe, expect, test } from 'vitest';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import type { SimNode } from '../../sim/cluster-node.ts';
import { FoundedImages } from '../../sim/founded-images.ts';
import { LOG_ROWS, loseRow, misdirectRow, rotRow, rotSlot } from '../../sim/world/damage.ts';

const images = new FoundedImages();

interface Crashed {
  readonly cluster: SimCluster;
  readonly node: SimNode;
}

/** A node that is down, with a few batches in its log. */
async function crashed(seed: number): Promise<Crashed> {
  const cluster = await createSimCluster({ seed, images });
  const leader = await cluster.waitLeader();
  const session = await cluster.openSession(leader);
  for (let key = 1; key <= 5; key++) await cluster.answers(session.acquire(leader, `k${key}`));
  await cluster.converge();
  const node = cluster.node(cluster.others(leader)[0] ?? '');
  node.crash();
  return { cluster, node };
}

/** Starts the node again; the code with which it refuses, or null. */
async function restart({ cluster, node }: Crashed): Promise<number | null> {
  node.start();
  await cluster.until('a verdict', () => node.isStarted || node.exit !== null);
  return node.exit?.exitCode ?? null;
}

describe('INV-20 damage of what was synced', () => {
  test.each([
    ['a flipped bit', rotRow],
    ['a missing row', loseRow],
    ['a misdirected row', misdirectRow],
  ])('%s in the log is noticed, wherever it is', async (_name, damage) => {
    const down = await crashed(1);
    const intact = down.node.disk.image();
    for (let pick = 0; pick < 40; pick++) {
      const copy = intact.store.copy();
      for (const key of down.node.disk.store.keys()) down.node.disk.store.overwrite(key, null);
      for (const key of copy.keys()) down.node.disk.store.overwrite(key, copy.value(key));
      expect(damage(down.node.disk.store, LOG_ROWS, pick)).toBe(true);
      expect(down.node.disk.isDamaged).toBe(true);
      expect(await restart(down), `pick ${pick}`).toBe(83);
    }
  });

  test('in both slots is noticed; in one it is made good', async () => {
    const down = await crashed(2);
    const [first, second] = down.node.disk.slots;
    expect(rotSlot(first, 17)).toBe(true);
    expect(down.node.disk.isDamaged).toBe(true);
    expect(await restart(down)).toBeNull();
    expect(down.node.disk.isDamaged).toBe(false);
    down.node.crash();
    rotSlot(first, 17);
    rotSlot(second, 18);
    expect(await restart(down)).toBe(82);
    expect(down.node.disk.isDamaged).toBe(true);
  });

  test('is none where there is nothing yet', async () => {
    const cluster = await createSimCluster({ seed: 1, isFounded: false });
    const { store } = cluster.node('n1').disk;
    const damages = [rotRow, loseRow, misdirectRow];
    expect(damages.map((damage) => damage(store, LOG_ROWS, 1))).toEqual([false, false, false]);
    expect(cluster.node('n1').disk.isDamaged).toBe(false);
  });

  test('of a store that is gone as a whole is noticed', async () => {
    const down = await crashed(3);
    down.node.disk.removeStore();
    expect(await restart(down)).toBe(83);
    expect(down.node.disk.isDamaged).toBe(true);
  });

  test('is over when the row is written anew, and not by a write that is not synced', async () => {
    const { node } = await crashed(4);
    const { store } = node.disk;
    const key = store.keys().findLast((each) => each.startsWith('l/')) ?? '';
    rotRow(store, LOG_ROWS, 0);
    const put = { type: 'put', key, value: new Uint8Array(3) } as const;
    store.land([put], false);
    expect(store.isDamaged).toBe(true);
    store.land([put], true);
    expect(store.isDamaged).toBe(false);
  });
});

describe('a stall', () => {
  test('keeps every write under way until all of them have ended, through a crash as well', async () => {
    const cluster = await createSimCluster({ seed: 5, images });
    const leader = await cluster.waitLeader();
    const session = await cluster.openSession(leader);
    const stalled = cluster.ids.map((id) => cluster.node(id).disk.writes.stall());
    const again = cluster.ids.map((id) => cluster.node(id).disk.writes.stall());
    const pending = session.acquire(leader, 'k1');
    await cluster.runFor(300);
    expect(pending.isSettled).toBe(false);
    for (const undo of [...stalled, ...stalled]) undo();
    await cluster.runFor(300);
    expect(pending.isSettled).toBe(false);
    for (const undo of again) undo();
    await cluster.answers(pending);
    const node = cluster.node(cluster.others(await cluster.waitLeader())[0] ?? '');
    const undo = node.disk.writes.stall();
    node.crash();
    node.start();
    await cluster.runFor(1_000);
    expect(node.isStarted).toBe(false);
    undo();
    await cluster.until('its start', () => node.isStarted);
  });

  test('stops writes that have begun', async () => {
    const cluster = await createSimCluster({ seed: 6, images });
    const leader = await cluster.waitLeader();
    const session = await cluster.openSession(leader);
    const pending = session.acquire(leader, 'k1');
    const { writes } = cluster.node(leader).disk;
    await cluster.until('a write', () => writes.waiting.length > 0);
    for (const { disk } of cluster.all()) disk.writes.stall();
    const before = writes.waiting;
    await cluster.runFor(100);
    expect(writes.waiting).toEqual(before);
    expect(pending.isSettled).toBe(false);
  });
});
