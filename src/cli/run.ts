// holdfast run: a command that runs while locks are held, and only then.

import { EXIT, Failure } from './exit-code.ts';
import { addTakeOptions, lockWish } from './holding.ts';
import { addAddressOptions, addExamples } from './program.ts';
import type { Invocation } from './program.ts';
import { CHILD_NOTES, addChildOptions, runWhileHeld } from './run-while-held.ts';
import type { ChildOptions } from './run-while-held.ts';
import { addMannerOptions } from './wanted-locks.ts';
import type { MannerOptions } from './wanted-locks.ts';

interface RunOptions extends ChildOptions, MannerOptions {}

const USAGE = 'holdfast run NAME… [options] -- COMMAND [arguments…]';

const EXAMPLES = [
  'holdfast run backup -- ./backup.sh /srv',
  'holdfast run nightly --wait 0s --busy-code 0 -- ./report     # skip if it runs elsewhere',
  "holdfast run deploy --ttl 10s -- sh -c 'echo $HOLDFAST_FENCING_TOKEN'",
  'holdfast run catalogue --shared -- ./read                    # with other readers',
  "holdfast run gpu --permits 1/4 -- sh -c 'train --gpu $HOLDFAST_SLOTS'",
  'holdfast run accounts/7 accounts/9 -- ./transfer 7 9         # both at once, no deadlock',
];

/** Adds `run` to the program. */
export function addRunCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('run')
    .description('run a command while holding a lock, or several')
    .usage('<name…> [options] -- <command> [arguments…]')
    .argument('<names...>', 'names of the locks, taken together in one request');
  addChildOptions(addTakeOptions(addMannerOptions(command)))
    .addHelpText('after', CHILD_NOTES)
    .action(async (names: string[], options: RunOptions) => {
      invocation.exitCode = await run(names, options, invocation.childArgv);
    });
  addExamples(addAddressOptions(command), EXAMPLES);
}

function run(
  names: readonly string[],
  options: RunOptions,
  argv: readonly string[] | null,
): Promise<number> {
  if (argv === null || argv.length === 0) throw noCommand(names, argv);
  return runWhileHeld(lockWish(names, options), options, argv);
}

// Names may be many, so that a `--` that was forgotten makes names of the command's words.
function noCommand(names: readonly string[], argv: readonly string[] | null): Failure {
  const [, second] = names;
  if (argv !== null || second === undefined) {
    return new Failure(EXIT.usage, `USAGE: there is no command to run; expected: ${USAGE}`);
  }
  const got = JSON.stringify(second);
  const text = `the command to run comes after "--"; got ${got} before it. Expected: ${USAGE}`;
  return new Failure(EXIT.usage, `USAGE: ${text}`);
}
