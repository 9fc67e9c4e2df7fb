import { describe, expect, test } from 'vitest';
import { HoldfastError, describeValue } from '../../src/base/error.ts';
import type { Client } from '../../src/client/client.ts';
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

// Whatever a program in JavaScript may pass; JSON would lose NaN.
function loose<T>(value: unknown): T {
  const box: { value?: T } = {};
  Object.assign(box, { value });
  if (box.value === undefined) throw new Error('nothing was passed');
  return box.value;
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

const NUMBERS = [-1, 0.5, 123.45, NaN, -Infinity, Infinity, 2 ** 53, 1e300, '10', null, [1]];

describe('D8 D10 every number that is out of range is refused with its name, limits and value', () => {
  const options: readonly [string, string][] = [
    ['lockDelayMs', 'from 0 to 60000'],
    ['waitMs', 'from 0, or Infinity'],
    ['requestMs', 'from 1 to 86400000'],
    ['marginMs', 'from 0 to 7500'],
    ['maxHoldMs', 'from 1 to 86400000'],
  ];

  test.each(options)('%s of a client', (option, limits) => {
    const world = new FakeWorld();
    for (const value of wrong(option)) {
      const message = refusal(() => world.client({ [option]: value }));
      expect(message).toMatch(new RegExp(`^INVALID: ${option} must be .*${limits}`));
      expect(message).toContain(`(got ${describeValue(value)})`);
    }
    expect(world.network.dials).toBe(0);
  });

  type Call = (client: Client, value: unknown) => unknown;
  const lock = (client: Client) => client.lock('a');
  const calls: readonly [string, string, Call][] = [
    ['waitMs', 'of acquire', async (client, v) => lock(client).acquire({ waitMs: loose(v) })],
    ['waitMs', 'of do', async (client, v) => lock(client).do({ waitMs: loose(v) }, () => {})],
    ['maxHoldMs', 'of acquire', async (client, v) => lock(client).acquire({ maxHoldMs: loose(v) })],
    ['total', 'of a semaphore', (client, v) => client.semaphore('s', loose(v))],
    [
      'permits',
      'of a semaphore',
      async (client, v) => client.semaphore('s', 9).acquire({ permits: loose(v) }),
    ],
    [
      'permits',
      'of an item, taken',
      (client, v) => client.lockAll([{ name: 's', permits: [loose(v), 9] }]),
    ],
    ['total', 'of an item', (client, v) => client.lockAll([{ name: 's', permits: [1, loose(v)] }])],
    ['waitMs', 'of a campaign', (client, v) => client.election('e').campaign({ waitMs: loose(v) })],
    ['after', 'of a watch', (client, v) => client.watch({ after: loose(v) })],
    ['limit', 'of a list', (client, v) => client.list({ limit: loose(v) })],
    ['after', 'of a list of sessions', (client, v) => client.listSessions({ after: loose(v) })],
    ['limit', 'of a list of sessions', (client, v) => client.listSessions({ limit: loose(v) })],
    ['token', 'of a break', (client, v) => client.break('a', { token: loose(v), reason: 'x' })],
    ['drainMs', 'of close', (client, v) => client.close({ drainMs: loose(v) })],
  ];

  test.each(calls)('%s %s', async (option, _of, call) => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.ready(1_000));
    const frames = world.network.frames;
    for (const value of wrong(option)) {
      const error = await world.error((async () => call(client, value))(), 1);
      expect([error.code, error.details]).toEqual(['INVALID', { option }]);
      expect(error.message).toContain(`(got ${describeValue(value)})`);
    }
    await world.run(10);
    expect(world.network.frames).toBe(frames);
  });

  test('permits beyond the total, or beyond what one request may take', () => {
    const client = new FakeWorld().client();
    const item = (taken: number, total: number) => () =>
      client.lockAll([{ name: 's', permits: [taken, total] }]);
    expect(refusal(item(5, 4))).toContain('permits must be a whole number from 1 to 4');
    expect(refusal(item(1_025, 2_000))).toContain('from 1 to 1024');
    expect(refusal(item(1, 1_000_001))).toContain('total must be a whole number from 1 to 1000000');
    expect(refusal(() => client.lockAll([{ name: 's', permits: loose([1]) }]))).toContain('a pair');
  });
});

// Infinity and 0 mean something to some.
function wrong(option: string): unknown[] {
  const isWait = option === 'waitMs';
  return NUMBERS.filter((value) => !(isWait && value === Infinity));
}

describe('D11 options say what they mean', () => {
  type Call = (client: Client) => unknown;
  const wish = loose<{ waitMs: number }>({ timeout: 5 });
  const calls: readonly [string, string, Call][] = [
    ['tryAcquire', 'signal', (client) => client.lock('a').tryAcquire(loose(wish))],
    [
      'tryAcquire with a wait',
      'signal',
      (client) => client.lock('a').tryAcquire(loose({ waitMs: 5 })),
    ],
    ['do', 'waitMs', (client) => client.lock('a').do(wish, () => 1)],
    ['a semaphore', 'permits', (client) => client.semaphore('s', 2).acquire(wish)],
    [
      'a shared semaphore',
      'permits',
      (client) => client.semaphore('s', 2).acquire(loose({ mode: 'shared' })),
    ],
    ['an item', 'permits', (client) => client.lockAll([loose({ name: 'a', timeout: 5 })])],
    ['a campaign', 'value', (client) => client.election('e').campaign(wish)],
    ['an observer', 'signal', (client) => client.election('e').observe(loose(wish))],
    ['a watch', 'prefix', (client) => client.watch(loose(wish))],
    ['listSessions', 'after', (client) => client.listSessions(loose(wish))],
    [
      'break',
      'reason',
      (client) => client.break('a', loose({ token: 1, reason: 'x', timeout: 5 })),
    ],
  ];

  test.each(calls)(
    '%s refuses what does not exist, and tells what does',
    async (_what, one, call) => {
      const world = new FakeWorld();
      const client = world.client();
      const error = await world.error((async () => call(client))(), 1);
      expect([error.code, error.message]).toEqual(['INVALID', expect.stringContaining(one)]);
      expect(error.message).toContain('there is no option');
      expect(world.cluster.applied).toEqual([]);
    },
  );

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
