// After every reconnect a client asks whether its grants still stand: news of a break may be lost.

import { expect, test } from 'vitest';
import type { ClientMessage } from '../../src/wire/client-messages.ts';
import { decodeClientMessages, decodeNodeMessages } from '../../src/wire/client.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';

function checksIn(frame: Uint8Array): number {
  const isCheck = (message: ClientMessage): boolean =>
    message.type === 'query' && message.query.kind === 'grant';
  return decodeClientMessages(frame).filter(isCheck).length;
}

test('G7 a grant is asked about once at a time, however often the links break', async () => {
  const world = new FakeWorld();
  const client = world.client();
  const grants = await world.settle(
    Promise.all(['a', 'b', 'c'].map((name) => client.lock(name).acquire())),
  );
  const counts: number[] = [];
  world.network.fate = (frame, _address, isToNode) => {
    if (isToNode) counts.push(checksIn(frame));
    const isAnswer =
      !isToNode && decodeNodeMessages(frame).some((message) => message.type === 'answer');
    return isAnswer ? 'lose' : 'pass';
  };
  for (let cut = 0; cut < 10; cut++) {
    for (const address of ADDRESSES) world.network.cut(address);
    await world.run(500);
  }
  expect(Math.max(...counts)).toBe(grants.length);
  world.network.fate = () => 'pass';
  await world.run(5_000);
  expect(grants.map((grant) => grant.held())).toEqual([true, true, true]);
  world.cluster.node('n1').stop();
  const { token } = grants[1] ?? { token: 0 };
  const asked = { op: 'break', name: 'b', token, session: null, by: 'op', reason: '' } as const;
  expect(world.cluster.apply(asked)).toEqual({ code: 'DONE' });
  world.cluster.node('n1').start();
  await world.run(5_000);
  expect(grants.map((grant) => grant.held())).toEqual([true, false, true]);
});
