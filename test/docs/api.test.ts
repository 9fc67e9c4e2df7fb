import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulate } from '../../sim/index.ts';
import { explore } from '../../sim/property/index.ts';
import * as fence from '../../src/fence.ts';
import * as client from '../../src/index.ts';
import * as node from '../../src/node.ts';
import { blocksOf, execute } from './snippets.ts';

const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const [ofClient = '', ofNode = '', ofFence = '', ...others] = blocksOf(text, 'ts');
const [ofSimulator = '', ofProperty = ''] = others;

describe('docs/api.md', () => {
  let cluster: node.LocalCluster;
  const lines: string[] = [];
  const console = { log: (line: string): void => void lines.push(line) };

  beforeAll(async () => void (cluster = await node.localCluster({ nodes: 1 })));
  afterAll(() => cluster.stop());

  test('shows a client that runs as it stands', async () => {
    const documented = "['127.0.0.1:7101']";
    expect(ofClient).toContain(documented);
    const here = ofClient.replace(documented, JSON.stringify(cluster.addresses));
    const saved: unknown[] = [];
    const save = (row: unknown): void => void saved.push(row);
    await execute(here, { ...client, save, console });
    expect(saved).toEqual([{ order: 42, fence: expect.any(Number) }]);

    await using other = await client.connect({ nodes: cluster.addresses });
    await other.lock('orders/42').acquire();
    await execute(here.replace('3_000', '1'), { ...client, save, console });
    expect([saved.length, lines.splice(0)]).toEqual([1, ['somebody else is at it']]);
  });

  test('shows a cluster that runs as it stands', async () => {
    await execute(ofNode, { ...client, ...node, console });
    expect(lines.splice(0)).toEqual([expect.stringMatching(/^still held with token \d+$/)]);
  });

  test('shows a guard that runs as it stands', async () => {
    await execute(ofFence, {
      ...fence,
      console: { log: (...all: string[]) => lines.push(...all) },
    });
    expect(lines.splice(0)).toEqual(['slow', 'fast', 'STALE_TOKEN', 34]);
  });

  test('shows a simulation that runs as it stands', async () => {
    await execute(ofSimulator, { simulate, console });
    expect(lines.splice(0)).toEqual([
      expect.stringMatching(/^written after 3\d\.\d+ s of virtual/),
    ]);
  });

  test('shows an exploration that runs as it stands', async () => {
    await execute(ofProperty, { explore, console });
    expect(lines.splice(0)).toEqual(['20 runs, some faults']);
  });

  test('has a chapter for each entry of the package', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const { exports }: { exports: object } = JSON.parse(manifest);
    const names = Object.keys(exports).map((key) => key.replace('.', 'holdfast'));
    const entries = names.filter((name) => !/(\.json|\/register)$/.test(name));
    expect(text).toContain('`--import holdfast/sim/register`');
    const chapters = [...text.matchAll(/^## (.*):/gm)].map(([, name]) => name);
    expect(chapters).toEqual(entries);
  });
});
