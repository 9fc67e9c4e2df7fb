// Checkpoints and transfers between shipped hosts in a simulated world.

import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../src/base/units.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { tokenOf } from '../../sim/cluster-session.ts';
import type { SimSession } from '../../sim/cluster-session.ts';
import { E, H, always, inspect, withLeader } from '../sim/scenario.ts';
import { SMALL } from './members-rig.ts';

/** Acquires this many locks, some at a time. */
async function lockMany(
  cluster: SimCluster,
  leader: NodeId,
  session: SimSession,
  names: readonly string[],
): Promise<void> {
  for (let at = 0; at < names.length; at += 16) {
    const some = names.slice(at, at + 16);
    await cluster.answers(...some.map((name) => session.acquire(leader, name)));
  }
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}/${at}`);
}

/** How often this message was logged by that node. */
function logged(cluster: SimCluster, id: NodeId, text: string): number {
  return cluster.world.logLines.filter(
    ({ process, message }) => process === id && message.includes(text),
  ).length;
}

/** Starts the node, and waits until it has caught up. */
async function bringBack(cluster: SimCluster, id: NodeId): Promise<void> {
  cluster.node(id).start();
  await cluster.until(`the start of ${id}`, () => cluster.node(id).isStarted);
  await cluster.converge();
}

describe('checkpoints of a cluster', () => {
  test('the log is let go of behind durable checkpoints, on every node', async () => {
    const { cluster, leader } = await withLeader({ seed: 1, settings: SMALL });
    const session = await cluster.openSession(leader);
    await lockMany(cluster, leader, session, names('a', 200));
    await cluster.converge();
    await cluster.runFor(1_000);
    for (const status of cluster.living()) {
      expect(status.checkpointIndex).toBe(status.lastIndex);
      expect(status.lastIndex - status.anchorIndex).toBeLessThanOrEqual(8 + 64);
      expect(status.anchorIndex).toBeGreaterThan(100);
    }
  });

  test('R-31 the last command of a quiet cluster is applied everywhere at once, and written', async () => {
    const { cluster, leader } = await withLeader({ seed: 6, settings: SMALL });
    const session = await cluster.openSession(leader);
    await cluster.runFor(1_000);
    await cluster.answers(session.acquire(leader, 'last'));
    const { lastIndex } = cluster.status(leader);
    await cluster.runFor(H / 5);
    const living = cluster.living();
    expect(living.map(({ appliedIndex }) => appliedIndex)).toEqual(
      cluster.ids.map(() => lastIndex),
    );
    expect(new Set(living.map(({ stateHash }) => stateHash)).size).toBe(1);
    await cluster.runFor(500);
    const written = cluster.living().map(({ checkpointIndex }) => checkpointIndex);
    expect(written).toEqual(cluster.ids.map(() => lastIndex));
  });

  test('R-62 a start from the second checkpoint knows configuration, sessions and queues', async () => {
    const { cluster, leader } = await withLeader({ seed: 2, settings: SMALL });
    const first = await cluster.openSession(leader);
    const second = await cluster.openSession(leader);
    const [grant] = await cluster.answers(first.acquire(leader, 'held'));
    const token = grant === undefined ? 0 : tokenOf(grant);
    await cluster.answers(second.acquire(leader, 'held', { waitMs: null }));
    for (const prefix of ['a', 'b', 'c']) {
      await lockMany(cluster, leader, first, names(prefix, 60));
      await cluster.runFor(500);
    }
    const before = cluster.status(leader);
    expect(before.checkpointIndex).toBeGreaterThan(token);
    for (const id of cluster.ids) cluster.node(id).losePower();
    for (const id of cluster.ids) cluster.node(id).start();
    const next = await cluster.waitLeader();
    await cluster.converge();
    expect(cluster.living()).toHaveLength(3);
    expect(cluster.status(next)).toMatchObject({
      sessions: 2,
      locks: before.locks,
      membership: 'voter',
    });
    const lock = await inspect(cluster, next, 'held');
    expect(lock.holders.map((holder) => holder.token)).toEqual([token]);
    expect(lock.waiters.map((waiter) => waiter.session)).toEqual([second.id]);
    // The one that waits is granted with a larger token, and a repeated request gets its answer.
    await cluster.answers(first.release(next, 'held', token));
    const [again] = await cluster.answers(
      second.acquire(next, 'held', { waitMs: null, seq: second.lastSeq }),
    );
    expect(again === undefined ? 0 : tokenOf(again)).toBeGreaterThan(before.lastIndex);
  });

  test('J1 a node that dies at any moment of a checkpoint starts with all that it acknowledged', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 3, settings: SMALL });
    const session = await cluster.openSession(leader);
    const [victim] = followers;
    for (let round = 0; round < 20; round++) {
      await lockMany(cluster, leader, session, names(`r${round}`, 24));
      await cluster.runFor(7 * round);
      cluster.node(victim).losePower();
      await cluster.runFor(50);
      await bringBack(cluster, victim);
    }
    expect(cluster.status(victim).checkpointIndex).toBeGreaterThan(200);
  });

  test('a sole node starts from its checkpoint, and its tokens go on', async () => {
    const { cluster, leader } = await withLeader({ seed: 4, nodes: 1, settings: SMALL });
    const session = await cluster.openSession(leader);
    await lockMany(cluster, leader, session, names('a', 100));
    await cluster.runFor(1_000);
    const before = cluster.status(leader);
    cluster.node(leader).crash();
    cluster.node(leader).start();
    await cluster.waitLeader();
    const [reply] = await cluster.answers(session.acquire(leader, 'b'));
    expect(reply === undefined ? 0 : tokenOf(reply)).toBeGreaterThan(before.lastIndex);
    expect(cluster.status(leader).locks).toBe(before.locks + 1);
  });
});

describe('a follower that lacks the log', () => {
  async function leftBehind(seed: number) {
    const scenario = await withLeader({ seed, settings: SMALL });
    const { cluster, leader, followers } = scenario;
    const [late] = followers;
    const session = await cluster.openSession(leader);
    await lockMany(cluster, leader, session, names('old', 20));
    await cluster.converge();
    cluster.node(late).crash();
    await lockMany(cluster, leader, session, names('new', 200));
    // A transfer that began before its silence was noticed is given up, and pins the log no more.
    await cluster.runFor(12 * E);
    await lockMany(cluster, leader, session, names('newer', 40));
    await cluster.runFor(1_000);
    expect(cluster.status(leader).anchorIndex).toBeGreaterThan(100);
    return { ...scenario, late, session };
  }

  test('R-53 R-60 gets the checkpoint, and its state is replaced by the state of its leader', async () => {
    const { cluster, leader, late, session } = await leftBehind(5);
    // What it holds and nobody else does any more.
    const lock = await inspect(cluster, leader, 'old/0');
    await cluster.answers(session.release(leader, 'old/0', lock.holders[0]?.token ?? 0));
    await cluster.runFor(1_000);
    await bringBack(cluster, late);
    expect(logged(cluster, late, 'Took over a checkpoint')).toBe(1);
    expect(cluster.status(late).stateHash).toBe(cluster.status(leader).stateHash);
    // Afterwards it follows by the log, as everybody.
    await lockMany(cluster, leader, session, names('later', 10));
    await cluster.converge();
    expect(logged(cluster, late, 'Took over a checkpoint')).toBe(1);
  });

  test('R-53 leads afterwards, and whoever watches from before it learns of the gap', async () => {
    const { cluster, leader, late } = await leftBehind(10);
    await bringBack(cluster, late);
    cluster.node(leader).crash();
    for (let turn = 0; turn < 20 && (await cluster.waitLeader(leader)) !== late; turn++) {
      cluster.node(await cluster.waitLeader(leader)).call((host) => {
        host.admin({ step: 'transfer', to: late }, () => {});
      });
      await cluster.runFor(E);
    }
    const started: boolean[] = [];
    cluster.node(late).call((host) => {
      const quiet = (): void => {};
      const onStart = (_: number, isComplete: boolean): void => void started.push(isComplete);
      host.watch({ name: null, prefix: '' }, 30, { onStart, onEvents: quiet, onOver: quiet });
    });
    await cluster.until('the watch to begin', () => started.length > 0);
    expect(started).toEqual([false]);
  });

  test('R-58 goes on where it was when the link is cut in the middle', async () => {
    const { cluster, leader, late } = await leftBehind(6);
    cluster.node(late).start();
    for (let cut = 0; cut < 4; cut++) {
      await cluster.runFor(60);
      const undo = cluster.world.cut(leader, late);
      await cluster.runFor(100);
      undo();
    }
    await cluster.converge();
    expect(logged(cluster, late, 'Took over a checkpoint')).toBe(1);
  });

  test('R-58 R-61 starts with its old state when it died in the middle, and is sent all again', async () => {
    const { cluster, leader, late } = await leftBehind(7);
    for (let life = 0; life < 6; life++) {
      cluster.node(late).start();
      await cluster.runFor(40 + 35 * life);
      cluster.node(late).losePower();
      await cluster.runFor(2 * E);
    }
    await bringBack(cluster, late);
    expect(cluster.status(late).stateHash).toBe(cluster.status(leader).stateHash);
  });

  test('R-63 the others go on meanwhile: no change of leaders, and heartbeats in time', async () => {
    const { cluster, leader, late, session } = await leftBehind(8);
    const { term } = cluster.status(leader);
    cluster.node(late).start();
    let served = 0;
    for (let at = 0; at < 10; at++) {
      await cluster.answers(session.acquire(leader, `meanwhile/${at}`));
      served += 1;
      await cluster.runFor(H);
    }
    expect(served).toBe(10);
    await cluster.converge();
    expect(cluster.status(leader)).toMatchObject({ term, role: 'leader' });
    expect(cluster.status(late).stateHash).toBe(cluster.status(leader).stateHash);
  });

  test('R-59 is sent another checkpoint when the log moved on beyond the first', async () => {
    const { cluster, leader, late, session } = await leftBehind(9);
    cluster.node(late).start();
    let lowest = 0;
    const look = (): void => {
      if (cluster.node(late).host === null) return;
      const { appliedIndex } = cluster.status(late);
      expect(appliedIndex).toBeGreaterThanOrEqual(lowest);
      lowest = appliedIndex;
    };
    for (let at = 0; at < 10; at++) {
      await lockMany(cluster, leader, session, names(`more${at}`, 40));
      await always(cluster, 20, look);
    }
    await cluster.converge();
    expect(cluster.status(late).stateHash).toBe(cluster.status(leader).stateHash);
  });
});
