// Clusters that come and go in one process leave nothing behind. How memory goes is measured by
// scripts/embedded-cycles.mjs.

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { localCluster } from '../../src/node.ts';
import { until } from '../conformance/ws-world.ts';

const CYCLES = 8;

const byText = (left: string, right: string): number => (left < right ? -1 : 1);

async function live(name: string): Promise<void> {
  const cluster = await localCluster({ nodes: 3 });
  const client = await cluster.client();
  const grant = await client.lock(name).acquire();
  expect(grant.held()).toBe(true);
  await grant.release();
  await client.close();
  await cluster.stop();
}

/** What keeps a process alive or is heard by it. */
function open(): Record<string, unknown> {
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    resources: process.getActiveResourcesInfo().toSorted(byText),
    listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
  };
}

test('F9 F12 clusters that start and stop in one process leave nothing open', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning);
  process.on('warning', onWarning);
  try {
    await live('first');
    const before = JSON.stringify(open());
    for (let cycle = 1; cycle <= CYCLES; cycle++) await live(`cycle/${cycle}`);
    await until('the same as before', () => JSON.stringify(open()) === before);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', onWarning);
  }
});
