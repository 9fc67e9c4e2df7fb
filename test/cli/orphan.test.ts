import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cli, endAll, freePorts, writeConfig } from './cli.ts';
import { scratchDirectory } from './scratch.ts';

afterAll(endAll);

test('a node whose up was killed before it could be told of that does not start', async () => {
  const directory = scratchDirectory();
  const config = await writeConfig(directory, await freePorts(1));
  // The pid of somebody who is not the parent, as after the parent's death.
  const environment = { HOLDFAST_PARENT: String(process.ppid) };
  const { code, stderr } = await cli(['node', '--id', 'n1', '--config', config], { environment });
  expect(code).toBe(143);
  expect(stderr).toContain('which started this node, has ended');
  expect(existsSync(join(directory, 'data'))).toBe(false);
});
