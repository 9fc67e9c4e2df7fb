import { describe, expect, test } from 'vitest';
import { E, H, always, elapsed, grantAll, roles, seeds, withLeader, writeFor } from './scenario.ts';

describe('disturbance by one node', () => {
  test('R-09 an isolated node does not inflate its term and deposes nobody when it is back', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 9 });
    const [away] = followers;
    const { term } = cluster.status(leader);
    cluster.world.isolate(away);
    await grantAll(cluster, leader, ['a', 'b', 'c']);
    await always(cluster, 50 * E, () => expect(cluster.status(away).term).toBe(term));
    expect(cluster.status(away).role).toBe('preCandidate');
    cluster.world.heal();
    await cluster.converge(4 * E);
    await cluster.runFor(4 * E);
    expect(cluster.leader()).toBe(leader);
    expect(cluster.living().map((status) => status.term)).toEqual([term, term, term]);
  });

  test('R-10 a node that comes back from behind helps the survivor to win', async () => {
    for (const seed of seeds(10)) {
      const { cluster, followers } = await withLeader({ seed });
      const [away] = followers;
      const oldTerm = cluster.status(away).term;
      cluster.world.isolate(away);
      for (let change = 0; change < 3; change++) {
        const { leader } = await roles(cluster);
        cluster.node(leader).crash();
        cluster.node(leader).start();
        await cluster.until('a newer term', () => cluster.leader() !== null);
      }
      const { leader } = await roles(cluster);
      await grantAll(cluster, leader, ['new']);
      const { term } = cluster.status(leader);
      expect(term).toBeGreaterThan(oldTerm + 1);
      expect(cluster.status(away).term).toBe(oldTerm);
      cluster.world.heal();
      cluster.world.isolate(leader);
      const next = await cluster.waitLeader(leader, 4 * E);
      expect(next).toBe(cluster.others(leader, away)[0]);
      expect(cluster.status(away).term).toBe(cluster.status(next).term);
    }
  });

  test('R-17 a node with a higher term gets its term into the cluster once, then all is quiet', async () => {
    const { cluster, leader, followers } = await withLeader({ seed: 17 });
    const [stuck, other] = followers;
    cluster.node(stuck).crash();
    cluster.node(stuck).raiseTerm(9);
    await cluster.runFor(E);
    cluster.node(stuck).start();
    await cluster.until('the higher term', () => cluster.status(leader).term > 9);
    const isSettled = (): boolean => cluster.leader() !== null;
    expect(await elapsed(cluster, 'a leader', isSettled)).toBeLessThan(4 * E);
    const { term } = cluster.status(other);
    expect(term).toBeGreaterThan(9);
    await always(cluster, 20 * E, () => expect(cluster.status(leader).term).toBe(term));
    expect(cluster.oracle.terms.filter((each) => each >= 9)).toEqual([term]);
    await cluster.converge();
  });

  test('R-14 a follower that just started does not help a half-cut node to depose the leader', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader, followers } = await withLeader({ seed });
      const [halfCut, restarted] = followers;
      const { term } = cluster.status(leader);
      cluster.world.cutBoth(leader, halfCut);
      const { topology } = cluster.world.network;
      topology.setRoute(leader, restarted, { latencyUs: 20_000 });
      topology.setRoute(restarted, leader, { latencyUs: 20_000 });
      await cluster.until('its campaign', () => cluster.status(halfCut).role === 'preCandidate');
      for (let time = 0; time < 5; time++) {
        cluster.node(restarted).crash();
        cluster.node(restarted).start();
        await cluster.runFor(0.7 * E);
      }
      await cluster.runFor(4 * E);
      expect(cluster.status(leader), `seed ${seed}`).toMatchObject({ role: 'leader', term });
    }
  });

  test('R-24 a follower that stood still reads its heartbeats before it thinks of campaigning', async () => {
    for (const seed of seeds(20)) {
      const { cluster, leader, followers } = await withLeader({ seed });
      const [stalled] = followers;
      const { term } = cluster.status(leader);
      cluster.node(stalled).pause();
      await cluster.runFor(3 * E);
      cluster.node(stalled).resume();
      await always(cluster, 4 * E, () => {
        expect(cluster.status(stalled), `seed ${seed}`).toMatchObject({ role: 'follower', term });
      });
      expect(cluster.leader()).toBe(leader);
    }
  });
});

describe('loss of the leader', () => {
  test('R-11 two pre-candidates that heard each other lately do not refuse each other for ever', async () => {
    for (const seed of seeds(30)) {
      const { cluster, leader } = await withLeader({ seed, network: { jitterUs: 0 } });
      cluster.node(leader).losePower();
      await cluster.waitLeader(leader, 4 * E);
    }
  });

  test('R-12 a term in which the vote was split has no leader, a later one has', async () => {
    let splits = 0;
    for (const seed of seeds(30)) {
      const { cluster, leader, followers } = await withLeader({ seed });
      const { term } = cluster.status(leader);
      for (const [from, to] of [followers, [...followers].reverse()]) {
        cluster.world.network.topology.setRoute(from ?? '', to ?? '', { latencyUs: 20_000 });
      }
      cluster.node(leader).losePower();
      const next = await cluster.waitLeader(leader, 10 * E);
      const newTerm = cluster.status(next).term;
      if (newTerm > term + 1) splits++;
      expect(cluster.oracle.terms.at(-1)).toBe(newTerm);
    }
    expect(splits).toBeGreaterThan(0);
  });

  test('LIV-1 a round trip of several heartbeats delays an election, and does not prevent it', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader, followers } = await withLeader({ seed });
      const names = [leader, ...followers];
      for (const from of names) {
        for (const to of names.filter((name) => name !== from)) {
          cluster.world.network.topology.setRoute(from, to, { latencyUs: 1_500 * H });
        }
      }
      cluster.node(leader).losePower();
      await cluster.waitLeader(leader, 10 * E);
    }
  });

  test('R-16 a leader that reaches too few steps down in its own term and says so', async () => {
    const { cluster, leader, rest } = await withLeader({ seed: 16, nodes: 5 });
    const session = await cluster.openSession(leader);
    const { term } = cluster.status(leader);
    for (const far of rest.slice(1)) cluster.world.cutBoth(leader, far);
    const write = session.acquire(leader, 'a');
    const read = cluster.query(leader, { kind: 'inspect', name: 'a' });
    const renewal = cluster.keepAlive(leader, session);
    const hasStepped = (): boolean => cluster.status(leader).role !== 'leader';
    const durationMs = await elapsed(cluster, 'the step-down', hasStepped);
    expect(durationMs).toBeLessThan(E + 2 * H);
    expect(cluster.status(leader)).toMatchObject({ role: 'follower', term, leaderId: null });
    await cluster.until('answers', () => write.isSettled && read.isSettled && renewal.isSettled);
    expect(write.value.outcome).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(read.value.result).toMatchObject({ kind: 'refused', code: 'NOT_LEADER' });
    expect(renewal.value.code).toBe('NOT_LEADER');
  });

  test('LIV-1 a round trip of several heartbeats delays an election, and does not prevent it', async () => {
    for (const seed of seeds(10)) {
      const { cluster, leader, followers } = await withLeader({ seed });
      const names = [leader, ...followers];
      for (const from of names) {
        for (const to of names.filter((name) => name !== from)) {
          cluster.world.network.topology.setRoute(from, to, { latencyUs: 1_500 * H });
        }
      }
      cluster.node(leader).losePower();
      await cluster.waitLeader(leader, 10 * E);
    }
  });

  test('R-16 a leader that reaches a quorum stays', async () => {
    const { cluster, leader, rest } = await withLeader({ seed: 16, nodes: 5 });
    const { term } = cluster.status(leader);
    for (const far of rest.slice(2)) cluster.world.cutBoth(leader, far);
    await always(cluster, 20 * E, () => {
      expect(cluster.status(leader)).toMatchObject({ role: 'leader', term });
    });
    await writeFor(cluster, leader, { durationMs: E, everyMs: H });
  });
});
