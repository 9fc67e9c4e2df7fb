// holdfast run: a command that runs while a lock is held, and only then.

import { closeSync, openSync } from 'node:fs';
import { present } from '../base/assert.ts';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { deathSignalPrefix } from './death-signal.ts';
import { showDuration } from './duration.ts';
import { exactArgv, ownArgumentBytes } from './exact-argv.ts';
import { EXIT, Failure, exitCodeOf } from './exit-code.ts';
import { addTakeOptions, giveBack, takeLock } from './holding.ts';
import type { Holding, TakeOptions } from './holding.ts';
import { defaultGraceMs, graceMsMax, stopPlan, watchLease } from './lease-watch.ts';
import type { Loss, StopPlan } from './lease-watch.ts';
import { note } from './output.ts';
import { addAddressOptions, addExamples, durationArgument, integerArgument } from './program.ts';
import type { Invocation } from './program.ts';
import { findProgram } from './program-path.ts';
import { SignalInbox } from './signals.ts';

interface RunOptions extends TakeOptions {
  readonly killAfter?: number;
  readonly busyCode: number;
  readonly lostCode: number;
}

const USAGE = 'holdfast run NAME [options] -- COMMAND [arguments…]';

const EXAMPLES = [
  'holdfast run backup -- ./backup.sh /srv',
  'holdfast run nightly --wait 0s --busy-code 0 -- ./report     # skip if it runs elsewhere',
  "holdfast run deploy --ttl 10s -- sh -c 'echo $HOLDFAST_FENCING_TOKEN'",
];

const EXIT_CODES = `
The command finds the lock's name, its fencing token and the session in HOLDFAST_LOCK,
HOLDFAST_FENCING_TOKEN and HOLDFAST_SESSION. Give the token to whatever the command writes to.

Its descendants end with it, before the lock is free; a daemon that forked twice and left the
session does not, nor do they when this program itself is killed by SIGKILL (the command does).

Exit code: the command's own, 128+n if signal n ended it, 127 not found, 126 not executable;
64 usage, 69 cluster unavailable, 75 busy, 77 not authorised, 78 configuration, 79 lock lost.`;

/** Adds `run` to the program. */
export function addRunCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('run')
    .description('run a command while holding a lock')
    .usage('<name> [options] -- <command> [arguments…]')
    .argument('<name>', 'name of the lock')
    // Refused by ourselves below, with the `--` that is missing.
    .allowExcessArguments();
  addTakeOptions(command)
    .option(
      '--kill-after <duration>',
      'if the lock is lost: time between SIGTERM and SIGKILL (default: 5s, or a third of --ttl)',
      durationArgument,
    )
    .option('--busy-code <n>', 'exit code when the wait is over', exitCode, EXIT.busy)
    .option('--lost-code <n>', 'exit code when the lock was lost', exitCode, EXIT.lost)
    .addHelpText('after', EXIT_CODES)
    .action(async (name: string, options: RunOptions) => {
      refuseExcess(command.args);
      invocation.exitCode = await run(name, options, invocation.childArgv);
    });
  addExamples(addAddressOptions(command), EXAMPLES);
}

function refuseExcess(words: readonly string[]): void {
  const [, second] = words;
  if (second === undefined) return;
  const got = JSON.stringify(second);
  throw new Failure(
    EXIT.usage,
    `USAGE: the command to run comes after "--"; got ${got} before it. Expected: ${USAGE}`,
  );
}

const exitCode = integerArgument(0, 255);

/** Resolves with the exit code. */
async function run(
  name: string,
  options: RunOptions,
  argv: readonly string[] | null,
): Promise<number> {
  const plan = stopPlan(options.ttl, graceOf(options));
  const program = argv?.[0];
  if (argv === null || program === undefined) {
    throw new Failure(EXIT.usage, `USAGE: there is no command to run; expected: ${USAGE}`);
  }
  findProgram(program, process.env['PATH'] ?? '');
  const inbox = new SignalInbox();
  try {
    const [prefix, holding] = await Promise.all([
      deathSignalPrefix(),
      takeLock(name, options, inbox),
    ]);
    return await runUnderLock({ name, argv, prefix, holding, inbox, plan }, options);
  } catch (error) {
    if (exitCodeOf(error) !== EXIT.busy || !(error instanceof Error)) throw error;
    throw new Failure(options.busyCode, error.message);
  } finally {
    inbox.close();
  }
}

interface Work {
  readonly name: string;
  readonly argv: readonly string[];
  readonly prefix: readonly string[];
  readonly holding: Holding;
  readonly inbox: SignalInbox;
  readonly plan: StopPlan;
}

/**
 * Runs the child while the lease lasts. Always in this order: the child has ended, what it left
 * running has ended, the lock is given back.
 */
async function runUnderLock(work: Work, options: RunOptions): Promise<number> {
  const { name, holding, inbox, plan } = work;
  const child = await startUnderLock(work);
  let unwatch = (): void => {};
  const lost = new Promise<Loss>((resolve) => {
    unwatch = watchLease(holding.grant, plan, resolve);
  });
  inbox.deliver((signal) => {
    child.forward(signal);
  });
  const end = await Promise.race([child.ended, lost]);
  if (typeof end === 'number') {
    const stopSooner = lost.then(({ graceMs }) => child.stop(graceMs));
    await Promise.race([child.stop(plan.graceMs), stopSooner]);
  } else {
    // First of all, and not after a word to somebody who may not listen.
    await child.stop(end.graceMs);
    note(`LOCK_LOST: ${end.reason}; the command was stopped`);
  }
  unwatch();
  inbox.leaveOnNext();
  const isGivenBack = await giveBack(holding);
  if (typeof end !== 'number') return options.lostCode;
  if (!isGivenBack) {
    note(
      `"${name}" was not given back; it is free ${showDuration(options.ttl)} after this at most`,
    );
  }
  return end;
}

async function startUnderLock({ name, argv, prefix, holding }: Work): Promise<Child> {
  const session = present(holding.client.session.id, 'a grant has a session');
  try {
    holding.grant.assertHeld();
    return await startChild({
      argv: exactArgv(argv, ownArgumentBytes(argv.length)),
      prefix,
      environment: {
        ...process.env,
        HOLDFAST_LOCK: name,
        HOLDFAST_FENCING_TOKEN: String(holding.grant.token),
        HOLDFAST_SESSION: session,
      },
      mark: `HOLDFAST_SESSION=${session}`,
      isOnTerminal: hasTerminal(),
    });
  } catch (error) {
    await giveBack(holding);
    throw error;
  }
}

// A terminal that can be opened controls this process, wherever stdin comes from.
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

function graceOf({ ttl, killAfter }: RunOptions): number {
  if (killAfter === undefined) return defaultGraceMs(ttl);
  const graceMs = graceMsMax(ttl);
  if (killAfter <= graceMs) return killAfter;
  const limit = `at most ${showDuration(graceMs)}, half of --ttl ${showDuration(ttl)}`;
  const got = showDuration(killAfter);
  const message = `USAGE: --kill-after must leave time to renew: expected ${limit}; got ${got}`;
  throw new Failure(EXIT.usage, message);
}
