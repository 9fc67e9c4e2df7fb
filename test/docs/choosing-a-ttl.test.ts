// docs/choosing-a-ttl.md shows what the command prints. Refreshed by npm run docs.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../cli/cli.ts';
import { scratchDirectory } from '../cli/scratch.ts';
import { elementsOf } from '../cli/svg.ts';
import { blocksOf } from './snippets.ts';

const file = new URL('../../docs/choosing-a-ttl.md', import.meta.url);
const picture = new URL('../../docs/images/choosing-a-ttl.svg', import.meta.url);
const story = new URL('../../docs/images/demo-pause.svg', import.meta.url);
const PROMPT = '$ npx holdfast ';
const isUpdate = process.env['UPDATE_DOCS'] === '1';

test('docs/choosing-a-ttl.md shows what its commands print (else: npm run docs)', async () => {
  const text = readFileSync(file, 'utf8');
  const drawn = join(scratchDirectory(), 'ttl.svg');
  let expected = text;
  const blocks = blocksOf(text, 'console');
  expect(blocks).toHaveLength(2);
  for (const [at, block] of blocks.entries()) {
    const [command = ''] = block.split('\n');
    expect(command.startsWith(`${PROMPT}sim ttl`)).toBe(true);
    const args = command.slice(PROMPT.length).split(' ');
    const { code, stdout } = await cli(at === 0 ? [...args, '--svg', drawn] : args);
    expect(code).toBe(0);
    expected = expected.replace(block, () => `${command}\n${stdout}`);
  }
  const svg = readFileSync(drawn, 'utf8');
  if (isUpdate) {
    writeFileSync(file, expected);
    writeFileSync(picture, svg);
  }
  expect(isUpdate ? readFileSync(file, 'utf8') : text).toBe(expected);
  expect(existsSync(picture) ? readFileSync(picture, 'utf8') : '').toBe(svg);
}, 300_000);

test('the pictures of the document are there, and the story has both its ends', () => {
  const text = readFileSync(file, 'utf8');
  for (const [url, name] of [
    [picture, 'choosing-a-ttl.svg'],
    [story, 'demo-pause.svg'],
  ] as const) {
    expect(text).toContain(`](images/${name})`);
    expect(elementsOf(readFileSync(url, 'utf8')).length).toBeGreaterThan(20);
  }
  const told = readFileSync(story, 'utf8');
  expect(told).toMatch(/taken, over the newer value/);
  expect(told).toMatch(/refused, STALE_TOKEN/);
});
