import { expect, onTestFinished, test, vi } from 'vitest';
import type { Link } from '../../src/ports/transport.ts';
import { openWsWorld, until } from './ws-world.ts';
import type { WsWorld } from './ws-world.ts';

// Before the transport is loaded, which takes Node's timers then.
const { set, clear } = vi.hoisted(() => ({
  set: vi.spyOn(globalThis, 'setInterval'),
  clear: vi.spyOn(globalThis, 'clearInterval'),
}));

async function openWorld(): Promise<WsWorld> {
  const world = await openWsWorld();
  onTestFinished(() => world.end());
  await new Promise<unknown>((done) => world.listener.listen(() => {}, done));
  return world;
}

function dial(world: WsWorld): Promise<Link> {
  return new Promise((resolve, reject) => {
    world.dialer.dial(world.address(), 'client', (result) => {
      if (typeof result === 'string') reject(new Error(result));
      else resolve(result);
    });
  });
}

test('a transport without links keeps no timer, and with the next link has one', async () => {
  const running = (): number => set.mock.calls.length - clear.mock.calls.length;
  const world = await openWorld();
  const before = running();
  for (let round = 0; round < 3; round++) {
    const link = await dial(world);
    expect(running()).toBeGreaterThan(before);
    link.close('done');
    await until('no timer', () => running() === before);
  }
});
