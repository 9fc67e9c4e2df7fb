// Nodes are stopped and started one after the other, the leader by handing over first: clients send
// what was refused to the new leader, at once, and nobody notices.

import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { FakeWorld } from './fake-world.ts';

const CLIENTS = 64;
const ELECTION_MS = 500;
const PAUSE_US = 200_000;

/** Takes and gives back a lock of its own until it is stopped; keeps how long each step took. */
async function work(world: FakeWorld, client: Client, name: string, state: State): Promise<void> {
  while (!state.isOver) {
    for (const step of ['acquire', 'release'] as const) {
      const beganMs = world.nowMs();
      if (step === 'acquire') state.grants.set(name, await client.lock(name).acquire());
      else await state.grants.get(name)?.release();
      state.longestMs = Math.max(state.longestMs, world.nowMs() - beganMs);
      state.steps++;
    }
    await new Promise<void>((resolve) => world.clock.after(PAUSE_US, resolve));
  }
}

interface State {
  isOver: boolean;
  longestMs: number;
  steps: number;
  readonly grants: Map<string, Awaited<ReturnType<ReturnType<Client['lock']>['acquire']>>>;
}

/** As a node does it that is told to stop: nothing more is admitted, then another one leads. */
async function restart(world: FakeWorld, nodeId: string, successor: string): Promise<void> {
  const { cluster } = world;
  const node = cluster.node(nodeId);
  if (cluster.leaderId === nodeId) {
    node.refusal = { code: 'NOT_LEADER', message: 'leadership is being handed over' };
    await world.run(60);
    cluster.elect(null);
    await world.run(20);
    cluster.elect(successor);
    node.refusal = null;
  }
  node.stop();
  await world.run(1_500);
  node.start();
  await world.run(300);
}

test('K a rolling restart under load of 64 clients fails no request and delays none for long', async () => {
  const world = new FakeWorld();
  const clients = Array.from({ length: CLIENTS }, () => world.client());
  const kept = await world.settle(
    Promise.all(clients.map((client, at) => client.lock(`kept/${at}`).acquire())),
  );
  const state: State = { isOver: false, longestMs: 0, steps: 0, grants: new Map() };
  const working = Promise.all(clients.map((client, at) => work(world, client, `l/${at}`, state)));
  await world.run(500);
  await restart(world, 'n1', 'n2');
  await restart(world, 'n2', 'n1');
  await restart(world, 'n3', 'n1');
  await restart(world, 'n1', 'n3');
  state.isOver = true;
  await world.settle(working);
  expect(state.steps).toBeGreaterThan(CLIENTS * 50);
  expect(state.longestMs).toBeLessThan(ELECTION_MS);
  expect(kept.every((grant) => grant.held())).toBe(true);
  expect(world.warnings).toEqual([]);
});
