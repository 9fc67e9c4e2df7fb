import { expect, test } from 'vitest';
import { FakeWorld } from './fake-world.ts';

test('do runs the body under the lock, gives its result, and releases', async () => {
  const world = new FakeWorld();
  const client = world.client();
  const result = client.lock('a').do(async (grant) => [grant.held(), world.standing('a').holders]);
  expect(await world.settle(result)).toEqual([true, 1]);
  expect(world.standing('a').holders).toBe(0);
});

test('do rejects with the error of its body, and releases', async () => {
  const world = new FakeWorld();
  const failure = new Error('mine');
  const run = world
    .client()
    .lock('a')
    .do({}, () => Promise.reject(failure));
  await expect(world.settle(run)).rejects.toBe(failure);
  expect(world.standing('a').holders).toBe(0);
});

test('D1 without the lock the body never runs', async () => {
  const world = new FakeWorld();
  const [holder, other] = [world.client(), world.client()];
  await world.settle(holder.lock('a').acquire());
  let runs = 0;
  const body = (): number => ++runs;
  for (const options of [{ waitMs: 10 }, { waitMs: 0 }, { signal: AbortSignal.abort('no') }]) {
    await expect(world.settle(other.lock('a').do(options, body))).rejects.toBeDefined();
  }
  expect((await world.error(other.lock('a').do({ waitMs: 10 }, body))).code).toBe('WAIT_OVER');
  expect(runs).toBe(0);
});

test('D2 the lease ended under the body: LOCK_LOST carries its result', async () => {
  const world = new FakeWorld();
  const run = world
    .client()
    .lock('a')
    .do(() => {
      world.clock.block(20_000);
      return 42;
    });
  const error = await world.error(run);
  expect(error.code).toBe('LOCK_LOST');
  expect(error.details).toMatchObject({ result: 42 });
  expect(error.cause).toMatchObject({ code: 'EVENT_LOOP_BLOCKED' });
});

test('D2 or its error', async () => {
  const world = new FakeWorld();
  const failure = new Error('mine');
  const run = world
    .client()
    .lock('a')
    .do(() => {
      world.clock.block(20_000);
      throw failure;
    });
  expect((await world.error(run)).details).toMatchObject({ error: failure });
});

test('a release that nobody confirms does not undo what the body did', async () => {
  const world = new FakeWorld();
  const client = world.client({ requestMs: 500 });
  const run = client.lock('a').do(() => {
    world.cluster.elect(null);
    return 42;
  });
  expect(await world.settle(run)).toBe(42);
  expect(world.warnings.join()).toContain('UNAVAILABLE');
  world.cluster.elect('n2');
  await world.run(2_000);
  expect(world.standing('a').holders).toBe(0);
});

test('a body may release early', async () => {
  const world = new FakeWorld();
  const run = world
    .client()
    .lock('a')
    .do(async (grant) => grant.release());
  expect(await world.settle(run)).toBe(true);
});
