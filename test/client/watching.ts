// What tests of watches do again and again.

import type { Client } from '../../src/client/client.ts';
import type { LockWatch, WatchNotice } from '../../src/client/watch.ts';
import { decodeNodeMessages } from '../../src/wire/client.ts';
import type { FakeWorld } from './fake-world.ts';

/** The next notices, as many as asked for; the loop is not left, so the watch goes on. */
export async function take(
  world: FakeWorld,
  watch: LockWatch,
  count: number,
): Promise<WatchNotice[]> {
  const iterator = watch[Symbol.asyncIterator]();
  const notices: WatchNotice[] = [];
  for (let each = 0; each < count; each++) {
    const { value, done } = await world.settle(iterator.next());
    if (done === true) throw new Error(`the watch ended after ${each} notices`);
    notices.push(value);
  }
  return notices;
}

/** So many grants and releases. */
export async function pulse(
  world: FakeWorld,
  client: Client,
  name: string,
  count = 1,
): Promise<void> {
  for (let each = 0; each < count; each++) {
    const grant = await world.settle(client.lock(name).acquire());
    await world.settle(grant.release());
  }
}

/** As other clients would, while no client reaches a node. */
export function pulseBehindTheScenes(world: FakeWorld, name: string, count: number): void {
  const { cluster } = world;
  const nonce = String(cluster.revision).padStart(16, 'A');
  const stampMs = 0;
  const open = { op: 'openSession', nonce, ttlMs: null, lockDelayMs: 0, name, meta: '{}' } as const;
  const opened = cluster.apply({ ...open, stampMs });
  if (opened.code !== 'OPENED') throw new Error(opened.code);
  const { session } = opened;
  for (let seq = 1; seq < count * 2; seq += 2) {
    const items = [{ name, mode: 'exclusive', permits: null }] as const;
    const numbers = { session, seq, ackedBelow: seq, bodyHash: seq };
    const wish = { items, waitMs: 0, meta: '{}', value: null, stampMs };
    const granted = cluster.apply({ op: 'acquire', ...numbers, ...wish });
    if (granted.code !== 'GRANTED') throw new Error(granted.code);
    const { token } = granted;
    cluster.apply({ op: 'release', ...numbers, seq: seq + 1, name, acquireSeq: seq, token });
  }
}

/** How many messages with events have gone to clients since. */
export function countEvents(world: FakeWorld): () => number {
  let count = 0;
  world.network.fate = (frame, _address, isToNode) => {
    if (!isToNode) {
      count += decodeNodeMessages(frame).filter(({ type }) => type === 'watchEvents').length;
    }
    return 'pass';
  };
  return () => count;
}

/** In their order. */
export const typesOf = (notices: readonly WatchNotice[]): string[] =>
  notices.map(({ type }) => type);
