import { expect, test } from 'vitest';
import { ClientLink } from '../../src/node/client-link.ts';
import type { Host, HostReply } from '../../src/node/host-types.ts';
import type { ClientMessage, NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeNodeMessages, encodeClientMessages } from '../../src/wire/client.ts';
import { encodeBody } from '../../src/wire/command.ts';
import { createScriptedHost } from '../server/scripted-host.ts';
import { FakeLink } from './fake-link.ts';
import { ManualClock } from './manual-clock.ts';

const FRAME_BYTES_MAX = 262_144;
const HELLO = { type: 'hello', versionMin: 1, versionMax: 1, clusterId: 'c', name: 'x' } as const;
const BODY = encodeBody({ op: 'closeSession', session: '1-a', seq: 1 });
const SELF = { nodeId: 'n1', storeId: 's1', clusterId: 'c' };
const LEADER = { term: 1, leaderId: 'n1', address: 'n1:1', isReady: true };

/** A link of a client to a node whose answers the test gives. */
function setUp(host: Host) {
  const clock = new ManualClock();
  const link = new FakeLink('client:1');
  const ends: string[] = [];
  const own: { clusterId: string | null } = { clusterId: 'c' };
  const clientLink = new ClientLink({
    link,
    host,
    clock,
    self: () => ({ ...SELF, ...own, leader: LEADER }),
    limits: { commandsMax: 2_000, bytesMax: 1_048_576 },
    onGreeted: () => {},
    onClosed: () => ends.push('closed'),
  });
  const say = (messages: readonly ClientMessage[]): void => {
    link.onFrame(encodeClientMessages(messages));
    clock.turn();
  };
  const heard = (): NodeMessage[] => link.sent.flatMap((frame) => decodeNodeMessages(frame));
  return { clock, link, clientLink, ends, say, heard, own };
}

test('answers with long texts never make a frame that is too large', () => {
  const host = createScriptedHost();
  const { clock, link, say, heard } = setUp(host);
  say([HELLO]);
  const count = 600;
  say(
    Array.from({ length: count }, (_, at) => ({
      type: 'command',
      requestId: at + 1,
      ackedBelow: 0,
      body: BODY,
    })),
  );
  const message = '漢'.repeat(1_000);
  const reply: HostReply = { revision: 7, outcome: { code: 'NOT_HOLDER', message } };
  for (const done of host.executed) done(reply);
  clock.turn();
  expect(heard().filter((each) => each.type === 'reply')).toHaveLength(count);
  expect(Math.max(...link.sent.map((frame) => frame.length))).toBeLessThanOrEqual(FRAME_BYTES_MAX);
});

test('garbage, or a word before the hello, ends the link and tells why', () => {
  const garbled = setUp(createScriptedHost());
  garbled.link.onFrame(new Uint8Array([0xc1]));
  expect(garbled.heard()).toMatchObject([{ type: 'goodbye', code: 'INVALID' }]);
  expect(garbled.ends).toEqual(['closed']);
  const early = setUp(createScriptedHost());
  early.say([{ type: 'attach', sessions: ['1-a'] }, HELLO]);
  expect(early.heard()).toMatchObject([{ type: 'goodbye', code: 'INVALID' }]);
});

test('M-67 C18 a client of another cluster is told so, and not served', () => {
  const { link, heard, say } = setUp(createScriptedHost());
  say([{ ...HELLO, clusterId: 'other' }]);
  expect(heard()).toMatchObject([{ type: 'goodbye', code: 'CLUSTER_CHANGED' }]);
  expect(link.closed).not.toBe(null);
});

test('M-67 C18 a blank node tells its clients which cluster it was founded for, once', () => {
  for (const theirs of [null, 'c', 'other']) {
    const { clock, clientLink, heard, say, own } = setUp(createScriptedHost());
    own.clusterId = null;
    say([{ ...HELLO, clusterId: theirs }]);
    const before = heard().length;
    own.clusterId = 'c';
    for (let turn = 0; turn < 2; turn++) {
      clientLink.tellLeader();
      clock.turn();
    }
    const told = heard().slice(before);
    if (theirs === 'other') expect(told).toMatchObject([{ code: 'CLUSTER_CHANGED' }]);
    else {
      expect(told.map(({ type }) => type)).toEqual(['welcome', 'leader', 'leader']);
      expect(told[0]).toMatchObject({ clusterId: 'c' });
    }
  }
});

test('who attaches more sessions than a link may have is cut off, and follows none of them', () => {
  const host = createScriptedHost();
  const { link, say } = setUp(host);
  say([HELLO]);
  say([{ type: 'attach', sessions: Array.from({ length: 4_097 }, (_, at) => `${at}-a`) }]);
  expect(link.closed).toContain('at most 4096');
  expect(host.listeners()).toBe(0);
});

test('a client that reads nothing is cut off', () => {
  const { link, clock, clientLink, ends, say } = setUp(createScriptedHost());
  say([HELLO]);
  link.bufferedBytes = 9 * 1024 * 1024;
  clientLink.tellLeader();
  clock.turn();
  expect([link.closed, ends]).toEqual(['the client does not read its answers', ['closed']]);
});
