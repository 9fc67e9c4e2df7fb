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
/** Tokens that are shown of a lock with many holders. */
const TOKENS_SHOWN_MAX = 3;
const NO_TIMES = { hasTimes: false } as const;

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
    if (isJson) answer.locks.map((lock) => lockJson(lock, NO_TIMES)).forEach(printJson);
    else if (page === 0 || answer.locks.length > 0) printTable(HEADER, answer.locks.map(rowOf));
    after = answer.locks.at(-1)?.name ?? after;
    hasMore = answer.hasMore && answer.locks.length > 0;
  }
}

function rowOf(lock: LockInfo): string[] {
  const { name, holder, ghosts, holderCount, waiterCount } = lock;
  const count = String(waiterCount);
  if (holder === null) {
    return [name, '-', '-', count, ghosts.length > 0 ? 'closed by a lock-delay' : '-'];
  }
  const others = holderCount > 1 ? ` and ${holderCount - 1} more` : '';
  return [
    name,
    tokensText(lock),
    showTime(holder.sinceMs),
    count,
    `${holderText(holder)}${others}`,
  ];
}

function tokensText({ holders, holderCount }: LockInfo): string {
  const shown = holders.slice(0, TOKENS_SHOWN_MAX).map(({ token }) => token);
  return `${shown.join(',')}${holderCount > shown.length ? ',…' : ''}`;
}
