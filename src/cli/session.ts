// holdfast session: who has a standing with the cluster, and what for; and its end by force.

import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { HoldfastError, describeValue } from '../base/error.ts';
import type { Client, SessionSummary } from '../index.ts';
import type { HoldingView } from '../locks/outcomes.ts';
import { holdingJson, summaryJson } from '../server/views.ts';
import { showDuration } from './duration.ts';
import { leaseText, metaLines } from './lock-text.ts';
import { note, printJson, printLine, printTable, showTime, visible } from './output.ts';
import { QUESTION_EXIT_CODES, addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { holdingsOf } from './session-holdings.ts';
import { withClient } from './with-client.ts';

interface EndOptions extends ClusterOptions {
  readonly reason: string;
}

const HEADER = ['SESSION', 'NAME', 'TTL', 'OPENED', 'HELD-UNITS', 'WAITING-UNITS'];
const PAGE = 1_000;

const LIST_NOTES = `
A unit is a lock, or one permit of a semaphore: what a session holds and waits for is limited in
units.

With --json: one session per line.`;

const GONE = '1 there is no such session (any more)';

/** Adds `session list`, `session show` and `session end` to the program. */
export function addSessionCommand(invocation: Invocation): void {
  const parent = invocation.program.command('session').description('list, show and end sessions');
  addExamples(parent, ['holdfast session list', "holdfast session end 42-abc --reason 'gone'"]);
  addList(parent);
  addShow(parent);
  addEnd(parent);
}

function addList(parent: Command): void {
  const command = parent
    .command('list')
    .description('list all sessions, the oldest first')
    .addHelpText('after', `${LIST_NOTES}\n\n${exitCodes('0 listed')}`)
    .action(async (options: ClusterOptions) => {
      await withClient(options, (client) => list(client, options.json === true));
    });
  addExamples(addClusterOptions(command), [
    'holdfast session list',
    'holdfast session list --json',
  ]);
}

function addShow(parent: Command): void {
  const command = parent
    .command('show')
    .description('show one session: what it holds and waits for')
    .argument('<id>', 'id of the session; see holdfast session list, and holdfast inspect')
    .addHelpText('after', `\n${exitCodes(`0 shown; ${GONE}`)}`)
    .action(show);
  addExamples(addClusterOptions(command), ['holdfast session show 42-AbCdEfGhIjKlMnOp']);
}

function addEnd(parent: Command): void {
  const command = parent
    .command('end')
    .description('end a session: all that it holds is free at once')
    .argument('<id>', 'id of the session')
    .requiredOption('--reason <text>', 'why; the holder is told and the log keeps it', reason)
    .addHelpText('after', `\n${CAUTION}\n\n${exitCodes(`0 ended; ${GONE}`)}`)
    .action(end);
  addExamples(addClusterOptions(command), [
    "holdfast session end 42-AbCdEfGhIjKlMnOp --reason 'host is gone, ticket 7'",
  ]);
}

const CAUTION = `The holder is told, but may be at work until it notices: only a resource that
checks fencing tokens is safe.`;

function exitCodes(own: string): string {
  return `Exit code: ${own}; ${QUESTION_EXIT_CODES}`;
}

function reason(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('expected a text that the holder can make sense of.');
}

// Page by page, so that a hundred thousand sessions need no room for as many.
async function list(client: Client, isJson: boolean): Promise<void> {
  for (let after = 0, page = 0, hasMore = true; hasMore; page++) {
    const answer = await client.listSessions({ after, limit: PAGE });
    if (isJson) answer.sessions.map(summaryJson).forEach(printJson);
    else if (page === 0 || answer.sessions.length > 0) {
      printTable(HEADER, answer.sessions.map(rowOf));
    }
    after = Number.parseInt(answer.sessions.at(-1)?.session ?? '', 10);
    hasMore = answer.hasMore && Number.isSafeInteger(after);
  }
}

function rowOf({ session, name, ttlMs, openedMs, held, waiting }: SessionSummary): string[] {
  const ttl = ttlMs === null ? 'none' : showDuration(ttlMs);
  return [session, visible(name), ttl, showTime(openedMs), String(held), String(waiting)];
}

async function show(id: string, options: ClusterOptions): Promise<void> {
  checkSessionId(id);
  const info = await withClient(options, (client) => client.inspectSession(id));
  const holdings = info === null ? null : await holdingsOf(id, options);
  if (info === null || holdings === null) throw gone(id);
  const { leaseLeftMs, ...view } = info;
  if (options.json === true) {
    const shown = holdings.map(holdingJson);
    printJson({ ...summaryJson(view), leaseLeftMs, holdings: shown });
    return;
  }
  printLine(`session ${view.session}`);
  printLine(`  name     ${visible(view.name)}`);
  printLine(`  opened   ${showTime(view.openedMs)}`);
  printLine(`  ttl      ${view.ttlMs === null ? 'none' : showDuration(view.ttlMs)}`);
  printLine(`  expires  ${leaseText(leaseLeftMs)}`);
  if (view.lockDelayMs > 0) printLine(`  delay    ${showDuration(view.lockDelayMs)} after expiry`);
  metaLines(view.meta).forEach(printLine);
  holdings.map(holdingLine).forEach(printLine);
  if (holdings.length === 0) printLine('  holds nothing');
}

function holdingLine({ names, token, mode, slots, value }: HoldingView): string {
  const list = names.map((name, at) => {
    const own = slots[at] ?? [];
    return `${JSON.stringify(name)}${own.length === 0 ? '' : ` slots ${own.join(', ')}`}`;
  });
  const manner = mode === 'shared' ? ', shared' : '';
  const told = value === null ? '' : `, value ${JSON.stringify(value)}`;
  const doing = token === 0 ? '  waits    for' : '  holds   ';
  const by = token === 0 ? '' : `, token ${token}`;
  return visible(`${doing} ${list.join(', ')}${by}${manner}${told}`);
}

async function end(id: string, options: EndOptions): Promise<void> {
  checkSessionId(id);
  await withClient(options, async (client) => {
    if ((await client.inspectSession(id)) === null) throw gone(id);
    await client.endSession(id, { reason: options.reason });
  });
  if (options.json === true) printJson({ ended: id, reason: options.reason });
  else printLine(`ended session ${visible(id)}`);
  note('the former holder may still be at work until it notices');
}

// The index of the entry that opened it, and the nonce that its client drew.
function checkSessionId(id: string): void {
  if (/^\d{1,16}-[A-Za-z0-9_-]{16}$/.test(id)) return;
  const expected = 'the id of a session, such as 42-AbCdEfGhIjKlMnOp';
  throw new HoldfastError('INVALID', `expected ${expected}; got ${describeValue(id)}`);
}

// Not LOCK_LOST's 79: nothing of ours is lost.
function gone(id: string): HoldfastError {
  const text = `there is no session ${JSON.stringify(id)}: it has ended, or never was`;
  return new HoldfastError('SESSION_GONE', text, { details: { exitCode: 1 } });
}
