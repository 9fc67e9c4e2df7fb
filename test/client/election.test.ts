import { describe, expect, test } from 'vitest';
import type { Election, ElectionView } from '../../src/client/election.ts';
import { UNNUMBERED_SEQ_MIN } from '../../src/locks/commands.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld, failureOf } from './fake-world.ts';
import { pulseBehindTheScenes } from './watching.ts';

function candidates() {
  const world = new FakeWorld();
  const [one, two, watcher] = [
    world.client({ name: 'one' }),
    world.client({ name: 'two' }),
    world.client(),
  ];
  const observed = watcher.election('e');
  return { world, one, two, watcher, observed };
}

/** The next command is refused, and those that came with it are not. */
function refuseOne(world: FakeWorld): void {
  let reads = 0;
  Object.defineProperty(world.cluster.node('n1'), 'refusal', {
    get: () => (reads++ < 2 ? { code: 'OVERLOADED', message: 'busy' } : null),
  });
}

/** What is observed from now on, as it comes. */
function observe(election: Election, signal?: AbortSignal) {
  const views: ElectionView[] = [];
  const end = (async () => {
    for await (const view of election.observe(signal === undefined ? {} : { signal })) {
      views.push(view);
    }
  })();
  return { views, end, values: () => views.map(({ leader }) => leader?.value ?? null) };
}

describe('an election', () => {
  test('is won with a value, which defaults to the name of the client', async () => {
    const { world, one, two, observed } = candidates();
    expect((await world.settle(observed.leader())).leader).toBe(null);
    const first = await world.settle(one.election('e').campaign());
    const { token, value } = first;
    const leader = { session: one.session.id, token, acquireSeq: 1, value: 'one' };
    const view = await world.settle(observed.leader());
    expect([value, view]).toEqual(['one', { leader, revision: world.cluster.revision }]);
    const second = two.election('e').campaign({ value: 'at 10.0.0.2' });
    await world.run(3_600_000);
    expect(world.standing('e')).toEqual({ holders: 1, waiters: 1 });
    expect(await world.settle(first.resign())).toBe(true);
    expect((await world.settle(second)).token).toBeGreaterThan(token);
    expect((await world.settle(observed.leader())).leader?.value).toBe('at 10.0.0.2');
  });

  test('proclaims take effect in the order of the calls, whatever a node refuses', async () => {
    const { world, one, observed } = candidates();
    const leadership = await world.settle(one.election('e').campaign({ value: 'v0' }));
    const { values } = observe(observed);
    await world.run(50);
    refuseOne(world);
    await world.settle(Promise.all(['v1', 'v2', 'v3'].map((v) => leadership.proclaim(v))));
    await world.run(5);
    expect([leadership.value, values()]).toEqual(['v3', ['v0', 'v1', 'v2', 'v3']]);
  });

  test('each of several proclamations waits for requestMs from its call', async () => {
    const { world } = candidates();
    const client = world.client({ requestMs: 2_000 });
    const leadership = await world.settle(client.election('e').campaign({ value: 'v0' }));
    world.cluster.node('n1').refusal = { code: 'OVERLOADED', message: 'busy' };
    const startMs = world.nowMs();
    const late = ['v1', 'v2', 'v3'].map(async (value) => {
      const { code } = await failureOf(leadership.proclaim(value));
      return [code, world.nowMs() - startMs];
    });
    const ends = await world.settle(Promise.all(late), 10_000);
    expect(ends).toEqual(late.map(() => ['UNAVAILABLE', 2_000]));
    // They go on nevertheless, in order.
    world.cluster.node('n1').refusal = null;
    await world.run(3_000);
    expect(leadership.value).toBe('v3');
  });

  test('who was deposed proclaims nothing', async () => {
    const { world, one, two } = candidates();
    const leadership = await world.settle(one.election('e').campaign());
    const late = leadership.proclaim('late');
    const { token } = leadership;
    for (const node of world.cluster.nodes) node.push = () => {};
    world.cluster.apply({ op: 'break', name: 'e', token, session: null, by: 'x', reason: 'y' });
    const refused = await world.error(late);
    expect([refused.code, refused.details['answer']]).toEqual(['LOCK_LOST', 'NOT_HOLDER']);
    await world.settle(leadership.resign().catch(() => {}));
    expect((await failureOf(leadership.proclaim('later'))).code).toBe('LOCK_LOST');
    expect(leadership.value).toBe('one');
    await world.settle(two.election('e').campaign());
  });

  test('no node answers a proclamation: it says so, and goes on', async () => {
    const world = new FakeWorld();
    const client = world.client({ requestMs: 500 });
    const leadership = await world.settle(client.election('e').campaign());
    world.cluster.elect(null);
    const error = await world.error(leadership.proclaim('v1'));
    expect(error.code).toBe('UNAVAILABLE');
    world.cluster.elect('n2');
    await world.run(100);
    expect([leadership.value, world.cluster.locks.inspect('e').holders[0]?.value]).toEqual([
      'v1',
      'v1',
    ]);
  });
});

describe('a candidate', () => {
  test('B12 whose session expires during the wait is told at the expiry, and is no leader', async () => {
    const { world, one, two, observed } = candidates();
    const leadership = await world.settle(one.election('e').campaign());
    const { values } = observe(observed);
    const waiting = failureOf(two.election('e').campaign());
    await world.run(100);
    const startMs = world.nowMs();
    world.cluster.expire(two.session.id ?? '');
    const error = await world.settle(waiting, 10);
    expect([error.code, world.nowMs() - startMs <= 10]).toEqual(['SESSION_EXPIRED', true]);
    await world.settle(leadership.resign());
    await world.run(60_000);
    expect([world.standing('e'), values()]).toEqual([{ holders: 0, waiters: 0 }, ['one', null]]);
    const again = await world.settle(two.election('e').campaign());
    expect(again.held()).toBe(true);
  });

  test('A10 when the leader of the cluster changes, one of them leads, and no token twice', async () => {
    const { world, one, two } = candidates();
    const third = world.client({ name: 'three' });
    const clients = [one, two, third];
    const won: number[] = [];
    const campaigns = clients.map((client) => client.election('e').campaign());
    for (const campaign of campaigns)
      campaign.then(
        ({ token }) => won.push(token),
        () => {},
      );
    await world.run(50);
    expect(won).toHaveLength(1);
    for (const [nth, leaderId] of ['n2', 'n3', 'n1'].entries()) {
      world.cluster.elect(leaderId);
      await world.run(5_000);
      expect(won).toHaveLength(nth + 1);
      const holder = world.cluster.locks.inspect('e').holders[0];
      world.cluster.expire(holder?.session ?? '');
      await world.run(50);
    }
    expect(new Set(won).size).toBe(3);
  });
});

describe('an observer', () => {
  test('sees the present leader first, then every change, vacancy included', async () => {
    const { world, one, two, observed } = candidates();
    const { views, values } = observe(observed);
    await world.run(50);
    const first = await world.settle(one.election('e').campaign());
    await world.settle(first.proclaim('elsewhere'));
    const second = two.election('e').campaign();
    await world.run(50);
    world.cluster.expire(one.session.id ?? '');
    await world.settle((await world.settle(second)).resign());
    await world.run(50);
    expect(values()).toEqual([null, 'one', 'elsewhere', 'two', null]);
    const revisions = views.map(({ revision }) => revision);
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    expect(revisions[1]).toBe(first.token);
  });

  test('goes never back, wherever in a row of changes it begins', async () => {
    for (let point = 0; point < 30; point++) {
      const { world, one, observed } = candidates();
      const leadership = await world.settle(one.election('e').campaign({ value: '0' }));
      const { values } = observe(observed);
      await world.clock.steps(point);
      const session = one.session.id ?? '';
      for (const [at, value] of ['1', '2', '3'].entries()) {
        const numbers = { seq: UNNUMBERED_SEQ_MIN + at, ackedBelow: 0, bodyHash: 0 };
        const grant = { name: 'e', acquireSeq: 1, token: leadership.token };
        world.cluster.apply({ op: 'proclaim', session, ...numbers, ...grant, value });
      }
      await world.run(50);
      expect([point, ['0123', '3']]).toEqual([point, expect.arrayContaining([values().join('')])]);
    }
  });

  test('misses nothing, and sees nothing twice, however often it is cut off', async () => {
    const { world, one, observed } = candidates();
    const { values } = observe(observed);
    await world.run(50);
    const expected: (string | null)[] = [null];
    for (let round = 0; round < 12; round++) {
      const value = `v${round}`;
      const campaign = one.election('e').campaign({ value });
      if (round % 3 === 0) for (const address of ADDRESSES) world.network.cut(address);
      else world.cluster.elect(`n${(round % 3) + 1}`);
      await world.settle((await world.settle(campaign)).resign());
      expected.push(value, null);
    }
    await world.run(3_000);
    expect(values()).toEqual(expected);
  });

  test('sees the present view when the cluster has forgotten what came between', async () => {
    const { world, one, observed } = candidates();
    const { values } = observe(observed);
    await world.settle(one.election('e').campaign({ value: 'v0' }));
    await world.run(50);
    for (const node of world.cluster.nodes) node.stop();
    await world.run(500);
    const session = one.session.id ?? '';
    world.cluster.apply({ op: 'endSession', session, by: 'x', reason: 'y' });
    pulseBehindTheScenes(world, 'e', 150);
    for (const node of world.cluster.nodes) node.start();
    await world.run(5_000);
    await world.settle(one.election('e').campaign({ value: 'v1' }));
    await world.run(50);
    expect(values()).toEqual(['v0', null, 'v1']);
  });

  test('waits while no node answers, and ends with its signal or its client', async () => {
    const { world, watcher, observed } = candidates();
    world.cluster.elect(null);
    const controller = new AbortController();
    const mine = observe(observed, controller.signal);
    const other = observe(observed);
    const failed = failureOf(other.end);
    await world.run(100_000);
    expect(mine.views).toEqual([]);
    world.cluster.elect('n1');
    await world.run(5_000);
    expect(mine.values()).toEqual([null]);
    world.cluster.elect(null);
    controller.abort();
    await world.settle(mine.end);
    await world.settle(watcher.close());
    expect((await world.settle(failed)).code).toBe('CLOSED');
  });

  test('ends with its signal at any point, as while it asks who leads', async () => {
    const seen = new Set<number>();
    for (let point = 0; point < 40; point++) {
      const { world, observed } = candidates();
      const controller = new AbortController();
      const { end, views } = observe(observed, controller.signal);
      await world.clock.steps(point);
      world.cluster.elect(null);
      controller.abort();
      await world.settle(end, 1);
      seen.add(views.length);
    }
    expect([...seen]).toEqual([0, 1]);
  });
});
