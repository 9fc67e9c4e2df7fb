// A script that uses the built package: when it is done, it ends by itself.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localCluster } from '../../src/node.ts';
import type { LocalCluster } from '../../src/node.ts';

const PACKAGE = new URL('../../dist/src/index.js', import.meta.url);

let cluster: LocalCluster;

beforeAll(async () => {
  if (!existsSync(fileURLToPath(PACKAGE))) throw new Error('dist is missing: run npm run build');
  cluster = await localCluster({ nodes: 3 });
  await cluster.ready();
});

afterAll(async () => {
  await cluster.stop();
});

interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the script with `connect` and the addresses of the cluster at hand. Whatever keeps it alive
 * for long after its last line ends it with code 3 instead.
 */
function run(script: string): Promise<Ending> {
  const program = `
    import { connect } from ${JSON.stringify(PACKAGE.href)};
    const nodes = ${JSON.stringify(cluster.addresses)};
    ${script}
    console.log('the end');
    setTimeout(() => process.exit(3), 10_000).unref();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

const CLEAN: Ending = { code: 0, stdout: 'the end\n', stderr: '' };

describe('a script ends at once', () => {
  test('that acquired, released and closed', async () => {
    const ending = await run(`
      const client = await connect({ nodes });
      const grant = await client.lock('a').acquire();
      await grant.release();
      await client.close();
    `);
    expect(ending).toEqual(CLEAN);
  });

  test('that closed while it held, waited and had limits', async () => {
    const ending = await run(`
      const client = await connect({ nodes, ttlMs: 600_000, maxHoldMs: 600_000 });
      await client.lock('b').acquire();
      client.lock('b').acquire({ waitMs: Infinity }).catch(() => {});
      await client.close();
    `);
    expect(ending).toEqual(CLEAN);
  });

  test('that handed a grant over, and one that took it', async () => {
    const ending = await run(`
      const [giver, taker] = [await connect({ nodes }), await connect({ nodes })];
      const text = (await giver.lock('c').acquire()).handOver();
      const taken = await taker.takeOver(text);
      await giver.close();
      if (!(await taken.release())) throw new Error('not released');
      await taker.close();
    `);
    expect(ending).toEqual(CLEAN);
  });

  test('C14 C17 that was killed and began again: it goes on with its session', async () => {
    const first = await run(`
      const client = await connect({ nodes });
      await client.lock('d').acquire();
      console.log(client.session.save());
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => {});
    `);
    expect(first.code).toBe(null);
    const second = await run(`
      const resume = ${JSON.stringify(first.stdout.trim())};
      const client = await connect({ nodes, resume });
      const [grant] = client.grants();
      if (grant?.name !== 'd' || !(await grant.release())) throw new Error('not resumed');
      await client.close();
    `);
    expect(second).toEqual(CLEAN);
  });

  test('B7 that lost its lock and listened to nothing', async () => {
    const ending = await run(`
      const [client, ops] = [await connect({ nodes }), await connect({ nodes })];
      const grant = await client.lock('e').acquire();
      await ops.endSession(client.session.id, { reason: 'moved' });
      while (grant.held()) await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all([client.close(), ops.close()]);
    `);
    expect(ending).toEqual(CLEAN);
  });

  test('that reached nobody', async () => {
    const ending = await run(`
      const error = await connect({ nodes: ['127.0.0.1:9'], connectMs: 300 }).catch((e) => e);
      if (error.code !== 'UNAVAILABLE') throw error;
    `);
    expect(ending).toEqual(CLEAN);
  });
});
