// holdfast elect: runs a command while leading, or tells who leads.

import { hostname } from 'node:os';
import type { ElectionView } from '../client/election.ts';
import { EXIT, Failure } from './exit-code.ts';
import { addTakeOptions } from './holding.ts';
import { untilStopped } from './interruption.ts';
import { checkLockName } from './lock-name.ts';
import { printJson, printLine, visible } from './output.ts';
import { addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { CHILD_NOTES, addChildOptions, runWhileHeld } from './run-while-held.ts';
import type { ChildOptions } from './run-while-held.ts';
import { withClient } from './with-client.ts';

interface ElectOptions extends ChildOptions {
  readonly value?: string;
  readonly observe?: true;
}

const USAGE =
  'holdfast elect NAME [options] -- COMMAND [arguments…], or holdfast elect NAME --observe';

const EXAMPLES = [
  'holdfast elect scheduler -- ./scheduler                      # waits to lead, then runs it',
  'holdfast elect scheduler --value $(hostname):7000 -- ./scheduler',
  'holdfast elect scheduler --observe                           # who leads, now and then',
];

const OBSERVE_NOTES = `
With --observe: one line for whoever leads, or "vacant", and one for every change, until Ctrl-C
(exit code 0); with --json one object each: {leader: {token, session, acquireSeq, value} or null,
revision}.`;

/** Adds `elect` to the program. */
export function addElectCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('elect')
    .description('run a command while leading, or show who leads')
    .usage('<name> [options] -- <command> [arguments…]')
    .argument('<name>', 'name of the election')
    // Refused by ourselves below, with the `--` that is missing.
    .allowExcessArguments()
    .option('--value <text>', 'what others are told of the leader (default: the name of this host)')
    .option('--observe', 'run nothing; print who leads');
  addChildOptions(addTakeOptions(addClusterOptions(command), { wait: Infinity }))
    .addHelpText('after', `${OBSERVE_NOTES}\n${CHILD_NOTES}`)
    .action(async (name: string, options: ElectOptions) => {
      checkLockName(name);
      const { childArgv } = invocation;
      refuseExcess(command.args, options, childArgv);
      if (options.observe === true) await observe(name, options);
      else invocation.exitCode = await elect(name, options, childArgv);
    });
  addExamples(command, EXAMPLES);
}

function refuseExcess(
  [, second]: readonly string[],
  { observe: isObserver, json }: ElectOptions,
  argv: readonly string[] | null,
): void {
  if (second !== undefined) {
    const got = JSON.stringify(second);
    throw usage(`the command to run comes after "--"; got ${got} before it`);
  }
  if (isObserver === true && argv !== null) throw usage('--observe runs no command; got one');
  if (isObserver !== true && json === true) throw usage('--json is for --observe');
}

function elect(
  name: string,
  options: ElectOptions,
  argv: readonly string[] | null,
): Promise<number> {
  if (argv === null || argv.length === 0) throw usage('there is no command to run');
  const { value = hostname() } = options;
  const wish = {
    text: JSON.stringify(name),
    acquire: (client, how) => client.election(name).campaign({ ...how, value }),
  } satisfies Parameters<typeof runWhileHeld>[0];
  return runWhileHeld(wish, options, argv);
}

function observe(name: string, options: ClusterOptions): Promise<void> {
  const print = options.json === true ? printJson : printView;
  return untilStopped((stop) =>
    withClient(options, async (client) => {
      for await (const view of client.election(name).observe({ signal: stop.signal })) {
        if (!print(view)) return;
      }
    }),
  );
}

function printView({ leader }: ElectionView): boolean {
  if (leader === null) return printLine('vacant');
  const { value, token, session } = leader;
  return printLine(visible(`leader ${JSON.stringify(value)}, token ${token}, session ${session}`));
}

function usage(what: string): Failure {
  return new Failure(EXIT.usage, `USAGE: ${what}; expected: ${USAGE}`);
}
