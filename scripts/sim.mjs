// The simulator's command line: `npm run sim -- help`. Strips the types of src/ and sim/ first,
// because what runs millions of times should not be translated each time.

import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transpileTree } from './lib/transpile.mjs';

const tree = join(resolve(import.meta.dirname, '..'), '.cache', 'sim', 'tree');
await transpileTree(tree);
await import(pathToFileURL(join(tree, 'sim', 'run', 'cli.js')).href);
