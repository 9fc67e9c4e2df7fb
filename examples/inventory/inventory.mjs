// Sells orders of several items each, and never an item twice. All locks of an order are asked for
// at once: the cluster grants them together or lets the whole request wait, so that no two orders
// can wait for each other. Each shelf refuses a token that is smaller than one it has seen.

/**
 * `shelves[item].read()` gives how many are left; `.write({ token, value })` gives 'written' or
 * 'stale'. Resolves with the orders that were sold. A shelf may lose what was taken for an order
 * that broke off half-way: too few are sold then, never too many.
 */
export async function sell({ client, shelves, orders }) {
  const sold = [];
  for (const items of orders) {
    try {
      const names = items.map((item) => `shelf/${item}`);
      const grant = await client.lockAll(names).acquire({ waitMs: Infinity });
      if (await take(grant, items, shelves)) sold.push(items);
      await grant.release();
    } catch {
      // Cut off: this order is not sold.
    }
  }
  return sold;
}

async function take(grant, items, shelves) {
  const left = await Promise.all(items.map((item) => shelves[item].read()));
  if (left.some((count) => count < 1) || !grant.held()) return false;
  const writes = items.map((item, at) =>
    shelves[item].write({ token: grant.token, value: left[at] - 1 }),
  );
  return (await Promise.all(writes)).every((result) => result === 'written');
}
