// Every way to lose a lock, with nobody who listens: no unhandled rejection, no thrown timer.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Grant } from '../../src/client/grant.ts';
import { LOSS_CODES } from '../../src/client/loss.ts';
import { FakeWorld } from './fake-world.ts';
import { observed } from './observed.ts';

interface Scene {
  readonly world: FakeWorld;
  readonly client: Client;
  readonly grant: Grant;
}

type LossCode = (typeof LOSS_CODES)[number];

/** How each loss comes about. */
const WAYS: Readonly<Record<LossCode, (scene: Scene) => void>> = {
  SESSION_EXPIRED: ({ world, client }) => world.cluster.expire(client.session.id ?? ''),
  SESSION_ENDED: ({ world, client }) => {
    const session = client.session.id ?? '';
    world.cluster.apply({ op: 'endSession', session, by: 'op', reason: 'moved' });
  },
  SESSION_GONE: ({ world, client }) => {
    for (const node of world.cluster.nodes) node.push = () => {};
    world.cluster.expire(client.session.id ?? '');
  },
  UNAVAILABLE: ({ world }) => {
    for (const node of world.cluster.nodes) node.stop();
  },
  EVENT_LOOP_BLOCKED: ({ world }) => world.clock.block(20_000),
  CLUSTER_CHANGED: ({ world }) => world.cluster.wipe('c2'),
  BROKEN: ({ world, grant: { token } }) => {
    const session = null;
    world.cluster.apply({ op: 'break', name: 'a', token, session, by: 'op', reason: 'stuck' });
  },
  HOLD_OVER: () => {}, // by itself, after maxHoldMs
  HANDED_OVER: ({ grant }) => void grant.handOver(),
  CLOSED: ({ client }) => void client.close(),
};

const rejections: unknown[] = [];
const note = (reason: unknown): void => void rejections.push(reason);

beforeEach(() => {
  rejections.length = 0;
  process.on('unhandledRejection', note);
});

afterEach(() => {
  process.off('unhandledRejection', note);
});

async function scene(code: LossCode): Promise<Scene> {
  const world = new FakeWorld();
  const client = world.client();
  const limit = code === 'HOLD_OVER' ? { maxHoldMs: 5_000 } : {};
  const grant = await world.settle(client.lock('a').acquire(limit));
  return { world, client, grant };
}

describe.each(LOSS_CODES)('B7 %s', (code) => {
  test('with no listener anywhere: the process lives, the grant does not, one warning', async () => {
    const { world, client, grant } = await scene(code);
    const inner = grant.reenter();
    WAYS[code]({ world, client, grant });
    await world.run(60_000);
    expect([grant.held(), inner.held(), rejections]).toEqual([false, false, []]);
    expect(grant.signal.reason).toMatchObject({ code });
    expect(world.warnings.length).toBeLessThanOrEqual(1);
    await world.settle(grant[Symbol.asyncDispose]());
    expect((await world.error(inner.release())).cause).toMatchObject({ code });
    await world.settle(client.close());
    await world.run(60_000);
    expect(rejections).toEqual([]);
  });

  test('the first reason stays, and is told to all listeners once', async () => {
    const { world, client, grant } = await scene(code);
    const heard: unknown[] = [];
    for (let listener = 0; listener < 3; listener++) {
      grant.signal.addEventListener('abort', () => heard.push(grant.signal.reason));
    }
    WAYS[code]({ world, client, grant });
    await world.run(20_000);
    world.cluster.expire(client.session.id ?? '');
    await world.settle(client.close());
    await world.run(60_000);
    expect(heard).toHaveLength(3);
    for (const reason of heard) expect(reason).toMatchObject({ code });
  });

  test('what waits beside it is settled', async () => {
    const { world, client, grant } = await scene(code);
    const waiting = observed(client.lock('a').acquire({ waitMs: Infinity }));
    await world.run(20);
    WAYS[code]({ world, client, grant });
    await world.run(20_000);
    if (!waiting.isSettled) await world.settle(client.close());
    await world.run(2_000);
    expect([waiting.isSettled, rejections]).toEqual([true, []]);
  });
});

test('a listener that throws breaks no other listener and no other grant', async () => {
  const { world, client, grant } = await scene('SESSION_EXPIRED');
  const other = await world.settle(client.lock('b').acquire());
  const heard: string[] = [];
  const thrown: unknown[] = [];
  // Its error is its owner's own, and reaches the process as any error of a listener does.
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => thrown.push(error));
  try {
    client.session.signal.addEventListener('abort', () => {
      throw new Error('of the session');
    });
    grant.signal.addEventListener('abort', () => {
      throw new Error('of the grant');
    });
    grant.signal.addEventListener('abort', () => heard.push('a'));
    other.signal.addEventListener('abort', () => heard.push('b'));
    WAYS.SESSION_EXPIRED({ world, client, grant });
    await world.run(100);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
  expect([heard, thrown.map(String)]).toEqual([
    ['a', 'b'],
    ['Error: of the session', 'Error: of the grant'],
  ]);
  expect((await world.settle(client.lock('c').acquire())).held()).toBe(true);
});
