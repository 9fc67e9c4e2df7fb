// holdfast acquire: holds locks until it is told to stop, for scripts and hands.

import { HoldfastError } from '../base/error.ts';
import { errorSentence } from './error-json.ts';
import { EXIT, Failure } from './exit-code.ts';
import { addTakeOptions, freedText, giveBack, leave, lockWish, take } from './holding.ts';
import type { Holding, TakeOptions } from './holding.ts';
import { note, printJson, printLine } from './output.ts';
import { addClusterOptions, addExamples } from './program.ts';
import type { Invocation } from './program.ts';
import { SignalInbox } from './signals.ts';
import { addMannerOptions, slotsOfAll } from './wanted-locks.ts';
import type { MannerOptions } from './wanted-locks.ts';

interface AcquireOptions extends TakeOptions, MannerOptions {}

const EXIT_CODES = `
Prints the fencing token on stdout once all is held; a signal gives it back. With --json the names
and the slot numbers of each name too.

Exit code: 0 given back, 128+n ended by signal n while waiting, 64 usage, 69 cluster unavailable,
75 busy, 78 configuration, 79 lock lost after it was held.`;

/** Adds `acquire` to the program. */
export function addAcquireCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('acquire')
    .description('hold a lock, or several, until a signal, and print the token')
    .argument('<names...>', 'names of the locks, taken together in one request')
    .addHelpText('after', EXIT_CODES)
    .action(async (names: string[], options: AcquireOptions) => {
      refuseChild(invocation.childArgv);
      await acquire(names, options);
    });
  addMannerOptions(addTakeOptions(addClusterOptions(command)));
  addExamples(command, [
    'holdfast acquire maintenance',
    'holdfast acquire maintenance --wait 0s',
    'holdfast acquire gpu --permits 2/4 --json',
  ]);
}

function refuseChild(argv: readonly string[] | null): void {
  if (argv === null) return;
  const got = argv[0] === undefined ? '"--"' : `${JSON.stringify(argv[0])} after "--"`;
  const text = `acquire runs no command; got ${got}; holdfast run does`;
  throw new Failure(EXIT.usage, `USAGE: ${text}`);
}

async function acquire(names: readonly string[], options: AcquireOptions): Promise<void> {
  const wish = lockWish(names, options);
  const inbox = new SignalInbox();
  try {
    const holding = await take(wish, options, inbox);
    printGrant(holding, options.json === true);
    const loss = await signalOrLoss(holding.grant.signal, inbox);
    if (loss !== null) {
      inbox.leaveOnNext();
      await leave(holding.client);
      throw lostError(loss);
    }
    note(`giving ${wish.text} back`);
    inbox.leaveOnNext();
    if (!(await giveBack(holding))) {
      const text = `${wish.text} was not given back; ${freedText(options.ttl)}`;
      throw new HoldfastError('UNAVAILABLE', text);
    }
  } finally {
    inbox.close();
  }
}

function printGrant({ grant, client }: Holding, isJson: boolean): void {
  const { name, names, token } = grant;
  if (!isJson) printLine(String(token));
  else printJson({ name, names, token, slots: slotsOfAll(grant), session: client.session.id });
}

/** Resolves with null on a signal, and with the reason when the lock is lost. */
function signalOrLoss(lost: AbortSignal, inbox: SignalInbox): Promise<unknown> {
  return new Promise((resolve) => {
    lost.addEventListener('abort', () => {
      resolve(lost.reason);
    });
    if (lost.aborted) resolve(lost.reason);
    inbox.deliver(() => {
      resolve(null);
    });
  });
}

function lostError(loss: unknown): HoldfastError {
  const details = HoldfastError.is(loss) ? loss.details : {};
  return new HoldfastError('LOCK_LOST', errorSentence(loss), { details, cause: loss });
}
