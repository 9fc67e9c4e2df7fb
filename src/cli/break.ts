// holdfast break: an operator frees a lock whose holder will not. Whoever does it sees first what
// is broken, and names the token, so that a newer holder is not broken by mistake.

import { InvalidArgumentError } from 'commander';
import { HoldfastError } from '../base/error.ts';
import type { LockInfo } from '../client/holder.ts';
import type { Client } from '../index.ts';
import { EXIT, Failure } from './exit-code.ts';
import { lockJson, lockLines } from './lock-text.ts';
import { note, noteLine, printJson, printLine } from './output.ts';
import { addClusterOptions, addExamples, integerArgument } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { withClient } from './with-client.ts';
import { checkLockName } from './lock-name.ts';

interface BreakOptions extends ClusterOptions {
  readonly token?: number;
  readonly reason?: string;
}

const CAUTION = `
A grant of several names is broken whole: all of them are free (holdfast session show ID tells
them). The holder is told, but may be at work until it notices: only a resource that checks fencing
tokens is safe. Without --token nothing is broken; the lock is shown with its token instead. If the
holder is dead and its lease has no end (--ttl none), end its session too: holdfast session end ID.

Exit code: 0 broken; 1 nobody holds it with that token; 64 --token or --reason missing;
69 cluster unavailable, 78 configuration.`;

/** Adds `break` to the program. */
export function addBreakCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('break')
    .description('free a lock that another holds')
    .argument('<name>', 'name of the lock')
    .option(
      '--token <token>',
      'token of the grant that is meant; see holdfast inspect',
      integerArgument(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--reason <text>', 'why; the holder is told and the log keeps it', reasonArgument)
    .addHelpText('after', CAUTION)
    .action(async (name: string, options: BreakOptions) => {
      checkLockName(name);
      await withClient(options, (client) => breakLock(client, name, options));
    });
  addExamples(addClusterOptions(command), [
    "holdfast break backup --token 42 --reason 'host is gone, ticket 7'",
  ]);
}

function reasonArgument(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('expected a text that the holder can make sense of.');
}

async function breakLock(client: Client, name: string, options: BreakOptions): Promise<void> {
  const lock = await client.inspect(name);
  if (options.json !== true) lockLines(lock).forEach(noteLine);
  const { token, reason } = options;
  if (token === undefined || reason === undefined) {
    const tokens = new Set([...lock.holders, ...lock.ghosts].map((each) => each.token));
    const hint =
      tokens.size === 0 ? 'it is free' : `it is held with token ${[...tokens].join(', ')}`;
    throw new Failure(
      EXIT.usage,
      `USAGE: --token and --reason are needed to break "${name}"; ${hint}`,
    );
  }
  if (!mayHold(lock, token)) {
    throw new HoldfastError(
      'NOT_HOLDER',
      `nobody holds "${name}" with token ${token}; nothing is broken`,
    );
  }
  await client.break(name, { token, reason });
  if (options.json === true)
    printJson({ broken: lockJson(lock, { hasTimes: true }), token, reason });
  else printLine(`broke "${name}", token ${token}`);
  note('the former holder may still be at work until it notices');
}

// Of very many holders not all are shown: then the cluster has the last word.
function mayHold(lock: LockInfo, token: number): boolean {
  const isAllShown = lock.holders.length === lock.holderCount;
  return !isAllShown || [...lock.holders, ...lock.ghosts].some((each) => each.token === token);
}
