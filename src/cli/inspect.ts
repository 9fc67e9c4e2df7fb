// holdfast inspect: one lock, who holds it, what keeps it closed and who waits.

import { lockJson, lockLines } from './lock-text.ts';
import { printJson, printLine } from './output.ts';
import { QUESTION_EXIT_CODES, addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { withClient } from './with-client.ts';
import { checkLockName } from './lock-name.ts';

const NOTES = `
A grant may be of several names: holdfast session show ID tells all that its session holds. To break
it by one of them frees all of them.

Exit code: 0 shown, held or free; ${QUESTION_EXIT_CODES}`;

/** Adds `inspect` to the program. */
export function addInspectCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('inspect')
    .description('show who holds a lock and who waits for it')
    .argument('<name>', 'name of the lock')
    .addHelpText('after', NOTES)
    .action(async (name: string, options: ClusterOptions) => {
      checkLockName(name);
      const lock = await withClient(options, (client) => client.inspect(name));
      if (options.json === true)
        printJson({ ...lockJson(lock, { hasTimes: true }), revision: lock.revision });
      else lockLines(lock).forEach(printLine);
    });
  addExamples(addClusterOptions(command), [
    'holdfast inspect backup',
    'holdfast inspect backup --json',
  ]);
}
