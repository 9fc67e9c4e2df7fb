import { expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { RaftMessage } from '../../src/raft/messages.ts';
import { PeerAcceptor } from '../../src/node/peer-acceptor.ts';
import type { PeerHello, PeerMessage } from '../../src/wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import { FakeLink } from './fake-link.ts';

const GOODBYE: RaftMessage = { type: 'goodbye', term: 1 };

function helloOf(nodeId: NodeId, connectionEpoch = 1): PeerHello {
  return {
    type: 'peerHello',
    versionMin: 1,
    versionMax: 1,
    clusterId: 'c',
    nodeId,
    storeId: `store of ${nodeId}`,
    bootId: 'b',
    bootCount: 1,
    connectionEpoch,
    heartbeatMs: 50,
    electionMs: 500,
    commandSet: 2,
  };
}

/** An acceptor that welcomes everybody, and what it heard. */
function setUp() {
  const heard: string[] = [];
  const closed: NodeId[] = [];
  const acceptor = new PeerAcceptor({
    decode: (frame) => decodePeer(frame, 0),
    encode: (message) => encodePeer(message, 0),
    hello: () => helloOf('self'),
    accept: () => true,
    onMessage: (from, message) => heard.push(`${from.nodeId} ${message.type}`),
    onStateHash: (from, { hash }) => heard.push(`${from.nodeId} ${hash}`),
    onRefused: () => {},
    onClosed: (peer) => closed.push(peer),
    logger: silentLogger,
  });
  const add = (): FakeLink => {
    const link = new FakeLink('somewhere');
    acceptor.add(link);
    return link;
  };
  const say = (link: FakeLink, message: PeerMessage): void => {
    link.onFrame(encodePeer(message, 0));
  };
  return { acceptor, heard, closed, add, say };
}

test('strangers that connect and say nothing do not lock the peers out', () => {
  const { acceptor, add, say } = setUp();
  const strangers = Array.from({ length: 200 }, add);
  const link = add();
  say(link, helloOf('n2'));
  expect(acceptor.isConnected('n2')).toBe(true);
  expect(strangers.filter((each) => each.closed === null).length).toBeLessThanOrEqual(16);
});

test('a newer connection of a peer supersedes the older, whose frames are dropped', () => {
  const { heard, closed, add, say } = setUp();
  const [older, newer] = [add(), add()];
  say(older, helloOf('n2', 1));
  say(older, GOODBYE);
  say(newer, helloOf('n2', 2));
  say(older, GOODBYE);
  expect(older.closed).toBe('superseded by a newer connection');
  expect([heard, closed]).toEqual([['n2 goodbye'], []]);
  // 1. The peer dials twice. 2. The hello of the first connection comes last: it is no news.
  const late = add();
  say(late, helloOf('n2', 1));
  say(newer, GOODBYE);
  expect([late.closed, heard.length]).toEqual(['superseded', 2]);
  newer.onClose('gone');
  expect(closed).toEqual(['n2']);
});

test('nothing is heard before a hello; garbage, or a second hello, ends that link only', () => {
  const { acceptor, heard, add, say } = setUp();
  const [mute, garbled, twice, good] = [add(), add(), add(), add()];
  say(good, helloOf('n3'));
  say(mute, GOODBYE);
  garbled.onFrame(new Uint8Array([0xc1]));
  say(twice, helloOf('n2'));
  say(twice, helloOf('n2'));
  expect([mute.closed, garbled.closed, twice.closed]).toEqual([
    'no hello',
    'garbage',
    'a second hello',
  ]);
  expect([heard, acceptor.isConnected('n2'), good.closed]).toEqual([[], false, null]);
});
