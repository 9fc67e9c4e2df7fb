// The code in docs/guarantees.md runs as it stands.

import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/index.ts';
import type { Client, ConnectOptions, WatchNotice } from '../../src/index.ts';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { blocksOf, execute } from './snippets.ts';

const text = readFileSync(new URL('../../docs/guarantees.md', import.meta.url), 'utf8');
const [toOther = '', afterRestart = '', blocking = '', picture = ''] = blocksOf(text, 'ts');

describe('docs/guarantees.md', () => {
  let cluster: LocalCluster;
  let client: Client;
  let connected: Client[] = [];
  const quietly = async (options: ConnectOptions): Promise<Client> => {
    const made = await connect({ ...options, logger: silentLogger });
    connected.push(made);
    return made;
  };

  beforeAll(async () => {
    cluster = await localCluster({ nodes: 1 });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  beforeEach(async () => {
    connected = [];
    client = await connect({ nodes: cluster.addresses });
  });

  afterEach(async () => {
    await Promise.all([client, ...connected].map((each) => each.close()));
  });

  const run = async (snippet: string, more: Record<string, unknown> = {}): Promise<void> => {
    await execute(snippet, { client, connect: quietly, nodes: cluster.addresses, ...more });
  };

  test('H3 shows a grant that goes to another process', async () => {
    await run(toOther);
    const { holder } = await client.inspect('orders/42');
    expect([connected.length, holder]).toEqual([1, null]);
  });

  test('shows a session that is resumed', async () => {
    await run(afterRestart);
    expect(connected[0]?.session.id).toBe(client.session.id);
    expect((await client.inspect('nightly')).holder).toBeNull();
  });

  test('B9 shows work that blocks, under a lock that is closed after an expiry', async () => {
    const tokens: number[] = [];
    await run(blocking, { train: (token: number) => void tokens.push(token) });
    expect(tokens).toHaveLength(1);
  });

  test('shows a picture of locks that follows them', async () => {
    const held = await client.lock('orders/1').acquire();
    const pictures: (readonly unknown[])[] = [];
    const isEnough = ({ type }: WatchNotice, holders: ReadonlyMap<string, number>): boolean => {
      pictures.push([type, ...holders.keys()]);
      return type === 'released';
    };
    const goOn = async (): Promise<void> => {
      await client.lock('orders/2').acquire();
      await held.release();
    };
    const listing: Pick<Client, 'watch' | 'list'> = {
      watch: (options) => client.watch(options),
      // Locks are taken and given back once they were listed.
      list: async (options) => {
        const page = await client.list(options);
        void goOn();
        return page;
      },
    };
    await run(picture, { client: listing, isEnough });
    expect(pictures).toEqual([
      ['granted', 'orders/1', 'orders/2'],
      ['released', 'orders/2'],
    ]);
  });
});
