import { describe, expect, test } from 'vitest';
import { decodeClientMessages, decodeNodeMessages } from '../../src/wire/client.ts';
import { Fifo } from '../../src/client/fifo.ts';
import { Sequence, WINDOW_MAX } from '../../src/client/sequence.ts';
import { LeaseClock } from '../../src/client/lease-clock.ts';
import { FakeWorld } from './fake-world.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('numbers of a session', () => {
  test('R-77 ackedBelow is the smallest undecided number', () => {
    const sequence = new Sequence();
    expect([1, 2, 3].map(() => sequence.admit())).toEqual([1, 2, 3]);
    expect(sequence.ackedBelow()).toBe(1);
    sequence.settle(2);
    expect(sequence.ackedBelow()).toBe(1);
    sequence.settle(1);
    expect(sequence.ackedBelow()).toBe(3);
    sequence.settle(3);
    expect(sequence.ackedBelow()).toBe(4);
  });

  test('R-77 an undecided request holds the window of 4,096', () => {
    const sequence = new Sequence();
    for (let seq = 1; seq <= WINDOW_MAX; seq++) {
      expect(sequence.admit()).toBe(seq);
      if (seq > 1) sequence.settle(seq);
    }
    expect(sequence.admit()).toBe(null);
    sequence.settle(1);
    expect(sequence.admit()).toBe(WINDOW_MAX + 1);
  });

  test('G7 ten thousand locks at once: each granted, never more than a node takes', async () => {
    const world = new FakeWorld();
    const client = world.client({ ttlMs: 60_000, requestMs: 60_000 });
    await world.settle(client.lock('warm').acquire());
    let inFlight = 0;
    let most = 0;
    world.network.fate = (frame, _address, isToNode) => {
      if (!isToNode) return 'pass';
      const messages = decodeClientMessages(frame);
      inFlight = messages.filter((message) => message.type === 'command').length;
      most = Math.max(most, inFlight);
      return 'pass';
    };
    const names = Array.from({ length: 9_000 }, (_, at) => `n${at}`);
    const grants = await world.settle(
      Promise.all(names.map((name) => client.lock(name).acquire())),
    );
    expect(new Set(grants.map((grant) => grant.token)).size).toBe(9_000);
    expect([most, world.cluster.count('acquire', 'WINDOW')]).toEqual([1_000, 0]);
    expect(world.cluster.locks.lockCount()).toBe(9_001);
    await world.settle(client.close());
  });

  test('R-77 a grant that the news told of is acknowledged, though its own answer is lost', async () => {
    const world = new FakeWorld();
    const [holder, client] = [world.client(), world.client()];
    const first = await world.settle(holder.lock('a').acquire());
    await world.settle(client.lock('warm').acquire());
    let ackedBelow = 0;
    world.network.fate = (frame, _address, isToNode) => {
      if (!isToNode) return decodeNodeMessages(frame)[0]?.type === 'reply' ? 'lose' : 'pass';
      for (const message of decodeClientMessages(frame)) {
        if (message.type === 'command') ackedBelow = Math.max(ackedBelow, message.ackedBelow);
      }
      return 'pass';
    };
    const waiting = client.lock('a').acquire();
    await world.run(50);
    first.release().catch(() => {});
    const { token } = await world.settle(waiting);
    expect(token).toBeGreaterThan(first.token);
    const next = client.lock('b').acquire();
    await world.run(50);
    expect(ackedBelow).toBe(3);
    next.catch(() => {});
  });

  test('R-77 what was given up is acknowledged once its cancel is decided, or if never applied', async () => {
    const world = new FakeWorld();
    const [holder, client] = [world.client(), world.client({ requestMs: 500 })];
    await world.settle(holder.lock('a').acquire());
    await world.settle(client.lock('warm').acquire());
    await world.error(client.lock('a').acquire({ waitMs: 10 }));
    await world.run(10);
    const node = world.cluster.node('n1');
    node.refusal = { code: 'OVERLOADED', message: 'too much' };
    await world.error(client.lock('b').tryAcquire());
    node.isLate = true;
    node.refusal = { code: 'OUTCOME_UNKNOWN', message: 'lost' };
    await world.error(client.lock('b').tryAcquire());
    node.refusal = null;
    await world.run(2_000);
    await world.settle(client.lock('c').acquire());
    await world.settle(client.lock('d').acquire());
    const last = world.cluster.applied.at(-1)?.command;
    // 1 warm, 2 given up in the queue, 3 its cancel, 4 never applied, 5 in doubt, 6 its cancel.
    expect(last).toMatchObject({ op: 'acquire', seq: 8, ackedBelow: 8 });
  });

  test('bytes in flight are given back, whatever the number of requests', async () => {
    const world = new FakeWorld();
    const client = world.client();
    const meta = { text: 'x'.repeat(4_000) };
    for (let round = 0; round < 400; round++) {
      const grant = await world.settle(client.lock('a').acquire({ meta }), 1_000);
      await world.settle(grant.release());
    }
    expect(world.cluster.count('acquire', 'GRANTED')).toBe(400);
  });

  test('a waiter that stands for long does not stop other requests', async () => {
    const world = new FakeWorld();
    const [holder, client] = [world.client(), world.client()];
    await world.settle(holder.lock('a').acquire());
    const waiting = client.lock('a').acquire({ waitMs: Infinity });
    waiting.catch(() => {});
    for (let round = 0; round < WINDOW_MAX / 64 + 2; round++) {
      const names = Array.from({ length: 64 }, (_, at) => `n${at}`);
      const grants = await world.settle(Promise.all(names.map((n) => client.lock(n).acquire())));
      await world.settle(Promise.all(grants.map((grant) => grant.release())));
    }
    expect(world.standing('a').waiters).toBe(1);
    await world.settle(client.close());
  });
});

describe('refusals', () => {
  test('OVERLOADED is tried again with growing pauses, and succeeds', async () => {
    const world = new FakeWorld();
    const client = world.client();
    await world.settle(client.lock('warm').acquire());
    const node = world.cluster.node('n1');
    node.refusal = { code: 'OVERLOADED', message: 'too much' };
    const before = world.network.frames;
    const acquiring = client.lock('a').acquire();
    await world.run(3_000);
    const tries = world.network.frames - before;
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(20);
    node.refusal = null;
    expect((await world.settle(acquiring)).held()).toBe(true);
  });

  test('OVERLOADED to the last is told as such, with the outcome none', async () => {
    const world = new FakeWorld();
    const client = world.client({ requestMs: 500 });
    await world.settle(client.lock('warm').acquire());
    world.cluster.node('n1').refusal = { code: 'OVERLOADED', message: 'the disk is full' };
    for (const attempt of [
      client.lock('a').acquire({ waitMs: 500 }),
      client.lock('a').tryAcquire(),
    ]) {
      const error = await world.error(attempt);
      expect(error).toMatchObject({ code: 'OVERLOADED', outcome: 'none' });
      expect(error.message).toContain('the disk is full');
    }
  });

  test('a command without an answer is OUTCOME_UNKNOWN, a question UNAVAILABLE', async () => {
    const world = new FakeWorld();
    const client = world.client({ requestMs: 500 });
    await world.settle(client.ready(1_000));
    world.network.fate = (_frame, _address, isToNode) => (isToNode ? 'pass' : 'lose');
    const broken = await world.error(client.break('a', { token: 1, reason: 'r' }));
    expect(broken.code).toBe('OUTCOME_UNKNOWN');
    expect((await world.error(client.inspect('a'))).code).toBe('UNAVAILABLE');
    expect(broken.message).toContain('500 ms');
  });

  test('a break whose answer was lost finds no such grant the second time: done', async () => {
    const world = new FakeWorld();
    const [client, ops] = [world.client(), world.client()];
    const { token } = await world.settle(client.lock('a').acquire());
    await world.settle(ops.ready(1_000));
    const node = world.cluster.node('n1');
    node.refusal = { code: 'OUTCOME_UNKNOWN', message: 'lost' };
    node.isLate = true;
    const breaking = ops.break('a', { token, reason: 'stuck' });
    await world.run(100);
    node.refusal = null;
    await world.settle(breaking);
    const again = await world.error(ops.break('a', { token, reason: 'stuck' }));
    expect(again.code).toBe('NOT_HOLDER');
  });

  test('D12 inspect and list show holders, waiters and a revision', async () => {
    const world = new FakeWorld();
    const client = world.client({ name: 'billing', meta: { host: 'h1' } });
    const grant = await world.settle(client.lock('a/1').acquire({ meta: { job: 7 } }));
    await world.settle(client.lock('b/1').acquire());
    const lock = await world.settle(client.inspect('a/1'));
    expect(lock).toMatchObject({ holder: { token: grant.token, meta: { job: 7 } }, waiters: [] });
    expect(lock.waiterCount).toBe(0);
    expect(lock.holder?.leaseLeftMs).toBeGreaterThan(14_000);
    const { id } = client.session;
    const seen = await world.settle(client.inspectSession(id ?? ''));
    expect(seen).toMatchObject({ session: id, held: 2, meta: { host: 'h1' } });
    const all = await world.settle(client.listSessions());
    expect(all.sessions).toMatchObject([{ session: id, meta: { host: 'h1' } }]);
    expect(lock.revision).toBe(world.cluster.revision);
    expect((await world.settle(client.inspect('free'))).holder).toBe(null);
    const page = await world.settle(client.list({ prefix: 'a/' }));
    expect(page.locks.map((each) => each.name)).toEqual(['a/1']);
    expect((await world.settle(client.list({ limit: 1 }))).hasMore).toBe(true);
    const waiting = world.client({ name: 'next' }).lock('a/1').acquire();
    waiting.catch(() => {});
    await world.run(100);
    expect((await world.settle(client.inspect('a/1'))).waiterCount).toBe(1);
  });
});

describe('small parts', () => {
  test('a queue keeps its order through put-backs and removals', () => {
    const queue = new Fifo<number>();
    for (let item = 0; item < 3_000; item++) queue.push(item);
    for (let count = 0; count < 2_500; count++) queue.shift();
    queue.putBack([7, 8]);
    queue.keep((item) => item !== 8 && item < 2_503);
    expect([queue.size, queue.peek()]).toEqual([4, 7]);
    expect(queue.takeAll()).toEqual([7, 2_500, 2_501, 2_502]);
  });

  test('the lease clock counts a suspend once it looks, and never goes back', () => {
    const clock = new VirtualClock();
    const lease = new LeaseClock(clock);
    const start = lease.nowUs();
    clock.suspend(1_000);
    expect(lease.nowUs()).toBe(start);
    expect(lease.lookUs()).toBe(start + 1_010_000);
    clock.suspend(-10);
    expect(lease.lookUs()).toBe(start + 1_010_000);
  });
});
