// The programs of docs/protecting.md on a real cluster: the first holder is cut off in the midst of
// its work, its lease runs out, the second one writes, and the first one writes too.

import * as fs from 'node:fs/promises';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest';
import * as fence from '../../src/fence.ts';
import * as holdfast from '../../src/index.ts';
import type { Client, ConnectOptions } from '../../src/index.ts';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import { findPostgres, startPostgres } from '../fence/services.ts';
import type { PostgresServer } from '../fence/services.ts';
import { cutNetwork } from './cut-network.ts';
import type { CutNetwork } from './cut-network.ts';
import { blocksOf, execute } from './snippets.ts';

const text = readFileSync(new URL('../../docs/protecting.md', import.meta.url), 'utf8');
const [ofRow = '', ofJob = '', ofFile = '', ofService = '', ofHttp = '', ...more] = blocksOf(
  text,
  'ts',
);
const [ofIsolation = '', ...none] = more;
const dir = mkdtempSync(join(tmpdir(), 'holdfast-protecting-'));
const program = findPostgres();

let cluster: LocalCluster;
let network: CutNetwork;
let lines: string[];
const log = (line: string): void => void lines.push(line);

beforeAll(async () => void (cluster = await localCluster({ nodes: 3 })));
afterAll(async () => {
  await cluster.stop();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  lines = [];
  network = await cutNetwork(cluster.addresses);
});
afterEach(() => network.close());

/** The lease of the first one is short: the tests wait for its end. */
const connect = (options: ConnectOptions): Promise<Client> => {
  const own = options.name === 'first' ? { ttlMs: 2_000 } : {};
  return holdfast.connect({ ...options, ...own, logger: silentLogger });
};

/** Something that happens once. */
function event(): { readonly happened: Promise<void>; readonly happen: () => void } {
  let happen = (): void => undefined;
  const happened = new Promise<void>((resolve) => (happen = resolve));
  return { happened, happen: () => happen() };
}

interface Role {
  readonly name: 'first' | 'second';
  /** What a holder does between taking the lock and writing: the first one is cut off there. */
  readonly work: () => Promise<void>;
}

interface Race {
  readonly block: string;
  /** What the block uses beside holdfast, for each of the two. */
  readonly namesOf: (role: Role) => Record<string, unknown>;
  /** The first one writes while the second one is still at its work; else when that is over. */
  readonly isEarly?: boolean;
}

/** Runs a program twice, as two holders; resolves when both are through. */
async function race({ block, namesOf, isEarly = false }: Race): Promise<void> {
  const [begun, released, refused] = [event(), event(), event()];
  const run = (role: Role, nodes: readonly string[]): Promise<void> => {
    const console = {
      log: (line: string): void => {
        log(line);
        if (role.name === 'first') refused.happen();
      },
    };
    const { name } = role;
    const names = { ...holdfast, ...fence, connect, nodes, name, console, ...namesOf(role) };
    return execute(block, names);
  };
  const goOn = (): void => {
    network.mend();
    released.happen();
  };
  const firstWork = async (): Promise<void> => {
    begun.happen();
    await released.happened;
  };
  const secondWork = async (): Promise<void> => {
    if (!isEarly) return;
    goOn();
    await refused.happened;
  };
  const first = run({ name: 'first', work: firstWork }, network.addresses);
  await Promise.race([begun.happened, first]);
  network.cut();
  try {
    await run({ name: 'second', work: secondWork }, cluster.addresses);
  } finally {
    goOn();
    await first;
  }
}

const stale = (resource: string): string =>
  `STALE_TOKEN: "${resource}" has seen token \\d+, so the exclusive token \\d+ is stale: its ` +
  'grant is over, and nothing was written';

test('every block of the page is one of those below', () => {
  expect(none).toEqual([]);
  expect(ofIsolation).not.toBe('');
  expect(text.match(/^```\w+$/gm)).toHaveLength(7);
});

describe.skipIf(program === null)('docs/protecting.md in PostgreSQL', () => {
  const clients: pg.Client[] = [];
  let server: PostgresServer;
  let app: pg.Client;
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...server.connection, statement_timeout: 30_000 });
    // The server is stopped before they are closed.
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  beforeAll(async () => {
    server = await startPostgres(program ?? '', dir);
    app = await open();
    await app.query(`CREATE TABLE jobs (id int PRIMARY KEY, done int, parts int);
      CREATE TABLE outbox (job int, part int, text text)`);
  });
  afterAll(async () => {
    // First of all: a statement that waits for ever, in a test that failed, ends with it.
    await server.stop();
    await Promise.all(clients.map((client) => client.end()));
  });

  const newOrder = async (): Promise<void> => {
    await app.query(`DROP TABLE IF EXISTS orders;
      CREATE TABLE orders (id int PRIMARY KEY, state text, items int, price int);
      INSERT INTO orders VALUES (42, 'new', 10)`);
  };

  test.each([
    ['after the second wrote', false],
    ['while the second is at it', true],
  ])('a row: the first one is refused %s, and begins anew', async (_when, isEarly) => {
    await newOrder();
    const own = { first: await open(), second: await open() };
    const priceOf =
      ({ name, work }: Role) =>
      async (items: number): Promise<number> => {
        await work();
        return items * (name === 'first' ? 1 : 2);
      };
    const namesOf = (role: Role): Record<string, unknown> => {
      return { db: own[role.name], priceOf: priceOf(role) };
    };
    await race({ block: ofRow, namesOf, isEarly });
    const refusal = new RegExp(`^first: once more, for ${stale('orders/42')}$`);
    const both = ['second: priced at 20', expect.stringMatching(refusal)];
    expect(lines).toEqual([...(isEarly ? both.toReversed() : both), 'first: priced already']);
    const { rows } = await app.query('SELECT state, price FROM orders');
    expect(rows).toEqual([{ state: 'priced', price: 20 }]);
    // Who presents nothing is refused as well.
    const bare = app.query(`UPDATE orders SET price = 1`);
    await expect(bare).rejects.toMatchObject({ code: 'HF001' });
  });

  test('a row: who wrote in time and lost the lock afterwards finds what it wrote', async () => {
    await newOrder();
    const operator = await connect({ nodes: cluster.addresses, name: 'operator' });
    let isToBreak = false;
    const query = async (sql: string, values?: unknown[]): Promise<unknown> => {
      const result = await app.query(sql, values);
      if (sql.startsWith('UPDATE')) isToBreak = true;
      if (!isToBreak || sql !== 'COMMIT') return result;
      isToBreak = false;
      const { token = 0 } = (await operator.inspect('orders/42')).holder ?? {};
      await operator.break('orders/42', { token, reason: 'to see' });
      return result;
    };
    const own = { db: { query }, priceOf: (items: number) => items, console: { log } };
    const { addresses: nodes } = cluster;
    await execute(ofRow, { ...holdfast, ...fence, connect, nodes, name: 'first', ...own });
    const lost = expect.stringMatching(/^first: once more, for LOCK_LOST: /);
    expect(lines).toEqual([lost, 'first: priced already']);
    await operator.close();
  });

  test('a job: each part is told of once, by whoever holds the job', async () => {
    await app.query('INSERT INTO jobs VALUES (7, 0, 3)');
    const own = { first: await open(), second: await open() };
    const makePart =
      ({ name, work }: Role) =>
      async (part: number): Promise<string> => {
        if (part === 2) await work();
        return `part ${part} by the ${name}`;
      };
    await race({
      block: ofJob,
      namesOf: (role) => ({ db: own[role.name], makePart: makePart(role) }),
    });
    expect(lines).toEqual([
      'second: done',
      expect.stringMatching(new RegExp(`^first: left to others, for ${stale('jobs/7')}$`)),
    ]);
    const { rows } = await app.query('SELECT text FROM outbox ORDER BY part');
    expect(rows.map((row) => row.text)).toEqual([
      'part 1 by the first',
      'part 2 by the second',
      'part 3 by the second',
    ]);
    expect((await app.query('SELECT done FROM jobs')).rows).toEqual([{ done: 3 }]);
    const bare = app.query('UPDATE jobs SET done = 0');
    await expect(bare).rejects.toMatchObject({ code: 'HF001' });
  });
});

test('a file: the line of the first holder is not written', async () => {
  const root = join(dir, 'reports');
  expect(ofFile).toContain("'data/reports'");
  const nextLine =
    ({ name, work }: Role) =>
    async (): Promise<string> => {
      await work();
      return `by the ${name}`;
    };
  await race({
    block: ofFile.replace("'data/reports'", JSON.stringify(root)),
    namesOf: (role) => ({ fs, nextLine: nextLine(role) }),
  });
  const refusal = new RegExp(`^first: ${stale('ledger')}$`);
  expect(lines).toEqual(['second: written', expect.stringMatching(refusal)]);
  const content = await fence.fileFence(fs, root).read('ledger');
  expect(Buffer.from(content ?? '').toString()).toBe('by the second\n');
});

test('an HTTP service: the request of the first holder is answered with 409', async () => {
  const made: { server?: Server; speeds?: ReadonlyMap<string, string> } = {};
  const keep = (server: Server, speeds: ReadonlyMap<string, string>): unknown =>
    Object.assign(made, { server, speeds });
  await execute(`${ofService}\nkeep(server, speeds);`, { ...fence, createServer, port: 0, keep });
  const { server, speeds } = made;
  if (server === undefined) throw new Error('no server');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const bound = server.address();
  const service = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  const speedFor =
    ({ work }: Role) =>
    async (name: string): Promise<string> => {
      await work();
      return `as the ${name} wants`;
    };
  await race({ block: ofHttp, namesOf: (role) => ({ service, speedFor: speedFor(role) }) });
  expect(lines).toEqual([
    'second: 200 set',
    expect.stringMatching(/^first: STALE_TOKEN, the motor is another one's: \d+ < \d+$/),
  ]);
  expect([...(speeds ?? [])]).toEqual([['motor/1', 'as the second wants']]);
  expect((await fetch(`${service}/motor/1`, { method: 'PUT', body: 'full' })).status).toBe(428);
});

test('an isolated holder stops, is refused, and acquires anew', async () => {
  const isolated = await connect({ nodes: network.addresses, name: 'first' });
  const other = await connect({ nodes: cluster.addresses, name: 'second' });
  const { cut, mend } = network;
  await execute(ofIsolation, { isolated, other, fence: fence.memoryFence(), cut, mend, log });
  const [printed = ''] = blocksOf(text, 'text');
  expect(lines).toEqual(printed.trimEnd().split('\n'));
  await Promise.all([isolated, other].map((client) => client.close()));
});
