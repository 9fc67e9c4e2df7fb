import { expect, test } from 'vitest';
import { ClientDoor } from '../../src/node/client-door.ts';
import { encodeClientMessages } from '../../src/wire/client.ts';
import { createScriptedHost } from '../server/scripted-host.ts';
import { FakeLink } from './fake-link.ts';
import { ManualClock } from './manual-clock.ts';

const HELLO = encodeClientMessages([
  { type: 'hello', versionMin: 1, versionMax: 1, clusterId: null, name: 'billing' },
]);

function setUp() {
  const leader = { term: 1, leaderId: 'n1', address: null, isReady: true };
  const door = new ClientDoor({
    host: createScriptedHost(),
    clock: new ManualClock(),
    self: () => ({ nodeId: 'n1', storeId: 's', clusterId: 'c', leader, members: null }),
    limits: { commandsMax: 8, bytesMax: 1_000 },
  });
  const add = (): FakeLink => {
    const link = new FakeLink('somewhere');
    door.accepted(link);
    return link;
  };
  return { door, add };
}

test('strangers that connect and say nothing make room for others, clients do not', () => {
  const { add } = setUp();
  const client = add();
  client.onFrame(HELLO);
  const strangers = Array.from({ length: 3_000 }, add);
  expect(client.closed).toBe(null);
  expect(strangers.filter(({ closed }) => closed === null).length).toBe(1_024);
  expect(strangers.at(-1)?.closed).toBe(null);
});

test('links that end are forgotten: they count for nothing', () => {
  const { door, add } = setUp();
  for (let n = 0; n < 2_000; n++) add().onClose('gone');
  const last = [add(), add()];
  door.close('UNAVAILABLE', 'the node is stopping');
  expect(last.map(({ closed }) => closed)).toEqual([
    'the node is stopping',
    'the node is stopping',
  ]);
});
