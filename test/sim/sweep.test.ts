// Gives up, or closes, after every single frame that a client sends or hears while it waits for a
// lock, holds it and gives it back, through the death of the leader (C10).

import { describe, expect, test } from 'vitest';
import { FoundedImages } from '../../sim/founded-images.ts';
import { valueOf } from '../../sim/cluster-client.ts';
import type { ClientProgram, TransportTap } from '../../sim/cluster-client.ts';
import { withLeader } from './scenario.ts';

const TTL_MS = 3_000;
const images = new FoundedImages();

/** Calls `strike` once, after the n-th frame of the process in either direction. */
function afterFrame(nth: number, strike: () => void): TransportTap {
  let seen = 0;
  const count = (): void => {
    if (seen++ === nth) strike();
  };
  return (transport) => ({
    ...transport,
    listen: (...args) => transport.listen(...args),
    close: (done) => transport.close(done),
    dial: (address, door, done) =>
      transport.dial(address, door, (link) => {
        done(link);
        if (typeof link === 'string') return;
        const { onFrame } = link;
        const send = link.send.bind(link);
        link.onFrame = (frame) => {
          onFrame(frame);
          count();
        };
        link.send = (frame) => {
          const isRoom = send(frame);
          count();
          return isRoom;
        };
      }),
  });
}

type Deed = (own: ClientProgram, controller: AbortController) => void;

interface Outcome {
  /** False once there were fewer frames than that. */
  readonly hasStruck: boolean;
  readonly ending: string;
}

/** One run that is struck after the n-th frame of the waiter; see the head of this file. */
async function struck(nth: number, crashMs: number, deed: Deed): Promise<Outcome> {
  const { cluster, leader } = await withLeader({ seed: 1, images });
  const one = cluster.client('one');
  const first = one.run(({ client }) => client.lock('a').acquire());
  await cluster.until('the first holder', () => first.isSettled);
  const controller = new AbortController();
  let hasStruck = false;
  let isBegun = false;
  const tap = afterFrame(nth, () => {
    if (!isBegun) return;
    hasStruck = true;
    const program = two.handle.program;
    if (program !== null) deed(program, controller);
  });
  const two = cluster.client('two', { ttlMs: TTL_MS }, {}, tap);
  const cycle = two.run(async (own) => {
    isBegun = true;
    const grant = await own.client.lock('a').acquire({ signal: controller.signal });
    await own.sleep(50);
    return grant.release();
  });
  await cluster.runFor(crashMs);
  cluster.node(leader).crash();
  const released = one.run(() => valueOf(first.value).release());
  await cluster.until('the end of the cycle', () => cycle.isSettled && released.isSettled);
  const answer = cycle.value;
  const ending = answer.isOk ? `released: ${answer.value}` : String(answer.error);
  // Within a round trip the lock is free and its queue empty; or within the TTL, when cut off.
  const three = cluster.client('three');
  const after = three.run(({ client }) => client.lock('a').acquire({ waitMs: 2 * TTL_MS }));
  await cluster.until('the lock for the next one', () => after.isSettled);
  expect([nth, ending, after.value.isOk]).toEqual([nth, ending, true]);
  const view = three.run(({ client }) => client.inspect('a'));
  await cluster.until('a look at the lock', () => view.isSettled);
  expect([nth, valueOf(view.value).holders.length, valueOf(view.value).waiterCount]).toEqual([
    nth,
    1,
    0,
  ]);
  return { hasStruck, ending };
}

/** All endings, and after how many frames the deed was done. */
async function sweep(deed: Deed): Promise<{ endings: ReadonlySet<string>; deeds: number }> {
  const endings = new Set<string>();
  let deeds = 0;
  for (const crashMs of [3, 20, 60]) {
    for (let nth = 0; ; nth++) {
      const { hasStruck, ending } = await struck(nth, crashMs, deed);
      endings.add(ending.replace('HoldfastError: ', '').slice(0, 8));
      if (!hasStruck) break;
      deeds++;
    }
  }
  return { endings, deeds };
}

describe('C10 after every frame', () => {
  test('of a waiter that gives up', async () => {
    const { endings, deeds } = await sweep((_own, controller) => controller.abort('enough'));
    expect([...endings].sort((one, other) => (one < other ? -1 : 1))).toEqual([
      'enough',
      'released',
    ]);
    expect(deeds).toBeGreaterThan(50);
  });

  test('of a client that closes', async () => {
    const { endings, deeds } = await sweep(({ client }) => void client.close());
    expect([...endings].sort((one, other) => (one < other ? -1 : 1))).toEqual([
      'CLOSED: ',
      'LOCK_LOS',
      'released',
    ]);
    expect(deeds).toBeGreaterThan(50);
  });
});
