// holdfast acquire: holds a lock until it is told to stop, for scripts and hands.

import { HoldfastError } from '../base/error.ts';
import { errorSentence } from './error-json.ts';
import { addTakeOptions, giveBack, takeLock } from './holding.ts';
import type { TakeOptions } from './holding.ts';
import { note, printJson, printLine } from './output.ts';
import { addClusterOptions, addExamples } from './program.ts';
import type { Invocation } from './program.ts';
import { SignalInbox } from './signals.ts';

const EXIT_CODES = `
Prints the fencing token on stdout once the lock is held; a signal gives it back.

Exit code: 0 given back, 128+n ended by signal n while waiting, 64 usage, 69 cluster unavailable,
75 busy, 78 configuration, 79 lock lost.`;

/** Adds `acquire` to the program. */
export function addAcquireCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('acquire')
    .description('hold a lock until a signal, and print its token')
    .argument('<name>', 'name of the lock')
    .addHelpText('after', EXIT_CODES)
    .action(async (name: string, options: TakeOptions) => {
      await acquire(name, options);
    });
  addTakeOptions(addClusterOptions(command));
  addExamples(command, ['holdfast acquire maintenance', 'holdfast acquire maintenance --wait 0s']);
}

async function acquire(name: string, options: TakeOptions): Promise<void> {
  const inbox = new SignalInbox();
  try {
    const holding = await takeLock(name, options, inbox);
    const { grant, client } = holding;
    const token = grant.token;
    if (options.json === true) printJson({ name, token, session: client.session.id });
    else printLine(String(token));
    const loss = await signalOrLoss(grant.signal, inbox);
    if (loss !== null) throw lostError(loss);
    note(`giving "${name}" back`);
    inbox.leaveOnNext();
    if (!(await giveBack(holding))) {
      throw new HoldfastError(
        'UNAVAILABLE',
        `"${name}" was not given back; it is free after its TTL`,
      );
    }
  } finally {
    inbox.close();
  }
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
