import { expect, test } from 'vitest';
import { FakeWorld, failureOf } from './fake-world.ts';

test('an acquire is granted with the index of its entry as the token, and released', async () => {
  const world = new FakeWorld();
  const client = world.client();
  const grant = await world.settle(client.lock('orders/42').acquire());
  expect(grant.token).toBe(world.cluster.revision);
  expect([grant.held(), grant.names]).toEqual([true, ['orders/42']]);
  expect(await world.settle(grant.release())).toBe(true);
  expect(grant.held()).toBe(false);
  expect(world.standing('orders/42')).toEqual({ holders: 0, waiters: 0 });
  await world.settle(client.close());
});

test('a second client waits its turn and gets a larger token', async () => {
  const world = new FakeWorld();
  const [one, two] = [world.client(), world.client()];
  const first = await world.settle(one.lock('a').acquire());
  const second = two.lock('a').acquire();
  await world.run(50);
  expect(world.standing('a')).toEqual({ holders: 1, waiters: 1 });
  await world.settle(first.release());
  expect((await world.settle(second)).token).toBeGreaterThan(first.token);
});

test('D12 a busy lock answers tryAcquire with null, and acquire with who holds it', async () => {
  const world = new FakeWorld();
  const holder = world.client({ name: 'billing', meta: { host: 'h1' } });
  const other = world.client();
  const grant = await world.settle(holder.lock('a').acquire({ meta: { job: 7 } }));
  expect(await world.settle(other.lock('a').tryAcquire())).toBe(null);
  const error = await world.error(other.lock('a').acquire({ waitMs: 0 }));
  expect(error.code).toBe('LOCK_BUSY');
  expect(error.message).toContain('"billing" holds it with token');
  expect(error.details['holder']).toMatchObject({
    token: grant.token,
    sessionMeta: { host: 'h1' },
    meta: { job: 7 },
  });
});

test('lockAll takes several names in one request, with one token', async () => {
  const world = new FakeWorld();
  const client = world.client();
  const grant = await world.settle(client.lockAll(['a', 'b']).acquire());
  expect(world.cluster.count('acquire')).toBe(1);
  expect([world.standing('a').holders, world.standing('b').holders]).toEqual([1, 1]);
  await world.settle(grant.release());
  expect([world.standing('a').holders, world.standing('b').holders]).toEqual([0, 0]);
});

test('what is issued in one turn travels in one frame', async () => {
  const world = new FakeWorld();
  const client = world.client();
  await world.settle(client.lock('warm').acquire());
  const before = world.network.frames;
  const names = Array.from({ length: 300 }, (_, at) => `n${at}`);
  await world.settle(Promise.all(names.map((name) => client.lock(name).acquire())));
  expect(world.network.frames - before).toBe(1);
});

test('F10 close with drainMs lets holders finish under renewals, then ends at once', async () => {
  const world = new FakeWorld();
  const client = world.client({ ttlMs: 5_000 });
  const [one, two] = await world.settle(
    Promise.all([client.lock('a').acquire(), client.lock('b').acquire()]),
  );
  const waiting = failureOf(world.client().lock('a').acquire({ waitMs: 0 }));
  const closing = client.close({ drainMs: 60_000 });
  await world.run(20_000);
  expect([one?.held(), two?.held(), (await waiting).code]).toEqual([true, true, 'LOCK_BUSY']);
  expect((await world.error(client.lock('c').acquire())).code).toBe('CLOSED');
  await world.settle(Promise.all([one?.release(), two?.release()]));
  await world.settle(closing, 10);
  expect(world.cluster.locks.sessionCount()).toBe(1);
});

test('F10 who does not finish in drainMs loses the lock', async () => {
  const world = new FakeWorld();
  const client = world.client();
  const grant = await world.settle(client.lock('a').acquire());
  const startMs = world.nowMs();
  await world.settle(client.close({ drainMs: 1_000 }));
  expect(world.nowMs() - startMs).toBeGreaterThanOrEqual(1_000);
  expect([grant.held(), world.standing('a').holders]).toEqual([false, 0]);
});

test('close does not wait for a cluster that is gone', async () => {
  const world = new FakeWorld();
  const client = world.client();
  await world.settle(client.lock('a').acquire());
  for (const node of world.cluster.nodes) node.stop();
  await world.settle(client.close(), 2_000);
  expect(world.warnings.join()).toContain('the end of the session did not come within 2000 ms');
});

test('close leaves no timer, no link and no session', async () => {
  const world = new FakeWorld();
  const client = world.client();
  const grant = await world.settle(client.lock('a').acquire());
  await world.settle(client.close());
  expect(grant.held()).toBe(false);
  expect(grant.signal.reason).toMatchObject({ code: 'CLOSED' });
  expect(world.cluster.locks.sessionCount()).toBe(0);
  world.cluster.expires = false;
  await world.run(60_000);
  expect([world.clock.pending(), world.network.openLinks()]).toEqual([0, 0]);
});
