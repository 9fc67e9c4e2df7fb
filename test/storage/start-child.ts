// Starts a node in each of the directories on the command line, and prints one verdict a line.
// A process of its own, because LevelDB ends the process when some bytes of a table are wrong.

import { start } from './level-directory.ts';

for (const directory of process.argv.slice(2)) {
  process.stdout.write(`${JSON.stringify(await start(directory))}\n`);
}
