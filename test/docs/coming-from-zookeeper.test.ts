// The code of docs/coming-from-zookeeper.md on a real cluster.

import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { memoryFence } from '../../src/fence.ts';
import { HoldfastError, connect } from '../../src/index.ts';
import type { Client, Leadership } from '../../src/index.ts';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { closedDoor, functionOf } from './coming-from.ts';
import { blocksOf, execute } from './snippets.ts';

const text = readFileSync(new URL('../../docs/coming-from-zookeeper.md', import.meta.url), 'utf8');
const [states = '', selector = '', leading = '', ...more] = blocksOf(text, 'ts');
const [printed = ''] = blocksOf(text, 'text');

describe('docs/coming-from-zookeeper.md', () => {
  let cluster: LocalCluster;
  let clients: Client[] = [];
  beforeAll(async () => void (cluster = await localCluster({ nodes: 3 })));
  afterAll(() => cluster.stop());
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  });
  const open = async (name: string, ttlMs = 15_000): Promise<Client> => {
    const nodes = cluster.addresses;
    const client = await connect({ nodes, name, ttlMs, logger: silentLogger });
    clients.push(client);
    return client;
  };

  test('has no other code than what is run here', () => expect(more).toEqual([]));

  test('shows what a holder sees while nodes go and come', async () => {
    const lines: string[] = [];
    const log = (...words: unknown[]): void => void lines.push(words.join(' '));
    await execute(states, { client: await open('holder', 5_000), cluster, log });
    expect(`${lines.join('\n')}\n`).toBe(printed);
    await Promise.all(cluster.ids.map((id) => cluster.restart(id)));
  });

  /** A candidate whose commands the test gives. */
  async function candidate(name: string, turn: (by: string) => void, isDeaf = false) {
    const client = await open(name);
    const stop = new AbortController();
    const queue = new Commands();
    const fence = { write: guard.write };
    const commands = (signal: AbortSignal): AsyncIterable<string> =>
      queue.until(isDeaf ? stop.signal : signal);
    const take = await functionOf(leading, 'takeLeadership', {
      ...{ fence, commands, turn: () => turn(name) },
    });
    const led: Leadership[] = [];
    const run = await functionOf(selector, 'leaderSelector', { HoldfastError });
    const done = run({
      ...{ client, name: 'valve', value: name, signal: stop.signal },
      takeLeadership: (leadership: Leadership, signal: AbortSignal) => {
        led.push(leadership);
        return take(leadership, signal);
      },
    });
    return { client, led, queue, done, stop: () => stop.abort() };
  }
  let guard = memoryFence();

  test('shows a leader that is followed by the next one, and comes again', async () => {
    guard = memoryFence();
    const turns: string[] = [];
    const looking = await open('looking');
    const first = await candidate('first', (by) => turns.push(by));
    await expect.poll(() => first.led.length).toBe(1);
    const second = await candidate('second', (by) => turns.push(by));
    first.queue.give();
    await expect.poll(() => turns).toEqual(['first']);

    const waiting = async (): Promise<number> => (await looking.inspect('valve')).waiterCount;
    await expect.poll(waiting).toBe(1);
    await looking.endSession(first.client.session.id ?? '', { reason: 'as if it were lost' });
    await expect.poll(() => second.led.length).toBe(1);
    await expect.poll(waiting).toBe(1); // the first one campaigns anew
    second.queue.give();
    await expect.poll(() => turns).toEqual(['first', 'second']);
    second.stop();
    await second.done;
    await expect.poll(() => first.led.length).toBe(2);
    const tokens = [...first.led, ...second.led].map(({ token }) => token);
    expect(tokens[1]).toBeGreaterThan(tokens[2] ?? Infinity);
    expect(tokens[2]).toBeGreaterThan(tokens[0] ?? Infinity);
    expect((await looking.election('valve').leader()).leader?.value).toBe('first');
    first.stop();
    await first.done;
    expect((await looking.election('valve').leader()).leader).toBeNull();
  });

  test('shows a guard that refuses a leader which did not look at its signal', async () => {
    guard = memoryFence();
    const turns: string[] = [];
    const deaf = await candidate('deaf', (by) => turns.push(by), true);
    await expect.poll(() => deaf.led.length).toBe(1);
    const next = await candidate('next', (by) => turns.push(by));
    const [{ token } = { token: 0 }] = deaf.led;
    await next.client.break('valve', { token, reason: 'as if its lease had run out' });
    await expect.poll(() => next.led.length).toBe(1);
    next.queue.give();
    await expect.poll(() => turns).toEqual(['next']);
    deaf.queue.give();
    await expect.poll(async () => (await next.client.inspect('valve')).waiterCount).toBe(1);
    expect([turns, deaf.led.length]).toEqual([['next'], 1]);
    deaf.stop();
    next.stop();
    await Promise.all([deaf.done, next.done]);
  });

  test('shows a selector that does not hide the failure of the work', async () => {
    const client = await open('failing');
    const run = await functionOf(selector, 'leaderSelector', { HoldfastError });
    const { signal } = new AbortController();
    const takeLeadership = async (): Promise<void> => Promise.reject(new Error('no water'));
    const failed = run({ client, name: 'valve', value: 'x', takeLeadership, signal });
    await expect(failed).rejects.toThrow('no water');
    expect((await client.election('valve').leader()).leader).toBeNull();
  });
});

/** Commands that come when they are given, until a signal aborts. */
class Commands {
  private given = 0;
  private next = closedDoor();

  give(): void {
    this.given += 1;
    this.next.open();
    this.next = closedDoor();
  }

  async *until(signal: AbortSignal): AsyncGenerator<string> {
    const end = closedDoor();
    signal.addEventListener('abort', end.open);
    while (!signal.aborted) {
      if (this.given > 0) {
        this.given -= 1;
        yield 'turn';
      } else await Promise.race([this.next.opened, end.opened]);
    }
  }
}
