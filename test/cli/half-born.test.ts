import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLevelStore } from '../../src/adapters/level-store.ts';
import { clearDataRoot } from '../../src/cli/data-root.ts';
import { scratchDirectory } from './scratch.ts';

/** A directory as a node leaves it that is killed before it has written who it is. */
async function halfBorn() {
  const path = scratchDirectory();
  const directory = join(path, 'n1');
  mkdirSync(directory);
  const store = createLevelStore(join(directory, 'log'));
  await new Promise((done) => store.open(true, done));
  await new Promise<void>((done) => store.close(done));
  return { directory, root: { path, nodeIds: ['n1'] } };
}

test('--fresh deletes what a node left that was killed while it made its directory', async () => {
  const { directory, root } = await halfBorn();
  writeFileSync(join(directory, 'slot-a.tmp'), 'torn');
  await clearDataRoot(root);
  expect(existsSync(directory)).toBe(false);
});

test.each(['notes.txt', join('log', 'notes.txt')])(
  'and nothing that may be something else: %s',
  async (file) => {
    const { directory, root } = await halfBorn();
    writeFileSync(join(directory, file), 'mine');
    await expect(clearDataRoot(root)).rejects.toThrow('DIRECTORY_FOREIGN');
    expect(existsSync(join(directory, file))).toBe(true);
  },
);
