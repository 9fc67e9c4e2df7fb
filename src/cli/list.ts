// holdfast list: every lock that is held or waited for.

import type { Client } from '../index.ts';
import type { LockInfo } from '../client/holder.ts';
import { holderText, lockJson } from './lock-text.ts';
import { printJson, printTable, showTime } from './output.ts';
import { QUESTION_EXIT_CODES, addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { withClient } from './with-client.ts';

const HEADER = ['NAME', 'TOKEN', 'SINCE', 'WAITERS', 'HOLDER'];
const PAGE = 1_000;

const NOTES = `
With --json: one lock per line.

Exit code: 0 listed, even if there is none; ${QUESTION_EXIT_CODES}`;

/** Adds `list` to the program. */
export function addListCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('list')
    .description('list the locks that are held or waited for')
    .argument('[prefix]', 'only names that begin with it', '')
    .addHelpText('after', NOTES)
    .action(async (prefix: string, options: ClusterOptions) => {
      await withClient(options, (client) => list(client, prefix, options.json === true));
    });
  addExamples(addClusterOptions(command), ['holdfast list', 'holdfast list orders/ --json']);
}

// Page by page, so that a million locks need no room for a million.
async function list(client: Client, prefix: string, isJson: boolean): Promise<void> {
  for (let after = '', page = 0, hasMore = true; hasMore; page++) {
    const answer = await client.list({ prefix, after, limit: PAGE });
    if (isJson) answer.locks.map(lockJson).forEach(printJson);
    else if (page === 0 || answer.locks.length > 0) printTable(HEADER, answer.locks.map(rowOf));
    after = answer.locks.at(-1)?.name ?? after;
    hasMore = answer.hasMore && answer.locks.length > 0;
  }
}

function rowOf({ name, holder, waiterCount }: LockInfo): string[] {
  const count = String(waiterCount);
  if (holder === null) return [name, '-', '-', count, '-'];
  return [name, String(holder.token), showTime(holder.sinceMs), count, holderText(holder)];
}
