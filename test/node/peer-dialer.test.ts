import { expect, test } from 'vitest';
import type { DialFailure, Link, Transport } from '../../src/ports/transport.ts';
import type { PeerHello } from '../../src/wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import { PeerDialer } from '../../src/node/peer-dialer.ts';
import { FakeLink } from './fake-link.ts';
import { ManualClock } from './manual-clock.ts';

const HELLO: PeerHello = {
  type: 'peerHello',
  versionMin: 1,
  versionMax: 1,
  clusterId: 'c',
  nodeId: 'n2',
  storeId: 's2',
  bootId: 'b',
  bootCount: 1,
  connectionEpoch: 1,
  heartbeatMs: 50,
  electionMs: 500,
  commandSet: 2,
};

/** A dialer whose dials are answered by the test, and what it told. */
function setUp() {
  const clock = new ManualClock();
  const events: string[] = [];
  const dials: ((result: Link | DialFailure) => void)[] = [];
  const transport: Transport = {
    listen: () => {},
    dial: (_address, _door, done) => {
      dials.push(done);
      return { cancel: () => {} };
    },
    close: (done) => done(),
  };
  const dialer = new PeerDialer({
    peer: 'n2',
    address: 'n2:1',
    ports: { clock, transport, random: { u32: () => 999 } },
    hello: () => HELLO,
    encode: (message) => encodePeer(message, 0),
    decode: (frame) => decodePeer(frame, 0),
    accept: () => true,
    onRefused: (_peer, { code }) => events.push(code),
    onMessage: (from, message) => events.push(`${from.nodeId} ${message.type}`),
    onUp: () => events.push('up'),
    onDown: () => events.push('down'),
    onDialFailed: (failure) => events.push(failure),
  });
  const connect = (): FakeLink => {
    const link = new FakeLink('n2:1');
    dials.at(-1)?.(link);
    link.onFrame(encodePeer(HELLO, 0));
    return link;
  };
  return { clock, events, dials, dialer, connect };
}

test('a link that lived for long is dialled again at once: is the peer gone?', () => {
  const { clock, events, dials, dialer, connect } = setUp();
  dialer.start();
  const link = connect();
  clock.advance(1_000_000);
  link.onClose('connection lost');
  expect(dials).toHaveLength(2);
  dials[1]?.('refused');
  expect(events).toEqual(['up', 'down', 'refused']);
});

test('G5 a peer that greets and hangs up every time is dialled with growing pauses', () => {
  const { clock, dials, dialer, connect } = setUp();
  dialer.start();
  let answered = 0;
  for (let at = 0; at < 10_000; at++) {
    while (dials.length > answered && answered < 5_000) {
      answered = dials.length;
      connect().onClose('cannot read that');
    }
    clock.advance(1_000);
  }
  expect(dials.length).toBeGreaterThan(30);
  expect(dials.length).toBeLessThan(100);
});

/** Advances by milliseconds; each dial is refused at once. Returns how many there were. */
function refuseFor(world: ReturnType<typeof setUp>, ms: number): number {
  const { clock, dials } = world;
  let count = 0;
  for (let at = 0; at < ms; at += 5) {
    for (const done of dials.splice(0)) {
      count += 1;
      done('refused');
    }
    clock.advance(5_000);
  }
  return count;
}

test('whoever does not answer for long is dialled ever more rarely, down to once in 5 s', () => {
  const world = setUp();
  world.dialer.start();
  expect(refuseFor(world, 15_000)).toBeGreaterThan(60);
  refuseFor(world, 600_000);
  const rarely = refuseFor(world, 60_000);
  expect(rarely).toBeGreaterThanOrEqual(12);
  expect(rarely).toBeLessThan(24);
});

test('a peer that dials us after a long silence is dialled at once, and often again', () => {
  const world = setUp();
  world.dialer.start();
  refuseFor(world, 600_000);
  world.dialer.heard();
  expect(world.dials).toHaveLength(1);
  expect(refuseFor(world, 5_000)).toBeGreaterThan(20);
  // The pause is short by now: what the peer says changes nothing.
  world.dialer.heard();
  expect(world.dials).toHaveLength(0);
});

test('a peer that was there until now is dialled often, however long the link lived', () => {
  const world = setUp();
  world.dialer.start();
  const link = world.connect();
  world.clock.advance(3_600_000_000);
  link.onClose('connection lost');
  expect(refuseFor(world, 5_000)).toBeGreaterThan(20);
});

test('a stopped dialer closes its link and dials no more', () => {
  const { clock, dials, dialer, connect } = setUp();
  dialer.start();
  const link = connect();
  dialer.stop('stopping');
  link.onClose('connection lost');
  clock.advance(10_000_000);
  expect([dials.length, link.closed, dialer.isConnected]).toEqual([1, 'stopping', false]);
});

test.each([{ clusterId: null }, { clusterId: 'c' }])(
  'LIV-4 a peer of cluster $clusterId may answer on our own link, and not ask',
  ({ clusterId }) => {
    const { events, dials, dialer } = setUp();
    dialer.start();
    const link = new FakeLink('n2:1');
    dials.at(-1)?.(link);
    link.onFrame(encodePeer({ ...HELLO, clusterId }, 0));
    const answer = { type: 'heartbeatResponse' as const, term: 3, round: 1 };
    link.onFrame(encodePeer({ ...answer, lastIndex: 0, durableIndex: 0 }, 0));
    link.onFrame(encodePeer({ type: 'goodbye', term: 3 }, 0));
    expect(events).toEqual(['up', 'n2 heartbeatResponse', 'down']);
  },
);
