import { describe, expect, test } from 'vitest';
import type { Append, RaftMessage } from '../../../src/raft/messages.ts';
import { CoreCluster, H, payloadOfSize } from './harness.ts';
import type { ClusterOptions } from './harness.ts';

function electedCluster(options: ClusterOptions = {}): CoreCluster {
  const cluster = new CoreCluster(options);
  cluster.elect('n1');
  cluster.run(H);
  return cluster;
}

const appendsOn = (cluster: CoreCluster, from: string, to: string): Append[] =>
  cluster.link(from, to).flatMap((message) => (message.type === 'append' ? [message] : []));

function proposeSizes(cluster: CoreCluster, sizes: readonly number[]): void {
  cluster.proposeAll(
    'n1',
    sizes.map((size) => ({
      type: 'command',
      payload: payloadOfSize(size),
      internal: false,
      record: null,
    })),
  );
}

describe('sending', () => {
  test('R-33 the no-op opens the term and commits what older terms left', () => {
    const cluster = new CoreCluster({ logs: { n1: [1, 1], n2: [1, 1], n3: [] } });
    cluster.elect('n1');
    expect(cluster.node('n1').terms()).toEqual([1, 1, 2]);
    expect(cluster.node('n1').core.commitIndex).toBe(3);
    expect(cluster.node('n3').terms()).toEqual([1, 1, 2]);
  });

  test('R-32 an entry of an older term is not committed by counting its copies', () => {
    const cluster = new CoreCluster({
      logs: { n1: [1, 2], n2: [1], n3: [1] },
      hard: { n1: { term: 3 }, n2: { term: 3 }, n3: { term: 3 } },
      settings: { appendBytesMax: 1 },
    });
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    cluster.elect('n1');
    const [counted] = n1.effects.filter((effect) => effect.type === 'apply');
    expect(counted?.type === 'apply' && counted.entries.at(-1)?.index).toBe(3);
    const acknowledged = cluster
      .node('n2')
      .sent.flatMap(({ message }) =>
        message.type === 'appendResponse' && message.ok ? [message.matchIndex] : [],
      );
    expect(acknowledged).toContain(2);
  });

  test('proposals of one event leave as one Append, and the disk starts with them', () => {
    const cluster = electedCluster();
    cluster.node('n1').automatic.persist = false;
    cluster.propose('n1', 'a', 'b', 'c');
    expect(appendsOn(cluster, 'n1', 'n2').map((each) => each.entries.length)).toEqual([3]);
    const [batch] = cluster.node('n1').disk.batches;
    expect(batch?.entries).toBe(appendsOn(cluster, 'n1', 'n2')[0]?.entries);
  });

  test('R-34 a majority of others is enough without our own disk', () => {
    const cluster = electedCluster();
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    cluster.propose('n1', 'a');
    cluster.deliver('n1', 'n2');
    cluster.deliver('n2', 'n1');
    expect(n1.core.commitIndex).toBe(1);
    cluster.deliver('n1', 'n3');
    cluster.deliver('n3', 'n1');
    expect([n1.core.commitIndex, n1.core.writes.durableIndex]).toEqual([2, 1]);
  });

  test('R-44 packing respects the limit; an oversize entry travels alone', () => {
    const cluster = electedCluster({ settings: { appendBytesMax: 300 } });
    proposeSizes(cluster, [100, 100, 100, 900, 100]);
    const appends = appendsOn(cluster, 'n1', 'n2');
    expect(appends.map((each) => each.entries.map((entry) => entry.index))).toEqual([
      [2, 3],
      [4],
      [5],
      [6],
    ]);
    expect(appends.map((each) => each.prevIndex)).toEqual([1, 3, 4, 5]);
  });

  test('R-38 a full window stops; after a heartbeat’s answer one empty Append asks', () => {
    const cluster = electedCluster({ settings: { inflightAppendsMax: 3 } });
    for (const text of ['a', 'b', 'c', 'd', 'e']) cluster.propose('n1', text);
    expect(appendsOn(cluster, 'n1', 'n3').length).toBe(3);
    cluster.drop('n1', 'n3');
    cluster.tick(H, ['n1']);
    cluster.deliver('n1', 'n3');
    cluster.deliver('n3', 'n1');
    expect(appendsOn(cluster, 'n1', 'n3').map((each) => each.entries.length)).toEqual([0]);
    cluster.deliverAll();
    expect(cluster.node('n3').terms().length).toBe(6);
  });

  test('an idle follower learns of a commit without a new entry', () => {
    const cluster = electedCluster();
    cluster.propose('n1', 'a');
    cluster.deliverAll();
    cluster.run(H / 10);
    expect(cluster.node('n2').core.commitIndex).toBe(2);
  });

  test('R-31 a heartbeat never tells more than the follower was seen to have', () => {
    const cluster = electedCluster();
    cluster.cut('n1', 'n3');
    for (const text of ['a', 'b']) cluster.propose('n1', text);
    cluster.deliverAll();
    cluster.heal();
    cluster.tick(H, ['n1']);
    const beats = cluster.link('n1', 'n3').filter((message) => message.type === 'heartbeat');
    expect(beats.map((message) => message.type === 'heartbeat' && message.commit)).toEqual([1]);
  });

  test('entries that left memory are loaded for a slow follower, page by page', () => {
    const cluster = electedCluster({
      settings: { appendBytesMax: 200, tailBytesMax: 300 },
    });
    cluster.cut('n1', 'n3');
    for (let count = 0; count < 40; count++) {
      cluster.propose('n1', `command ${count}`);
      cluster.deliverAll();
    }
    const n1 = cluster.node('n1');
    expect(n1.core.log.firstInMemory).toBeGreaterThan(20);
    cluster.heal();
    n1.effects.length = 0;
    cluster.run(4 * H);
    expect(n1.effects.filter(({ type }) => type === 'load').length).toBeGreaterThan(3);
    expect(cluster.node('n3').applied.length).toBe(41);
  });
});

describe('back-off', () => {
  test('R-26 needs one probe per distinct term, however long the divergence', () => {
    const ones = (count: number, term: number): number[] =>
      Array.from({ length: count }, () => term);
    const cluster = new CoreCluster({
      logs: { n1: [1, ...ones(50, 3), ...ones(49, 4), 5], n2: [1, ...ones(120, 2)] },
      hard: { n1: { term: 5 }, n2: { term: 5 }, n3: { term: 5 } },
    });
    cluster.elect('n1');
    const { sent } = cluster.node('n2');
    const refusals = sent.filter(
      ({ message }) => message.type === 'appendResponse' && !message.ok,
    ).length;
    expect(refusals).toBeLessThanOrEqual(5);
    cluster.run(H);
    expect(cluster.node('n2').terms()).toEqual(cluster.node('n1').terms());
  });
});

test('answers to many heartbeats that come together ask for one probe, not for one each', () => {
  const cluster = new CoreCluster();
  cluster.isolate('n3');
  cluster.elect('n1');
  proposeSizes(cluster, [10, 10]);
  cluster.run(20 * H);
  const n1 = cluster.node('n1');
  const progress = n1.core.leader?.progress.get('n3');
  expect(progress?.state).toBe('probe');
  const current = n1.core.leader?.rounds.current ?? 0;
  const rounds = Array.from({ length: 20 }, (_, place) => current - 19 + place);
  const appends = rounds.flatMap((round) => {
    const ends = { lastIndex: 1, durableIndex: 1 };
    const beat = { type: 'heartbeatResponse', term: 1, round, ...ends } as const;
    const effects = cluster.inject('n3', 'n1', beat);
    return effects.filter((each) => each.type === 'send' && each.message.type === 'append');
  });
  expect(appends).toHaveLength(1);
});

describe('§15.5 a peer that lost its log', () => {
  const beat = (round: number, durableIndex: number): RaftMessage => ({
    type: 'heartbeatResponse',
    term: 1,
    round,
    lastIndex: durableIndex,
    durableIndex,
  });

  test('is not counted any more, and the host is told', () => {
    const cluster = electedCluster();
    cluster.propose('n1', 'a');
    cluster.deliverAll();
    cluster.run(2 * H);
    const round = cluster.node('n1').core.leader?.rounds.current ?? 0;
    const effects = cluster.inject('n3', 'n1', beat(round, 1));
    expect(effects).toContainEqual(expect.objectContaining({ type: 'peerLostLog', peer: 'n3' }));
    cluster.isolate('n2');
    cluster.propose('n1', 'b');
    cluster.deliverAll();
    expect(cluster.node('n1').core.commitIndex).toBe(2);
  });

  test('R-46 a refusal that comes late is not taken for a loss, one of a newer boot is', () => {
    const cluster = electedCluster();
    cluster.propose('n1', 'a');
    cluster.deliverAll();
    const refusal: RaftMessage = {
      type: 'appendResponse',
      term: 1,
      ok: false,
      matchIndex: 0,
      rejectedPrev: 2,
      hintIndex: 0,
      hintTerm: 0,
      round: 1,
    };
    expect(cluster.inject('n3', 'n1', refusal)).toEqual([]);
    cluster.node('n3').bootCount = 2;
    expect(cluster.inject('n3', 'n1', refusal)).toContainEqual(
      expect.objectContaining({ type: 'peerLostLog', peer: 'n3' }),
    );
  });
});

describe('§6.8 a disk that hangs', () => {
  function withHangingDisk(): CoreCluster {
    const cluster = electedCluster();
    const n1 = cluster.node('n1');
    n1.automatic.persist = false;
    cluster.propose('n1', 'a');
    cluster.run(1_900_000);
    expect([n1.role, n1.core.commitIndex]).toEqual(['leader', 2]);
    return cluster;
  }

  test('R-45 R-74 its leader hands over, and does not campaign until the write completes', () => {
    const cluster = withHangingDisk();
    const n1 = cluster.node('n1');
    cluster.run(200_000);
    expect([n1.role, cluster.node('n2').role, n1.core.leaderId]).toEqual([
      'follower',
      'leader',
      'n2',
    ]);
    cluster.isolate('n1');
    n1.sent.length = 0;
    cluster.tick(2_000_000, ['n1']);
    expect(n1.sent).toEqual([]);
    while (cluster.completePersist('n1'));
    cluster.tick(1_000_000, ['n1']);
    expect(n1.role).toBe('preCandidate');
  });

  test('R-45 R-74 its leader says goodbye if nobody takes over', () => {
    const cluster = withHangingDisk();
    const n1 = cluster.node('n1');
    cluster.node('n2').automatic.slots = false;
    cluster.run(200_000);
    expect([n1.role, n1.raft.status().transferTarget]).toEqual(['leader', 'n2']);
    expect(cluster.propose('n1', 'b').refusal).toBe('NOT_LEADER');
    const saidGoodbye = (): boolean => n1.sent.some(({ message }) => message.type === 'goodbye');
    expect(saidGoodbye()).toBe(false);
    cluster.run(500_000);
    expect([n1.role, saidGoodbye()]).toEqual(['follower', true]);
    cluster.runUntil(() => cluster.node('n3').role === 'leader');
  });
});
