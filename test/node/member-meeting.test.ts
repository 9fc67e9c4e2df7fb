import { describe, expect, test } from 'vitest';
import { meetMember } from '../../src/node/member-meeting.ts';
import type { DialFailure, Link, Transport } from '../../src/ports/transport.ts';
import type { Member } from '../../src/raft/config.ts';
import type { PeerHello, PeerMessage } from '../../src/wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import { FakeLink } from './fake-link.ts';
import { ManualClock } from './manual-clock.ts';

const OURS: PeerHello = {
  type: 'peerHello',
  versionMin: 1,
  versionMax: 1,
  clusterId: 'c',
  nodeId: 'n1',
  storeId: 's1',
  bootId: 'b',
  bootCount: 1,
  connectionEpoch: 1,
  heartbeatMs: 50,
  electionMs: 500,
  commandSet: 2,
};
const THEIRS: PeerHello = { ...OURS, clusterId: null, nodeId: 'n4', storeId: 's4' };

/** Dials `n4`, lets the test act as the far end, and gives what came of it. */
function meet(act: (far: { link: FakeLink; clock: ManualClock }) => DialFailure | void) {
  const clock = new ManualClock();
  const link = new FakeLink('n4:1');
  const met: (Member | string)[] = [];
  const dialled: ((result: Link | DialFailure) => void)[] = [];
  const transport: Transport = {
    listen: () => {},
    dial: (_address, _door, done) => {
      dialled.push(done);
      return { cancel: () => {} };
    },
    close: (done) => done(),
  };
  const wanted = { nodeId: 'n4', address: 'n4:1' };
  meetMember({ ports: { clock, transport }, hello: OURS, wanted }, (who) => met.push(who));
  const isOpen = act({ link, clock }) ?? 'open';
  if (isOpen !== 'open') dialled[0]?.(isOpen);
  return { met, link, open: () => dialled[0]?.(link), clock };
}

const answer = (message: PeerMessage): readonly (Member | string)[] => {
  const { met, link, open } = meet(() => {});
  open();
  link.onFrame(encodePeer(message, 0));
  return met;
};

describe('a node that is to become a member is dialled first', () => {
  test('R-73 a blank node is known by its hello, and hears ours', () => {
    const { met, link, open } = meet(() => {});
    open();
    expect(link.sent.map((frame) => decodePeer(frame, 0))).toEqual([OURS]);
    link.onFrame(encodePeer(THEIRS, 0));
    expect(met).toEqual([{ nodeId: 'n4', storeId: 's4', address: 'n4:1' }]);
    expect(link.closed).toBe('met');
  });

  test.each([
    ['J7 a directory that was a member', { ...THEIRS, clusterId: 'c' }, 'Wipe it'],
    ['J7 a directory of another cluster', { ...THEIRS, clusterId: 'x' }, 'another'],
    ['R-73 another node at that address', { ...THEIRS, nodeId: 'n5' }, 'but n5 answered'],
    ['J4 an older release', { ...THEIRS, commandSet: 1 }, 'older release'],
    ['other intervals', { ...THEIRS, electionMs: 900 }, '900'],
    [
      'a refusal',
      { type: 'peerRefusal', code: 'SELF', message: 'own name', configIndex: 0 },
      'own name',
    ],
  ] as const)('%s is refused in words', (_what, message, text) => {
    const [met] = answer(message);
    expect(met).toContain(text);
  });

  test('R-73 nobody there, garbage, silence and a hang-up are told apart', () => {
    expect(meet(() => 'refused').met[0]).toContain('nobody listens');
    expect(meet(() => 'failed').met[0]).toContain('cannot be reached');
    const garbage = meet(() => {});
    garbage.open();
    garbage.link.onFrame(new Uint8Array([1, 2, 3]));
    expect(garbage.met[0]).toContain('garbage');
    const silence = meet(() => {});
    silence.open();
    silence.clock.advance(5_000_000);
    expect(silence.met[0]).toContain('says nothing');
    const hangUp = meet(() => {});
    hangUp.open();
    hangUp.link.onClose('gone');
    expect(hangUp.met).toHaveLength(1);
  });
});
