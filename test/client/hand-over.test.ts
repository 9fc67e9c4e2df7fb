// A grant that goes from one process to another by its text.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Grant } from '../../src/client/grant.ts';
import { FakeWorld } from './fake-world.ts';

async function handed(): Promise<{ world: FakeWorld; giver: Client; grant: Grant; text: string }> {
  const world = new FakeWorld();
  const giver = world.client({ ttlMs: 3_000 });
  const grant = await world.settle(giver.lockAll(['a', 'b']).acquire());
  return { world, giver, grant, text: grant.handOver() };
}

describe('the giver', () => {
  test('believes no more from then on, sends nothing and keeps its session', async () => {
    const { world, giver, grant } = await handed();
    expect([grant.held(), grant.signal.reason]).toMatchObject([false, { code: 'HANDED_OVER' }]);
    const error = await world.error(grant.release());
    expect([error.code, error.cause]).toMatchObject(['LOCK_LOST', { code: 'HANDED_OVER' }]);
    expect(() => grant.handOver()).toThrow('LOCK_LOST');
    await world.run(20_000);
    expect([world.standing('a').holders, giver.session.signal.aborted]).toEqual([1, false]);
    expect(world.cluster.count('release')).toBe(0);
  });

  test('H3 gives back what is its own when it closes, and leaves the session to the taker', async () => {
    const { world, giver, text } = await handed();
    const own = await world.settle(giver.lock('own').acquire());
    const other = world.client();
    await world.settle(other.lock('busy').acquire());
    const waiting = world.error(giver.lock('busy').acquire({ waitMs: Infinity }));
    await world.run(50);
    const taken = await world.settle(world.client().takeOver(text));
    await world.settle(giver.close(), 100);
    expect([(await waiting).code, own.signal.reason]).toMatchObject(['CLOSED', { code: 'CLOSED' }]);
    expect([world.standing('own'), world.standing('busy')]).toEqual([
      { holders: 0, waiters: 0 },
      { holders: 1, waiters: 0 },
    ]);
    expect(world.cluster.count('closeSession')).toBe(0);
    await world.run(30_000);
    expect([taken.held(), world.standing('a').holders]).toEqual([true, 1]);
  });

  test('do that handed its grant over is no loss', async () => {
    const world = new FakeWorld();
    const texts: string[] = [];
    const done = world
      .client()
      .lock('a')
      .do((grant) => {
        texts.push(grant.handOver());
        return 42;
      });
    expect(await world.settle(done)).toBe(42);
    const taken = await world.settle(world.client().takeOver(texts[0] ?? ''));
    expect([taken.held(), taken.name]).toEqual([true, 'a']);
  });
});

describe('the taker', () => {
  test('H3 holds with the same token over connections of its own, and gives it back once', async () => {
    const { world, grant, text } = await handed();
    const taker = world.client();
    const taken = await world.settle(taker.takeOver(text));
    expect([taken.token, taken.names, taken.held()]).toEqual([grant.token, ['a', 'b'], true]);
    expect(taker.grants()).toEqual([taken]);
    for (const node of world.cluster.nodes) node.restart();
    await world.run(5_000);
    expect(taken.held()).toBe(true);
    expect(await world.settle(taken.release())).toBe(true);
    expect([world.standing('a').holders, world.standing('b').holders]).toEqual([0, 0]);
    expect([taken.held(), taker.grants()]).toEqual([false, []]);
  });

  test('renews the session when the giver is dead, until it has nothing of it', async () => {
    const { world, giver, text } = await handed();
    const session = giver.session.id ?? '';
    const taker = world.client();
    const taken = await world.settle(taker.takeOver(text));
    await world.settle(giver.close());
    await world.run(60_000);
    expect([taken.held(), world.cluster.locks.session(session) !== null]).toEqual([true, true]);
    await world.settle(taken.release());
    await world.run(5_000);
    expect(world.cluster.locks.session(session)).toBe(null);
    await world.settle(taker.close());
    world.cluster.expires = false;
    await world.run(60_000);
    expect([world.clock.pending(), world.network.openLinks()]).toEqual([0, 0]);
  });

  test('believes nothing before a renewal was confirmed', async () => {
    const { world, text } = await handed();
    const taker = world.client();
    await world.settle(taker.ready(1_000));
    for (const node of world.cluster.nodes) node.deafness = Infinity;
    const taking = taker.takeOver(text);
    let isTaken = false;
    void taking.then(() => (isTaken = true));
    await world.run(2_000);
    expect([isTaken, taker.grants()]).toEqual([false, []]);
    for (const node of world.cluster.nodes) node.deafness = 0;
    expect((await world.settle(taking)).remainingMs()).toBeLessThanOrEqual(2_941);
  });

  test('hears of a break like any holder', async () => {
    const { world, text } = await handed();
    const taken = await world.settle(world.client().takeOver(text));
    const breaking = world.client({ name: 'ops' });
    await world.settle(breaking.break('a', { token: taken.token, reason: 'stuck' }));
    await world.run(5);
    expect(taken.signal.reason).toMatchObject({ code: 'BROKEN' });
    expect((await world.error(taken.release())).code).toBe('LOCK_LOST');
  });

  test('gives back what it holds when it closes, by its own commands', async () => {
    const { world, giver, text } = await handed();
    const taker = world.client();
    const taken = await world.settle(taker.takeOver(text));
    await world.settle(taker.close(), 100);
    expect(taken.signal.reason).toMatchObject({ code: 'CLOSED' });
    expect([world.standing('a').holders, giver.session.signal.aborted]).toEqual([0, false]);
    expect([world.cluster.count('closeSession'), world.cluster.count('release')]).toEqual([0, 1]);
  });

  test('C1 a release whose answer is lost is sent again, and is no error', async () => {
    const { world, text } = await handed();
    const taken = await world.settle(world.client().takeOver(text));
    const node = world.cluster.node('n1');
    node.refusal = { code: 'OUTCOME_UNKNOWN', message: 'stepped down' };
    node.isLate = true;
    const releasing = taken.release();
    await world.run(20);
    node.refusal = null;
    expect(await world.settle(releasing)).toBe(true);
    expect(world.cluster.count('release', 'NOT_HOLDER')).toBeGreaterThan(0);
  });

  test('C1 a late repetition frees nothing that was granted since', async () => {
    const { world, text } = await handed();
    const taken = await world.settle(world.client().takeOver(text));
    const node = world.cluster.node('n1');
    node.refusal = { code: 'OUTCOME_UNKNOWN', message: 'stepped down' };
    node.isLate = true;
    const releasing = taken.release();
    await world.run(5);
    const session = world.cluster.apply({
      op: 'openSession',
      nonce: 'abcdefghijklmnop',
      ttlMs: 60_000,
      lockDelayMs: 0,
      name: 'x',
      meta: '{}',
      stampMs: 0,
    });
    if (session.code !== 'OPENED') throw new Error('not opened');
    world.cluster.apply({
      op: 'acquire',
      session: session.session,
      seq: 1,
      ackedBelow: 1,
      bodyHash: 1,
      items: [{ name: 'a', mode: 'exclusive', permits: null }],
      waitMs: 0,
      meta: '{}',
      value: null,
      stampMs: 0,
    });
    node.refusal = null;
    expect(await world.settle(releasing)).toBe(true);
    expect(world.standing('a').holders).toBe(1);
  });

  test('two grants of one session are renewed together, and each is given back for itself', async () => {
    const { world, giver, text } = await handed();
    const second = await world.settle(giver.lock('c').acquire());
    const taker = world.client();
    const [one, two] = await world.settle(
      Promise.all([taker.takeOver(text), taker.takeOver(second.handOver())]),
    );
    await world.settle(giver.close());
    await world.settle(one?.release() ?? Promise.reject(new Error('not taken')));
    await world.run(20_000);
    expect([two?.held(), world.standing('a').holders]).toEqual([true, 0]);
  });

  test('who takes the same grant twice has two handles of it', async () => {
    const { world, text } = await handed();
    const taker = world.client();
    const one = await world.settle(taker.takeOver(text));
    const two = await world.settle(taker.takeOver(text));
    await world.settle(one.release());
    expect([two.held(), world.standing('a').holders]).toEqual([true, 1]);
    await world.settle(two.release());
    expect(world.standing('a').holders).toBe(0);
  });

  test('the giver may take it back, and may be handed it on', async () => {
    const { world, giver, grant, text } = await handed();
    const back = await world.settle(giver.takeOver(text));
    expect([back.token, back.held()]).toEqual([grant.token, true]);
    const taken = await world.settle(world.client().takeOver(back.handOver()));
    expect((await world.settle(world.client().takeOver(taken.handOver()))).held()).toBe(true);
  });
});

describe('what cannot be taken over', () => {
  test('a grant that was given back, a session that is gone, another cluster', async () => {
    const { world, giver, text } = await handed();
    const taker = world.client();
    const taken = await world.settle(taker.takeOver(text));
    await world.settle(taken.release());
    expect((await world.error(taker.takeOver(text))).code).toBe('NOT_HOLDER');
    world.cluster.expire(giver.session.id ?? '');
    expect((await world.error(taker.takeOver(text))).code).toBe('SESSION_GONE');
    const elsewhere = new FakeWorld();
    elsewhere.cluster.clusterId = 'c2';
    expect((await elsewhere.error(elsewhere.client().takeOver(text))).code).toBe('CLUSTER_CHANGED');
  });

  test('no node answers: UNAVAILABLE after requestMs, and nothing is left running', async () => {
    const { world, text } = await handed();
    for (const node of world.cluster.nodes) node.stop();
    const taker = world.client({ requestMs: 2_000 });
    expect((await world.error(taker.takeOver(text), 2_000)).code).toBe('UNAVAILABLE');
    await world.settle(taker.close());
  });

  test('the client is closed meanwhile or was before', async () => {
    const { world, text } = await handed();
    for (const node of world.cluster.nodes) node.deafness = Infinity;
    const taker = world.client();
    const error = world.error(taker.takeOver(text));
    await world.run(100);
    await world.settle(taker.close());
    expect((await error).code).toBe('CLOSED');
    expect((await world.error(taker.takeOver(text))).code).toBe('CLOSED');
  });

  test('garbage is INVALID, field by field', async () => {
    const { world, text } = await handed();
    const taker = world.client();
    const fields: unknown = JSON.parse(text);
    if (!Array.isArray(fields)) throw new Error('not an array');
    const spoilt = fields.map((_, at) => JSON.stringify(fields.with(at, { no: 1 })));
    const texts = ['', '{}', '[]', 'null', 'a', '["holdfast-session",1]', text.slice(1), ...spoilt];
    for (const each of [...texts, JSON.stringify([...fields, 1])]) {
      expect([each, (await world.error(taker.takeOver(each))).code]).toEqual([each, 'INVALID']);
    }
  });
});
