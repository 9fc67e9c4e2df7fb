// A shop and a market that sell from the same shelves.   node examples/inventory/main.mjs

import { withCluster } from '../cluster.mjs';
import { fencedStore } from '../store.mjs';
import { sell } from './inventory.mjs';

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

await withCluster(async (connectAs) => {
  const shelves = Object.fromEntries(
    ['tea', 'cup', 'pot'].map((item) => [item, fencedStore(`shelf/${item}`, 3)]),
  );
  const begin = async (name) => {
    const sold = await sell({ client: await connectAs(name), shelves, orders: ORDERS[name] });
    console.log(`${name} sold ${sold.length} of ${ORDERS[name].length} orders`);
  };
  await Promise.all([begin('shop'), begin('market')]);
  const left = Object.entries(shelves).map(([item, { value }]) => `${item} ${value}`);
  console.log(`left: ${left.join(', ')}`);
});
