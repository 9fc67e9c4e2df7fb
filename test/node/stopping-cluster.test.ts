// How hosts stop and start in a simulated world: nobody waits for a node that goes or comes.

import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { E, H, elapsed, withLeader } from '../sim/scenario.ts';

/** Tells the host to stop; the list gets a mark for every answer. */
function stop(cluster: SimCluster, id: NodeId, stopped: NodeId[]): void {
  cluster.node(id).call((host) => host.stop(() => stopped.push(id)));
}

describe('a node that stops', () => {
  test('a leader hands over first: the next one leads within a few heartbeats', async () => {
    const { cluster, leader } = await withLeader({ seed: 1 });
    const { term } = cluster.status(leader);
    const stopped: NodeId[] = [];
    stop(cluster, leader, stopped);
    const ms = await elapsed(cluster, 'the next leader', () =>
      cluster.others(leader).some((id) => cluster.status(id).role === 'leader'),
    );
    expect(ms).toBeLessThanOrEqual(H);
    const next = await cluster.waitLeader(leader);
    expect(cluster.status(next).term).toBe(term + 1);
    await cluster.until('the end of the stop', () => stopped.length === 1);
    expect(cluster.status(leader).role).toBe('stopped');
  });

  test('a leader that nobody can follow is not held up by it', async () => {
    const { cluster, leader } = await withLeader({ seed: 2 });
    cluster.world.isolate(leader);
    const stopped: NodeId[] = [];
    stop(cluster, leader, stopped);
    const ms = await elapsed(cluster, 'the end of the stop', () => stopped.length === 1);
    expect(ms).toBeLessThanOrEqual(E + 2 * H);
  });

  test('a follower, and a node that is alone, stop at once', async () => {
    const { cluster, followers } = await withLeader({ seed: 3 });
    const stopped: NodeId[] = [];
    stop(cluster, followers[0], stopped);
    expect(await elapsed(cluster, 'the stop', () => stopped.length === 1)).toBeLessThan(H);
    const alone = await withLeader({ seed: 3, nodes: 1 });
    stop(alone.cluster, alone.leader, stopped);
    expect(await elapsed(alone.cluster, 'the stop', () => stopped.length === 2)).toBeLessThan(H);
  });

  test('being told twice is being told once, also while it hands over', async () => {
    const { cluster, leader } = await withLeader({ seed: 4 });
    const stopped: NodeId[] = [];
    stop(cluster, leader, stopped);
    stop(cluster, leader, stopped);
    await cluster.until('the end of the stop', () => stopped.length === 2);
    stop(cluster, leader, stopped);
    await cluster.until('the third answer', () => stopped.length === 3);
  });

  test('what it is asked while it hands over is refused, and nothing of it is done', async () => {
    const { cluster, leader } = await withLeader({ seed: 5 });
    const session = await cluster.openSession(leader);
    cluster.world.isolate(leader);
    stop(cluster, leader, []);
    await cluster.runFor(1);
    const [reply] = await cluster.answers(session.acquire(leader, 'late'));
    expect(reply?.outcome.code).toBe('NOT_LEADER');
  });
});

describe('a node that starts', () => {
  test('says that it loads its state, and refuses what it cannot serve yet', async () => {
    const checkpoints = { intervalMs: 100 };
    const scenario = await withLeader({ seed: 6, settings: { checkpoints } });
    const { cluster, leader, followers } = scenario;
    await cluster.openSession(leader);
    const [late] = followers;
    await cluster.runFor(500);
    cluster.node(late).crash();
    cluster.node(late).start();
    await cluster.until('a life', () => cluster.node(late).host !== null);
    const told = new Set<string>();
    const isUp = (): boolean => {
      const { role, alarms } = cluster.status(late);
      if (role === 'starting') alarms.forEach((text) => told.add(text));
      return cluster.node(late).isStarted;
    };
    await cluster.until('the start', isUp);
    expect([...told]).toContain('Loads its state: 0 rows so far.');
    expect([...told].at(-1)).toMatch(/^Loads its state: [1-9]\d* rows so far\.$/);
    expect(cluster.status(late)).toMatchObject({
      role: 'follower',
      membership: 'voter',
      alarms: [],
    });
  });
});

describe('a transfer of a checkpoint whose end stops', () => {
  const checkpoints = {
    ...{ dirtyRowsMax: 8, pauseRowsMax: 64, intervalMs: 100, trailingEntries: 4 },
    ...{ partBytesMax: 300, partsInFlightMax: 1 },
  };

  test.each(['sender', 'receiver'])('does not disturb the stop of its %s', async (end) => {
    let pieces = 0;
    const watch = (): HostWatch => ({
      started: () => {},
      stepped: (_event, effects) => {
        pieces += effects.filter(({ type }) => type === 'storePart').length;
      },
      applied: () => {},
      installed: () => {},
    });
    const scenario = await withLeader({ seed: 7, settings: { checkpoints }, watch });
    const { cluster, leader, followers } = scenario;
    const [late] = followers;
    cluster.node(late).crash();
    const session = await cluster.openSession(leader);
    const lock = async (round: number): Promise<void> => {
      const names = Array.from({ length: 16 }, (_, at) => `${round}/${at}`);
      await cluster.answers(...names.map((name) => session.acquire(leader, name)));
    };
    for (let round = 0; round < 20; round++) await lock(round);
    // A transfer that began before the silence was noticed is given up, and pins the log no more.
    await cluster.runFor(12 * E);
    for (let round = 20; round < 24; round++) await lock(round);
    await cluster.runFor(E);
    cluster.node(late).start();
    await cluster.until('some pieces', () => pieces >= 3);
    const stopped: NodeId[] = [];
    const id = end === 'sender' ? leader : late;
    stop(cluster, id, stopped);
    await cluster.until('the end of the stop', () => stopped.length === 1);
    expect(cluster.node(id).exit).toBeNull();
    cluster.node(id).crash();
    cluster.node(id).start();
    await cluster.until('the start', () => cluster.node(id).isStarted);
    await cluster.waitLeader();
    await cluster.converge();
  });
});
