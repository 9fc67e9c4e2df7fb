// docs/embedding.md: its program runs as it stands.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createNode } from '../../src/node.ts';
import type { CreateNodeOptions } from '../../src/node.ts';
import { freeAddresses } from '../../src/server/free-addresses.ts';
import { blocksOf, execute } from './snippets.ts';

const text = readFileSync(new URL('../../docs/embedding.md', import.meta.url), 'utf8');

test('docs/embedding.md shows a node that starts, serves and stops', async () => {
  const [program = ''] = blocksOf(text, 'ts');
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-embedding-'));
  const [address = ''] = await freeAddresses(1);
  const file = join(folder, 'cluster.config.json');
  const nodes = [{ id: 'n1', address }];
  writeFileSync(file, JSON.stringify({ name: 'embedding', nodes, dataDir: join(folder, 'data') }));
  const lines: string[] = [];
  const keep = (line: string): number => lines.push(line);
  const create = (options: CreateNodeOptions) => createNode({ ...options, config: file });
  try {
    await execute(program, { createNode: create, console: { log: keep, error: keep } });
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(lines).toEqual([expect.stringMatching(/^holds it with \d+$/)]);
});
