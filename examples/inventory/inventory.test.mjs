// In any world, all orders are worked off, and no item is sold twice.

import { expect, test } from 'vitest';
import { explore } from 'holdfast/sim/property';
import { sell } from './inventory.mjs';
import { sell as mistaken } from './mistaken.mjs';

const TTL_MS = 2_000;
const COUNT = 3;
let refused = 0;
const later = () => new Promise((resolve) => setTimeout(resolve, 60));
const ORDERS = {
  shop: [
    ['tea', 'cup'],
    ['tea', 'pot'],
  ],
  market: [
    ['cup', 'tea'],
    ['pot', 'tea'],
  ],
};

function scenario(sellWith) {
  return async (world) => {
    const shelves = Object.fromEntries(
      ['tea', 'cup', 'pot'].map((item) => [item, shelf(world, item)]),
    );
    const sold = [];
    const begin = (name) =>
      world.run(name, async (own) => {
        const client = own.client({ ttlMs: TTL_MS });
        sold.push(...(await sellWith({ client, shelves, orders: ORDERS[name] })));
      });
    await Promise.all([begin('shop').done, begin('market').done]);
    for (const [item, { left }] of Object.entries(shelves)) {
      const count = sold.filter((items) => items.includes(item)).length;
      world.check(
        count <= COUNT - left(),
        `${count} of ${item} were sold, ${COUNT - left()} taken`,
      );
    }
  };
}

/** As behind a slow network: a pause fits between the look at the lock and the write. */
function shelf(world, item) {
  const store = world.fencedStore(`shelf/${item}`);
  const left = () => store.value ?? COUNT;
  const read = async () => {
    await later();
    return (await store.read()) ?? COUNT;
  };
  const write = async (order) => {
    await later();
    const result = await store.write(order);
    if (result === 'stale') refused += 1;
    return result;
  };
  return { left, read, write };
}

const options = { runs: 60, faults: { ttlMs: TTL_MS }, report: false };

test('locks taken one by one end in a deadlock, and this finds it', async () => {
  const error = await explore(options, scenario(mistaken)).catch((e) => e);
  expect(error.message).toMatch(/^DEADLOCK: /);
  expect(error.message).toMatch(/shrunk to 0 in/);
});

test('locks taken together never do, and nothing is sold twice', async () => {
  refused = 0;
  const seen = await explore(options, scenario(sell));
  expect(seen).toMatchObject({ warnings: [] });
  expect(refused).toBeGreaterThan(0);
});
