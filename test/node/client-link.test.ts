import { expect, test } from 'vitest';
import type { SelfView } from '../../src/node/client-link.ts';
import { ClientLink } from '../../src/node/client-link.ts';
import type { Host, HostReply, WatchListener } from '../../src/node/host-types.ts';
import type { ClientMessage, NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeNodeMessages, encodeClientMessages } from '../../src/wire/client.ts';
import { encodeBody } from '../../src/wire/command.ts';
import { NodeFrame } from '../../src/wire/node-frame.ts';
import { createScriptedHost } from '../server/scripted-host.ts';
import { FakeLink } from './fake-link.ts';
import { ManualClock } from './manual-clock.ts';
import { OfficeRig } from './office-rig.ts';

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
  const own: { clusterId: string | null; members: SelfView['members'] } = {
    clusterId: 'c',
    members: null,
  };
  const clientLink = new ClientLink({
    link,
    host,
    clock,
    frame: new NodeFrame(),
    self: () => ({ ...SELF, ...own, leader: LEADER, members: own.members }),
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

test('ids longer than any session has are not kept: nobody follows them or waits for them', () => {
  const host = createScriptedHost();
  const asked: string[] = [];
  const keepAlive: Host['keepAlive'] = (session) => void asked.push(session);
  const { link, clock, say, heard } = setUp({ ...host, keepAlive });
  const longest = `${Number.MAX_SAFE_INTEGER}-${'n'.repeat(16)}`;
  const tooLong = 's'.repeat(200_000);
  say([HELLO, { type: 'attach', sessions: [tooLong, longest] }]);
  expect(host.listeners()).toBe(1);
  const items = [tooLong, longest].map((session, at) => ({ session, nonce: at + 5 }));
  say([{ type: 'keepAlive', items }]);
  clock.turn();
  expect(asked).toEqual([longest]);
  expect(heard().at(-1)).toEqual({
    type: 'keepAliveReply',
    items: [{ session: tooLong, nonce: 5, code: 'SESSION_GONE', ttlMs: null }],
  });
  expect(link.closed).toBe(null);
});

test('a client that reads nothing is cut off', () => {
  const { link, clock, clientLink, ends, say } = setUp(createScriptedHost());
  say([HELLO]);
  link.bufferedBytes = 9 * 1024 * 1024;
  clientLink.tellLeader();
  clock.turn();
  expect([link.closed, ends]).toEqual(['the client does not read its answers', ['closed']]);
});

/** A host that hands out what watches it is asked for. */
function watchHost() {
  const listeners: WatchListener[] = [];
  let stopped = 0;
  const host: Host = {
    ...createScriptedHost(),
    watch: (_target, _after, listener) => {
      listeners.push(listener);
      return () => void (stopped += 1);
    },
  };
  return { host, listeners, stopped: () => stopped };
}

function watchMessage(watchId: number): ClientMessage {
  return { type: 'watch', watchId, target: { name: null, prefix: 'p' }, after: null };
}

test('a watch is answered by its number, until it is wanted no more or the link ends', () => {
  const { host, listeners, stopped } = watchHost();
  const { clock, clientLink, say, heard } = setUp(host);
  say([HELLO, watchMessage(3), watchMessage(4), watchMessage(5)]);
  const [first, second] = listeners;
  first?.onStart(7, true);
  second?.onOver('NOT_LEADER', 'ask n2');
  clock.turn();
  expect(heard().slice(2)).toEqual([
    { type: 'watching', watchId: 3, revision: 7, isComplete: true },
    { type: 'watchOver', watchId: 4, code: 'NOT_LEADER', message: 'ask n2' },
  ]);
  say([{ type: 'unwatch', watchId: 3 }]);
  expect(stopped()).toBe(1);
  clientLink.close('UNAVAILABLE', 'stopping');
  expect(stopped()).toBe(2);
});

test('a link has 1,024 watches at most, and one more is told so', () => {
  const { host, listeners } = watchHost();
  const { say, heard } = setUp(host);
  say([HELLO, ...Array.from({ length: 1_025 }, (_, at) => watchMessage(at))]);
  expect(listeners).toHaveLength(1_024);
  expect(heard().at(-1)).toMatchObject({ type: 'watchOver', watchId: 1_024, code: 'OVERLOADED' });
  say([{ type: 'unwatch', watchId: 9 }, watchMessage(1_024)]);
  expect(listeners).toHaveLength(1_025);
});

test('a watch of what is longer than any name is not kept, and is told so', () => {
  const { host, listeners } = watchHost();
  const { say, heard } = setUp(host);
  const watch = (watchId: number, name: string | null, prefix: string): ClientMessage => {
    return { type: 'watch', watchId, target: { name, prefix }, after: null };
  };
  say([HELLO, watch(1, 'n'.repeat(512), ''), watch(2, null, 'p'.repeat(512))]);
  expect(listeners).toHaveLength(2);
  say([watch(1, 'n'.repeat(513), ''), watch(4, null, 'p'.repeat(513))]);
  expect(listeners).toHaveLength(2);
  expect(heard().slice(-2)).toMatchObject([
    { type: 'watchOver', watchId: 1, code: 'INVALID' },
    { type: 'watchOver', watchId: 4, code: 'INVALID' },
  ]);
});

test('the events of an entry that ends very much come in frames, and tell where they end', () => {
  const { host } = watchHost();
  const rig = new OfficeRig();
  rig.lead(1);
  const { clock, link, say, heard } = setUp({
    ...host,
    watch: (target, after, listener) => rig.watches.add(target, after, listener),
  });
  const target = { name: null, prefix: '' };
  say([HELLO, { type: 'watch', watchId: 1, target, after: null }]);
  rig.confirm();
  const session = rig.open(null);
  for (let seq = 1; seq <= 1_000; seq++) rig.acquire(session, seq, `${seq}/${'漢'.repeat(160)}`);
  clock.turn();
  const before = heard().length;
  rig.run({ op: 'closeSession', session, seq: 2_000 });
  clock.turn();
  const told = heard().slice(before);
  const parts = told.flatMap((each) => (each.type === 'watchEvents' ? [each] : []));
  expect(parts.length).toBeGreaterThan(3);
  expect(new Set(parts.map(({ revision }) => revision)).size).toBe(1);
  expect(parts.map(({ hasMore }) => hasMore)).toEqual(parts.map((_, at) => at < parts.length - 1));
  expect(parts.flatMap(({ events }) => events)).toHaveLength(1_000);
  expect(Math.max(...link.sent.map((frame) => frame.length))).toBeLessThanOrEqual(FRAME_BYTES_MAX);
});

test('A7 a client is told where the nodes are, at the beginning and whenever that changes', () => {
  const { clock, clientLink, say, heard, own } = setUp(createScriptedHost());
  own.members = { configIndex: 3, members: [{ nodeId: 'n1', address: 'n1:1' }] };
  say([HELLO]);
  const isNews = (each: NodeMessage): boolean => each.type === 'members';
  expect(heard().filter(isNews)).toEqual([{ type: 'members', ...own.members }]);
  own.members = { configIndex: 9, members: [{ nodeId: 'n4', address: 'n4:1' }] };
  clientLink.tellMembers();
  clock.turn();
  expect(heard().filter(isNews).at(-1)).toEqual({ type: 'members', ...own.members });
});

test('a blank node tells no members, until it belongs to a cluster', () => {
  const { clock, clientLink, say, heard, own } = setUp(createScriptedHost());
  own.clusterId = null;
  say([{ ...HELLO, clusterId: null }]);
  clientLink.tellMembers();
  clock.turn();
  expect(heard().map(({ type }) => type)).toEqual(['welcome', 'leader']);
  own.clusterId = 'c';
  own.members = { configIndex: 3, members: [{ nodeId: 'n1', address: 'n1:1' }] };
  clientLink.tellLeader();
  clock.turn();
  expect(heard().at(-1)).toEqual({ type: 'members', ...own.members });
});
