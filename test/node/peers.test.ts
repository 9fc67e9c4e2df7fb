import { expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import { Peers } from '../../src/node/peers.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { ClusterConfig } from '../../src/raft/config.ts';
import type { PeerHello, PeerMessage } from '../../src/wire/peer-messages.ts';
import { decodePeer, encodePeer } from '../../src/wire/peer.ts';
import { FakeLink } from './fake-link.ts';
import { ManualClock } from './manual-clock.ts';

const SETTINGS = { heartbeatMs: 50, electionMs: 500, commandSet: 2 };

const member = (nodeId: NodeId) => ({ nodeId, storeId: `s-${nodeId}`, address: `${nodeId}:1` });

function configOf(voters: readonly NodeId[], retired: readonly NodeId[] = []): ClusterConfig {
  const none = { votersOutgoing: [], learners: [], learnersNext: [] };
  return { voters: voters.map(member), ...none, retired };
}

const saidTo = (link: FakeLink): PeerMessage[] => link.sent.map((frame) => decodePeer(frame, 0));

function helloOf(nodeId: NodeId): PeerHello {
  const boot = { bootId: 'b', bootCount: 1, connectionEpoch: 1 };
  const versions = { versionMin: 1, versionMax: 1 };
  const who = { clusterId: 'c', nodeId, storeId: `s-${nodeId}` };
  return { type: 'peerHello', ...versions, ...who, ...boot, ...SETTINGS };
}

/** The connections of n1, and whom it dials. */
function setUp() {
  const dialled = new Set<string>();
  const clock = new ManualClock();
  const peers = new Peers({
    self: { ...member('n1'), bootId: 'b', bootCount: 1, ...SETTINGS },
    clusterId: 'c',
    seed: 0,
    config: configOf(['n1', 'n2', 'n3']),
    ports: {
      clock,
      random: { u32: () => 1 },
      logger: silentLogger,
      transport: {
        listen: () => {},
        close: () => {},
        dial: (address) => {
          dialled.add(address);
          return { cancel: () => dialled.delete(address) };
        },
      },
    },
    onMessage: () => {},
    onStateHash: () => {},
    onLink: () => {},
    onRemoved: () => {},
  });
  const greet = (nodeId: NodeId): PeerMessage[] => {
    const link = new FakeLink(nodeId);
    peers.accepted(link);
    link.onFrame(encodePeer(helloOf(nodeId), 0));
    return saidTo(link);
  };
  return { peers, dialled, greet, clock };
}

test('R-72 only a committed configuration tells a node that it was taken out', () => {
  const { peers, greet } = setUp();
  const [before, config] = [configOf(['n1', 'n2', 'n3']), configOf(['n1', 'n2'], ['n3'])];
  peers.setConfig({ config: before, index: 0, isCommitted: true, previous: null });
  peers.setConfig({ config, index: 7, isCommitted: false, previous: before });
  expect(greet('n3')).toMatchObject([{ type: 'peerHello' }]);
  peers.setConfig({ config, index: 7, isCommitted: true, previous: null });
  expect(greet('n3')).toMatchObject([{ type: 'peerRefusal', code: 'REMOVED', configIndex: 7 }]);
});

test('R-69 who left is heard for another election time-out, and then told and hung up on', () => {
  const { peers, clock } = setUp();
  const [before, config] = [configOf(['n1', 'n2', 'n3']), configOf(['n1', 'n2'], ['n3'])];
  peers.setConfig({ config: before, index: 0, isCommitted: true, previous: null });
  const links = ['n2', 'n3'].map((nodeId) => {
    const link = new FakeLink(nodeId);
    peers.accepted(link);
    link.onFrame(encodePeer(helloOf(nodeId), 0));
    return link;
  });
  peers.setConfig({ config, index: 7, isCommitted: true, previous: null });
  clock.advance(SETTINGS.electionMs * 1_000 - 1);
  expect(links.map(({ closed }) => closed)).toEqual([null, null]);
  clock.advance(1);
  expect(links.map(({ closed }) => closed === null)).toEqual([true, false]);
  const told = links.map((link) => saidTo(link).at(-1)?.type);
  expect(told).toEqual(['peerHello', 'peerRefusal']);
});

test('members of the configuration before are dialled until the next one is committed', () => {
  const { peers, dialled } = setUp();
  const [before, config] = [configOf(['n1', 'n2', 'n3']), configOf(['n1', 'n2', 'n4'], ['n3'])];
  peers.setConfig({ config: before, index: 0, isCommitted: true, previous: null });
  peers.setConfig({ config, index: 7, isCommitted: false, previous: before });
  expect([...dialled]).toEqual(['n2:1', 'n3:1', 'n4:1']);
  peers.setConfig({ config, index: 7, isCommitted: true, previous: null });
  expect([...dialled]).toEqual(['n2:1', 'n4:1']);
});
