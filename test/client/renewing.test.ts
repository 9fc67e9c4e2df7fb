import { expect, test } from 'vitest';
import { decodeClientMessages } from '../../src/wire/client.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';

test.each([5_000, 5_500, 6_000, 6_500, 7_000, 7_500, 8_000, 8_500])(
  'C21 a lease in need asks the leader as soon as its link is up, here after %i ms',
  async (awayMs) => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire());
    for (const node of world.cluster.nodes) node.stop();
    await world.run(awayMs - 1_000);
    // Those who do not lead are there first, and say so.
    for (const node of world.cluster.nodes.slice(1)) node.start();
    await world.run(1_000);
    const asked: string[] = [];
    world.network.fate = (frame, address, isToNode) => {
      if (!isToNode) return 'pass';
      const messages = decodeClientMessages(frame);
      if (messages.some(({ type }) => type === 'attach')) asked.push('up');
      if (messages.some(({ type }) => type === 'keepAlive')) asked.push(address);
      return 'pass';
    };
    world.cluster.nodes[0]?.start();
    await world.run(2_500);
    expect(asked.slice(asked.indexOf('up')).slice(0, 2)).toEqual(['up', ADDRESSES[0]]);
    expect(grant.held()).toBe(true);
  },
);
