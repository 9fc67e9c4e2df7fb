// Renewals of a lease, over links and nodes that fail. TTL 15 s unless a test says otherwise.

import { describe, expect, test } from 'vitest';
import type { NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeClientMessages, decodeNodeMessages } from '../../src/wire/client.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';
import { held } from './held.ts';

function has(frame: Uint8Array, type: NodeMessage['type']): boolean {
  return decodeNodeMessages(frame).some((message) => message.type === type);
}

describe('renewals', () => {
  test('A8 no leader for most of the TTL: the holder never notices', async () => {
    const { world, grant } = await held();
    await world.run(4_000);
    world.cluster.elect(null);
    await world.run(12_000 - 4_000);
    world.cluster.elect('n3');
    await world.run(60_000);
    expect(grant.held()).toBe(true);
  });

  test('A8 no leader until the deadline: the lease ends then, not before', async () => {
    const { world, grant } = await held();
    world.cluster.elect(null);
    await world.run(13_000);
    expect(grant.held()).toBe(true);
    await world.run(2_000);
    expect(grant.held()).toBe(false);
  });

  test.each([1, 2, 3])('A14 %i renewals without an answer are made up for', async (lost) => {
    const { world, grant } = await held();
    world.cluster.node('n1').deafness = lost;
    await world.run(120_000);
    expect(grant.held()).toBe(true);
    expect(world.cluster.node('n1').deafness).toBe(0);
  });

  test('A14 exactly one renewal is rejected: the next one is sent before the deadline', async () => {
    const { world, grant } = await held();
    const { cluster } = world;
    const sentMs: number[] = [];
    let rejected = 0;
    world.network.fate = (frame, _address, isToNode) => {
      const isRenewal =
        isToNode && decodeClientMessages(frame).some(({ type }) => type === 'keepAlive');
      if (isRenewal) sentMs.push(world.nowMs());
      // No news: only the answer tells that this node does not lead.
      if (isRenewal && sentMs.length === 1) cluster.leaderId = null;
      if (!isToNode && has(frame, 'keepAliveReply') && cluster.leaderId === null) {
        rejected++;
        cluster.leaderId = 'n1';
      }
      return 'pass';
    };
    const endMs = world.nowMs() + grant.remainingMs();
    await world.run(14_000);
    const [first = 0, second = Infinity] = sentMs;
    expect([rejected, second > first, second < endMs]).toEqual([1, true, true]);
    await world.run(30_000);
    expect(grant.held()).toBe(true);
  });

  test('A14 a renewal that is refused once is sent again before the deadline', async () => {
    const { world, grant } = await held();
    await world.run(4_990);
    world.cluster.elect('n2');
    await world.run(30_000);
    expect(grant.held()).toBe(true);
  });

  test('A9 the node that a client talks to dies: same session, same token, no loss', async () => {
    const { world, client, grant } = await held();
    const { id } = client.session;
    world.cluster.node('n1').stop();
    world.cluster.elect('n2');
    await world.run(60_000);
    expect([grant.held(), client.session.id]).toEqual([true, id]);
    expect(await world.settle(grant.release())).toBe(true);
  });

  test('B10 a half-open link to the leader is found and replaced', async () => {
    const { world, client, grant } = await held();
    world.network.freeze(ADDRESSES[0] ?? '');
    await world.run(60_000);
    expect(grant.held()).toBe(true);
    expect((await world.settle(client.lock('b').acquire(), 100)).held()).toBe(true);
  });

  test('C21 the links are cut every second for a minute: nothing is lost', async () => {
    const { world, grant } = await held({ ttlMs: 3_000 });
    for (let second = 0; second < 60; second++) {
      for (const address of ADDRESSES) world.network.cut(address);
      await world.run(1_000);
    }
    expect(grant.held()).toBe(true);
  });
});

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
