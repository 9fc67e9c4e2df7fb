// Runs a command while something is held, and only then: for `run` and `elect`.

import { closeSync, openSync } from 'node:fs';
import type { Command } from 'commander';
import { present } from '../base/assert.ts';
import type { Grant } from '../index.ts';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import { deathSignalPrefix } from './death-signal.ts';
import { showDuration } from './duration.ts';
import { exactArgv, ownArgumentBytes } from './exact-argv.ts';
import { EXIT, Failure, exitCodeOf } from './exit-code.ts';
import { freedText, giveBack, nothingLost, take } from './holding.ts';
import type { Holding, TakeOptions, Wish } from './holding.ts';
import { defaultGraceMs, graceMsMax, stopPlan, untilWorkable, watchLease } from './lease-watch.ts';
import type { Loss, StopPlan } from './lease-watch.ts';
import { note } from './output.ts';
import { durationArgument, integerArgument } from './program.ts';
import { findProgram } from './program-path.ts';
import { SignalInbox } from './signals.ts';
import { namesText, slotsOfAll } from './wanted-locks.ts';

/** Options of the commands that run a child. */
export interface ChildOptions extends TakeOptions {
  readonly killAfter?: number;
  readonly busyCode: number;
  readonly lostCode: number;
}

/** What the help of these commands says of the child. */
export const CHILD_NOTES = `
The command finds what is held in its environment. Give the token to whatever it writes to.
  HOLDFAST_FENCING_TOKEN  the fencing token
  HOLDFAST_LOCK           the name, of several the first
  HOLDFAST_LOCKS          all names, as a JSON array
  HOLDFAST_SLOTS          the slot numbers of a semaphore, such as 0,1; of several names one list
                          each, separated by ";"
  HOLDFAST_SESSION        the session that holds it

Its descendants end with it, before the lock is free; a daemon that forked twice and left the
session does not, nor do they when this program itself is killed by SIGKILL (the command does).
While this program is stopped (SIGSTOP, a debugger) the command goes on, beyond the lease too: only
a resource that checks tokens is safe then.

Exit code: the command's own, 128+n if signal n ended it, 127 not found, 126 not executable;
64 usage, 69 cluster unavailable or lost before the command began, 75 busy, 77 not authorised,
78 configuration, 79 lock lost while the command ran.`;

const exitCode = integerArgument(0, 255);

/** Adds --kill-after, --busy-code and --lost-code. */
export function addChildOptions(command: Command): Command {
  return command
    .option(
      '--kill-after <duration>',
      'if the lock is lost: time between SIGTERM and SIGKILL (default: 5s, or a third of --ttl)',
      durationArgument,
    )
    .option('--busy-code <n>', 'exit code when the wait is over', exitCode, EXIT.busy)
    .option('--lost-code <n>', 'exit code when the lock was lost', exitCode, EXIT.lost);
}

/**
 * Takes what is wished for, runs the command under it, and gives it back. Resolves with the exit
 * code; rejects with a Failure (64) when there is no command, and as `take` does.
 */
export async function runWhileHeld(
  wish: Wish,
  options: ChildOptions,
  argv: readonly string[],
): Promise<number> {
  const plan = stopPlan(options.ttl, graceOf(options));
  findProgram(argv[0] ?? '', process.env['PATH'] ?? '');
  const inbox = new SignalInbox();
  try {
    const taking = take(workable(wish, plan), options, inbox);
    const [prefix, holding] = await Promise.all([deathSignalPrefix(), taking]);
    return await runUnderLock({ argv, prefix, holding, inbox, plan }, options);
  } catch (error) {
    if (exitCodeOf(error) !== EXIT.busy || !(error instanceof Error)) throw error;
    throw new Failure(options.busyCode, error.message);
  } finally {
    inbox.close();
  }
}

/** The same wish, granted only when the lease leaves time for the command. */
function workable(wish: Wish, plan: StopPlan): Wish {
  return {
    text: wish.text,
    async acquire(client, how) {
      const grant = await wish.acquire(client, how);
      await untilWorkable(grant, plan, how.signal);
      return grant;
    },
  };
}

interface Work {
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
async function runUnderLock(work: Work, options: ChildOptions): Promise<number> {
  const { holding, inbox, plan } = work;
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
    const names = namesText(holding.grant.names);
    note(`${names} was not given back; ${freedText(options.ttl)}`);
  }
  return end;
}

async function startUnderLock({ argv, prefix, holding }: Work): Promise<Child> {
  const session = present(holding.client.session.id, 'a grant has a session');
  try {
    holding.grant.assertHeld();
    return await startChild({
      argv: exactArgv(argv, ownArgumentBytes(argv.length)),
      prefix,
      environment: { ...process.env, ...grantEnvironment(holding.grant, session) },
      mark: `HOLDFAST_SESSION=${session}`,
      isOnTerminal: hasTerminal(),
    });
  } catch (error) {
    await giveBack(holding);
    throw nothingLost(error);
  }
}

// What an outer command holds must not pass for what this one holds: nothing is left of it.
function grantEnvironment(grant: Grant, session: string): Readonly<Record<string, string>> {
  const slots = slotsOfAll(grant);
  return {
    HOLDFAST_LOCK: grant.name,
    HOLDFAST_LOCKS: JSON.stringify(grant.names),
    HOLDFAST_FENCING_TOKEN: String(grant.token),
    HOLDFAST_SLOTS: slots.every((list) => list.length === 0) ? '' : slots.join(';'),
    HOLDFAST_SESSION: session,
  };
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

function graceOf({ ttl, killAfter }: ChildOptions): number {
  if (killAfter === undefined) return defaultGraceMs(ttl);
  const graceMs = graceMsMax(ttl);
  if (killAfter <= graceMs) return killAfter;
  const limit = `at most ${showDuration(graceMs)}, half of --ttl ${showDuration(ttl)}`;
  const got = showDuration(killAfter);
  const message = `USAGE: --kill-after must leave time to renew: expected ${limit}; got ${got}`;
  throw new Failure(EXIT.usage, message);
}
