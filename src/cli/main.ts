// The command line program `holdfast`.

import { Command, CommanderError } from 'commander';
import { packageVersion } from '../server/version.ts';
import { addAcquireCommand } from './acquire.ts';
import { addBackupCommand } from './backup.ts';
import { addBreakCommand } from './break.ts';
import { addDemoCommand } from './demo.ts';
import { EXIT, Failure, exitCodeOf } from './exit-code.ts';
import { addElectCommand } from './elect.ts';
import { addInitCommand } from './init.ts';
import { addInspectCommand } from './inspect.ts';
import { addLimitsCommand } from './limits.ts';
import { addListCommand } from './list.ts';
import { addMemberCommand } from './member.ts';
import { addNodeCommand } from './node.ts';
import { noteText, printError, printErrorJson, printText } from './output.ts';
import { addExamples, asksForJson } from './program.ts';
import type { Invocation } from './program.ts';
import { addRestoreCommand } from './restore.ts';
import { addRunCommand } from './run.ts';
import { addSessionCommand } from './session.ts';
import { addSimCommand } from './sim.ts';
import { addStatusCommand } from './status.ts';
import { addTransferCommand } from './transfer.ts';
import { addUpCommand } from './up.ts';
import { addWatchCommand } from './watch.ts';

const EXAMPLES = [
  'holdfast up                                    # a cluster of three nodes on this machine',
  'holdfast run backup --wait 10s -- ./backup.sh  # run a command while holding a lock',
  'holdfast inspect backup                        # who holds it, who waits',
  'holdfast status                                # the nodes and who leads',
  'holdfast demo pause --both                     # two holders, and what fencing is for',
];

const JSON_ERRORS = `
With --json a command that fails ends its stderr with one line of JSON instead, with the same exit
code: {code, message, outcome, retryable, details}, as the library's errors and docs/errors.md;
details.cause is the code of what is behind it, such as BROKEN behind LOCK_LOST.`;

/** Runs one command; resolves with the exit code of the process. Never rejects. */
export async function main(argv: readonly string[]): Promise<number> {
  const { own, childArgv } = splitAtChild(argv);
  const invocation: Invocation = { program: createProgram(), childArgv, exitCode: 0 };
  addCommands(invocation);
  try {
    await invocation.program.parseAsync([...own], { from: 'user' });
    return invocation.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // The help instead of a command that is missing: it is on stderr already.
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage;
    const failure = error instanceof CommanderError ? usageFailure(error) : error;
    if (asksForJson(invocation.program, own)) printErrorJson(failure);
    else printError(failure);
    return exitCodeOf(failure);
  }
}

function usageFailure({ message }: CommanderError): Failure {
  const text = message.replace(/^error: /, '').trim();
  return new Failure(EXIT.usage, `USAGE: ${text.replaceAll('\n', ' ')}`);
}

function createProgram(): Command {
  const program = new Command('holdfast')
    .description('A lock service with fencing tokens.')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    // What is wrong with the arguments is told like every other error, by main().
    .configureOutput({ writeOut: printText, writeErr: noteText, outputError: () => {} })
    .addHelpText('after', JSON_ERRORS);
  return addExamples(program, EXAMPLES);
}

function addCommands(invocation: Invocation): void {
  addUpCommand(invocation);
  addInitCommand(invocation);
  addNodeCommand(invocation);
  addRunCommand(invocation);
  addAcquireCommand(invocation);
  addElectCommand(invocation);
  addInspectCommand(invocation);
  addListCommand(invocation);
  addWatchCommand(invocation);
  addBreakCommand(invocation);
  addSessionCommand(invocation);
  addStatusCommand(invocation);
  addMemberCommand(invocation);
  addTransferCommand(invocation);
  addLimitsCommand(invocation);
  addBackupCommand(invocation);
  addRestoreCommand(invocation);
  addSimCommand(invocation);
  addDemoCommand(invocation);
}

// Everything after the first `--` of these commands belongs to the child, byte for byte; commander
// would look at it for options of its own. Also of `acquire`, which has no child and says so: else
// the words of a command would be names of locks.
function splitAtChild(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly childArgv: readonly string[] | null;
} {
  const at = ['run', 'elect', 'acquire'].includes(argv[0] ?? '') ? argv.indexOf('--') : -1;
  if (at === -1) return { own: argv, childArgv: null };
  return { own: argv.slice(0, at), childArgv: argv.slice(at + 1) };
}
