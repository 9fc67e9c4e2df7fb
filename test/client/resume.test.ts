// A session that the next life of its process goes on with.

import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Outcome } from '../../src/locks/outcomes.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { ADDRESSES } from './fake-cluster.ts';
import { FakeWorld } from './fake-world.ts';
import { mortalClient } from './mortal.ts';
import type { Mortal } from './mortal.ts';

/** A process that holds "a", waits for "busy", and dies; its session was saved before. */
async function dead(): Promise<{ world: FakeWorld; former: Mortal; text: string; id: string }> {
  const world = new FakeWorld();
  const former = mortalClient(world);
  await world.settle(world.client().lock('busy').acquire());
  await world.settle(former.client.lock('a').acquire({ meta: { job: 7 } }));
  former.client
    .lock('busy')
    .acquire({ waitMs: Infinity })
    .catch(() => {});
  await world.run(50);
  const text = former.client.session.save();
  former.die();
  return { world, former, text, id: former.client.session.id ?? '' };
}

/** What the dead process asked for and what arrives only now. */
function lateAcquire(world: FakeWorld, session: string, seq: number): Outcome {
  return world.cluster.apply({
    op: 'acquire',
    session,
    seq,
    ackedBelow: 1,
    bodyHash: seq,
    items: [{ name: 'c', mode: 'exclusive', permits: null }],
    waitMs: null,
    meta: '{}',
    value: null,
    stampMs: 0,
  });
}

describe('a session that is resumed', () => {
  test('has its grants with their tokens, and waits for nothing any more', async () => {
    const { world, text, id } = await dead();
    expect(world.standing('busy')).toEqual({ holders: 1, waiters: 1 });
    const token = world.cluster.locks.inspect('a').holders[0]?.token;
    const client = world.client({ resume: text });
    await world.settle(client.ready(1_000));
    const [grant, ...others] = client.grants();
    expect([grant?.name, grant?.token, grant?.held(), others]).toEqual(['a', token, true, []]);
    expect(client.session.id).toBe(id);
    await world.run(20_000);
    expect([grant?.held(), world.standing('busy')]).toEqual([true, { holders: 1, waiters: 0 }]);
    expect(await world.settle(grant?.release() ?? Promise.resolve(false))).toBe(true);
    const next = await world.settle(client.lock('a').acquire());
    expect([next.held(), next.token > (token ?? 0)]).toEqual([true, true]);
    await world.settle(client.close());
    expect(world.cluster.locks.session(id)).toBe(null);
  });

  test('numbers its requests above all of its former life, and executes none of those late', async () => {
    const { world, text, id } = await dead();
    const seqs = world.cluster.applied.map(({ command }) => ('seq' in command ? command.seq : 0));
    const client = world.client({ resume: text });
    await world.settle(client.ready(1_000));
    await world.settle(client.lock('b').acquire());
    const mine = world.cluster.applied.slice(seqs.length).map(({ command }) => command);
    const least = Math.min(...mine.map((command) => ('seq' in command ? command.seq : Infinity)));
    expect(least).toBeGreaterThan(Math.max(...seqs) + 4_096);
    // What the dead process had sent, or would have within its window, comes only now.
    for (const seq of [3, 4_000, 4_098]) {
      expect(lateAcquire(world, id, seq).code).toBe('STALE_SEQ');
    }
    expect(world.standing('c')).toEqual({ holders: 0, waiters: 0 });
  });

  test('N-23b executes no late request of its former life, from ready on', async () => {
    const world = new FakeWorld();
    const former = mortalClient(world);
    await world.settle(former.client.lock('a').acquire());
    const id = former.client.session.id ?? '';
    const text = former.client.session.save();
    former.die();
    await world.settle(world.client({ resume: text }).ready(1_000));
    expect(lateAcquire(world, id, 2).code).toBe('STALE_SEQ');
    expect(world.standing('c')).toEqual({ holders: 0, waiters: 0 });
  });

  test('ends with its client, however early that is closed', async () => {
    for (let afterMs = 0; afterMs <= 8; afterMs++) {
      const { world, text, id } = await dead();
      const client = world.client({ resume: text });
      client.ready(1_000).catch(() => {});
      await world.run(afterMs);
      const isKnown = client.session.id === id;
      await world.settle(client.close());
      if (isKnown) expect([afterMs, world.cluster.locks.session(id)]).toEqual([afterMs, null]);
      expect(isKnown || afterMs < 8).toBe(true);
    }
  });

  test('is believed only from a renewal of its own on', async () => {
    const { world, text } = await dead();
    for (const node of world.cluster.nodes) node.deafness = Infinity;
    const client = world.client({ resume: text });
    const ready = client.ready(10_000);
    let isReady = false;
    void ready.then(() => (isReady = true));
    await world.run(3_000);
    expect([isReady, client.session.remainingMs(), client.grants()]).toEqual([false, 0, []]);
    for (const node of world.cluster.nodes) node.deafness = 0;
    const startMs = world.nowMs();
    await world.settle(ready);
    const askedMs = world.nowMs() - startMs;
    const leftMs = client.session.remainingMs();
    expect([leftMs > 14_000, leftMs <= 14_703 + askedMs]).toEqual([true, true]);
    expect(client.grants()[0]?.held()).toBe(true);
  });

  test('an acquire that is asked for meanwhile waits for it', async () => {
    const { world, text, id } = await dead();
    const client = world.client({ resume: text });
    const grant = await world.settle(client.lock('b').acquire());
    expect([grant.held(), client.session.id]).toEqual([true, id]);
    expect(world.cluster.count('openSession')).toBe(2);
  });

  test('finds its way through an election, lost frames and a leader that dies', async () => {
    for (let nth = 0; nth < 20; nth++) {
      const { world, text } = await dead();
      let seen = 0;
      world.network.fate = () => (seen++ === nth ? 'cut' : 'pass');
      const client = world.client({ resume: text });
      if (nth % 2 === 0) world.cluster.elect('n2');
      await world.settle(client.ready(20_000));
      expect([nth, client.grants().length]).toEqual([nth, 1]);
      await world.run(100);
      expect(world.standing('busy').waiters).toBe(0);
    }
  });

  test('has hundreds of grants back', async () => {
    const world = new FakeWorld();
    const former = mortalClient(world);
    const names = Array.from({ length: 1_500 }, (_, at) => `n${at}`);
    await world.settle(Promise.all(names.map((name) => former.client.lock(name).acquire())));
    const resume = former.client.session.save();
    former.die();
    const client = world.client({ resume });
    await world.settle(client.ready(5_000));
    expect(client.grants().map((grant) => grant.name)).toEqual(names);
  });

  test('is saved and resumed again', async () => {
    const { world, text } = await dead();
    const second = mortalClient(world, { resume: text });
    await world.settle(second.client.ready(1_000));
    await world.settle(second.client.lock('b').acquire());
    const again = second.client.session.save();
    second.die();
    const third = world.client({ resume: again });
    await world.settle(third.ready(1_000));
    expect(third.grants().map((grant) => grant.name)).toEqual(['a', 'b']);
  });
});

describe('a session that cannot be resumed', () => {
  test('C17 has expired: SESSION_GONE; its lock-delay keeps out its former holder too', async () => {
    const world = new FakeWorld();
    const former = mortalClient(world, { lockDelayMs: 30_000 });
    await world.settle(former.client.lock('a').acquire());
    const resume = former.client.session.save();
    former.die();
    world.cluster.expire(former.client.session.id ?? '');
    const client = world.client({ resume });
    expect((await world.error(client.ready(1_000))).code).toBe('SESSION_GONE');
    expect(client.grants()).toEqual([]);
    // The client goes on with a session of its own, which waits like any other.
    expect(await world.settle(client.lock('a').tryAcquire())).toBe(null);
    expect((await world.settle(client.lock('b').acquire())).held()).toBe(true);
  });

  test('ended by an operator between the renewal and the rest', async () => {
    for (let nth = 0; nth < 12; nth++) {
      const { world, text, id } = await dead();
      let seen = 0;
      world.network.fate = (_frame, _address, isToNode) => {
        if (isToNode && seen++ === nth) {
          world.cluster.apply({ op: 'endSession', session: id, by: 'op', reason: 'gone' });
        }
        return 'pass';
      };
      const client = world.client({ resume: text });
      const ending = client.ready(5_000).then(
        () => 'ready',
        (error: unknown) => String(error),
      );
      const said = await world.settle(ending);
      if (said !== 'ready') expect(said).toMatch(/SESSION_GONE|SESSION_ENDED/);
      else await world.run(100);
      expect([nth, client.grants()]).toEqual([nth, seen > nth ? [] : client.grants()]);
    }
  });

  test('C18 of another cluster: CLUSTER_CHANGED at once', async () => {
    const { world, text } = await dead();
    world.cluster.wipe('c2');
    await world.run(5_000);
    const client = world.client({ resume: text });
    expect((await world.error(client.ready(10_000), 100)).code).toBe('CLUSTER_CHANGED');
  });

  test('no node answers: UNAVAILABLE when the patience of connect is over', async () => {
    const { world, text } = await dead();
    for (const node of world.cluster.nodes) node.deafness = Infinity;
    const client = world.client({ resume: text });
    expect((await world.error(client.ready(2_000))).code).toBe('UNAVAILABLE');
    await world.settle(client.close());
  });

  test('garbage is INVALID before anything is dialled', async () => {
    const { world, text } = await dead();
    const { clock, network: transport } = world;
    const dials = transport.dials;
    const ports = { clock, transport, random: { u32: () => 1 }, logger: silentLogger };
    for (const resume of ['', 'x', '[]', text.slice(2), text.replace('1,', '2,')]) {
      expect(() => createClient(ports, { nodes: ADDRESSES, resume })).toThrow('INVALID');
    }
    expect(transport.dials).toBe(dials);
  });

  test('there is none to save yet, or none any more', async () => {
    const world = new FakeWorld();
    const client = world.client();
    expect(() => client.session.save()).toThrow('SESSION_GONE');
    await world.settle(client.lock('a').acquire());
    const { session } = client;
    await world.settle(client.close());
    expect(() => session.save()).toThrow('CLOSED');
  });
});
