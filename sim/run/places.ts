// Where the runners keep things in the repository.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest folder above with a package-lock.json: from sources as from a tree made of them. */
export function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package-lock.json'))) {
    const above = dirname(folder);
    if (above === folder) return process.cwd();
    folder = above;
  }
  return folder;
}

/** Scripts that every test run begins with. */
export function corpusFolder(): string {
  return join(repositoryRoot(), 'sim', 'corpus');
}

/**
 * Where a campaign writes what it found; git does not see it. As deep as test/sim/, so that a test
 * from here may be moved there as it is.
 */
export function failuresFolder(): string {
  return join(repositoryRoot(), '.cache', 'failures');
}
