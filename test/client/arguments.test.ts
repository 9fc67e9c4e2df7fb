import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/base/error.ts';
import type { Meta } from '../../src/client/options.ts';
import { FakeWorld } from './fake-world.ts';

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (HoldfastError.is(error) && error.code === 'INVALID') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

// JSON text carries what the types forbid, as a program in JavaScript may pass it.
function untyped<T>(value: unknown): T {
  return JSON.parse(JSON.stringify({ value })).value;
}

describe('D8 D10 a TTL that is none is refused before anything is sent', () => {
  const refused = [0, -1, 0.5, 123.45, NaN, Infinity, 2 ** 31, 2 ** 53, 1e15, 999, 86_400_001];
  test.each(refused)('ttlMs %s', (ttlMs) => {
    const world = new FakeWorld();
    const message = refusal(() => world.client({ ttlMs }));
    expect(message).toContain('ttlMs must be a whole number from 1000 to 86400000, or null');
    expect(message).toContain(`got ${ttlMs}, a number`);
    expect(world.network.dials).toBe(0);
  });

  test('ttlMs "5000" is a string', () => {
    const world = new FakeWorld();
    const message = refusal(() => world.client({ ttlMs: untyped('5000') }));
    expect(message).toContain('got "5000", a string');
  });

  test.each([1_000, 15_000, 86_400_000, null])('ttlMs %s is taken', async (ttlMs) => {
    const world = new FakeWorld();
    const client = world.client({ ttlMs });
    expect(world.network.dials).toBe(3);
    await world.settle(client.close());
  });

  test('what the cluster does not allow comes back with its limits', async () => {
    const world = new FakeWorld();
    const client = world.client({ ttlMs: 86_400_000 });
    const error = await world.error(client.lock('a').acquire());
    expect(error.code).toBe('INVALID');
    expect(error.message).toMatch(/1,?000.*600,?000.*86,?400,?000/);
    expect(world.cluster.locks.sessionCount()).toBe(0);
  });

  test('a TTL that a fail-over may outlast is taken with a warning', () => {
    const world = new FakeWorld();
    world.client({ ttlMs: 1_000 });
    expect(world.warnings.join()).toContain('ttlMs 1000');
    world.client({ ttlMs: 3_000 });
    expect(world.warnings).toHaveLength(1);
  });
});

describe('D11 options say what they mean', () => {
  test('a bare timeout does not exist, in no call', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const wrong = { timeout: 5 };
    expect(refusal(() => world.client(untyped(wrong)))).toContain('no option "timeout"');
    expect((await world.error(client.lock('a').acquire(untyped(wrong)))).message).toContain(
      'waitMs',
    );
    expect((await world.error(client.list(untyped(wrong)))).code).toBe('INVALID');
    expect((await world.error(client.close(untyped(wrong)))).code).toBe('INVALID');
  });

  test('waitMs does not limit how long the lock is held', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const grant = await world.settle(client.lock('a').acquire({ waitMs: 10 }));
    await world.run(100_000);
    expect(grant.held()).toBe(true);
  });
});

describe('arguments', () => {
  test.each([
    [[], '0 addresses'],
    [['n1'], '"n1"'],
    [['a:1', 'a:1'], '"a:1"'],
    [Array.from({ length: 8 }, (_, at) => `a:${at}`), '8 addresses'],
  ])('nodes %j are refused', (nodes, shown) => {
    expect(refusal(() => new FakeWorld().client({ nodes }))).toContain(shown);
  });

  test.each(['', '.', '..', 'a\u0000b', '\ud800', 'x'.repeat(513)])('name %j', (name) => {
    const client = new FakeWorld().client();
    expect(refusal(() => client.lock(name))).toContain('name');
  });

  test('lockAll wants 1 to 64 different names', () => {
    const client = new FakeWorld().client();
    expect(refusal(() => client.lockAll([]))).toContain('1 to 64');
    expect(refusal(() => client.lockAll(['a', 'a']))).toContain('differ');
    const many = Array.from({ length: 65 }, (_, at) => `n${at}`);
    expect(refusal(() => client.lockAll(many))).toContain('1 to 64');
  });

  test.each([-1, 0.5, NaN, 2 ** 53, '10'])('waitMs %s', async (waitMs) => {
    const world = new FakeWorld();
    const client = world.client();
    const error = await world.error(client.lock('a').acquire({ waitMs: untyped(waitMs) }));
    expect(error.message).toContain('waitMs must be');
  });

  test('metadata beyond 4 KiB, or that is no JSON, is refused', async () => {
    const world = new FakeWorld();
    const lock = world.client().lock('a');
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    for (const meta of [{ text: 'x'.repeat(4_096) }, loop, untyped<Meta>([])]) {
      expect((await world.error(lock.acquire({ meta }))).message).toContain('meta must be');
    }
    expect(world.cluster.count('acquire')).toBe(0);
  });
});
