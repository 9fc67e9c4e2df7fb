import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/index.ts';
import type { LocalCluster } from '../../src/node.ts';
import { localCluster } from '../../src/node.ts';
import { blocksOf, execute } from './snippets.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('the README', () => {
  let cluster: LocalCluster;

  beforeAll(async () => {
    cluster = await localCluster({ nodes: 3 });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  test('shows a lock from code that runs as it stands', async () => {
    const [snippet = ''] = blocksOf(readme, 'ts');
    const documented = "['127.0.0.1:7101', '127.0.0.1:7102', '127.0.0.1:7103']";
    expect(snippet).toContain(documented);
    const here = snippet.replace(documented, JSON.stringify(cluster.addresses));
    const saved: { order: number; token: number }[] = [];
    const save = (row: { order: number; token: number }, signal: AbortSignal): void => {
      expect(signal.aborted).toBe(false);
      saved.push(row);
    };
    await execute(here, { connect, save });
    await execute(here, { connect, save });
    expect(saved.map(({ order }) => order)).toEqual([42, 42]);
    expect(saved[1]?.token).toBeGreaterThan(saved[0]?.token ?? Infinity);
  });

  test('shows the other forms in code that runs as it stands', async () => {
    const [, snippet = ''] = blocksOf(readme, 'ts');
    const client = await connect({ nodes: cluster.addresses });
    const trained: number[] = [];
    const lines: string[] = [];
    const train = (slots: readonly number[]): void => void trained.push(...slots);
    const console = { log: (line: string): void => void lines.push(line) };
    await execute(snippet, { client, train, console });
    await client.close();
    expect(trained).toEqual([0]);
    expect(lines).toEqual(['host-a', 'vacant']);
  });

  test('names HTTP calls that exist, and a session as it shows it', async () => {
    const shown = blocksOf(readme, 'sh').find((block) => block.includes('/v1/sessions')) ?? '';
    const body = /-d '([^']+)'/.exec(shown)?.[1] ?? '';
    const response = await fetch(`http://${cluster.addresses[0] ?? ''}/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ ttlMs: 15_000 });
  });

  test('links to nothing that the package leaves out', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const { files }: { files: string[] } = JSON.parse(manifest);
    const links = [...readme.matchAll(/\]\(([\w./-]+)\)/g)].map(([, to = '']) => to);
    expect(links.length).toBeGreaterThan(3);
    const isPacked = (link: string): boolean =>
      files.includes(link) || files.includes(link.replace(/\/.*/, ''));
    expect(links.filter((link) => !isPacked(link))).toEqual([]);
  });

  test('promises only what the documents beside it hold', () => {
    const links = [...readme.matchAll(/\]\(((?:docs\/)?[\w.-]+\.md)\)/g)].map(([, to = '']) => to);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      expect(readFileSync(new URL(`../../${link}`, import.meta.url), 'utf8')).not.toBe('');
    }
  });
});
