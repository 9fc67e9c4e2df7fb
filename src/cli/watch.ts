// holdfast watch: what happens to locks, one line each, until Ctrl-C.

import { watchEventJson } from '../server/views.ts';
import type { WatchEvent } from '../wire/client-messages.ts';
import type { Client } from '../index.ts';
import { showMs } from './duration.ts';
import { EXIT, Failure } from './exit-code.ts';
import { untilStopped } from './interruption.ts';
import { checkLockName } from './lock-name.ts';
import { note, printJson, printLine, visible } from './output.ts';
import { QUESTION_EXIT_CODES, addClusterOptions, addExamples, integerArgument } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { withClient } from './with-client.ts';

interface WatchOptions extends ClusterOptions {
  readonly name?: string;
  readonly after?: number;
}

type Notice = WatchNotices extends AsyncIterable<infer T> ? T : never;
type WatchNotices = ReturnType<Client['watch']>;

const TYPE_WIDTH = 10;

const NOTES = `
A line has the revision, what happened, the name, and the grant's token and session. "gap" tells
that events were missed while no node could be reached, or that --after is of another history: look
at the locks again. It follows the leader through every reconnect. Ends with Ctrl-C, or when nobody
reads its output any more.

With --json: one object per line.

Exit code: 0 ended by a signal; ${QUESTION_EXIT_CODES}`;

/** Adds `watch` to the program. */
export function addWatchCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('watch')
    .description('show what happens to locks as it happens')
    .argument('[prefix]', 'only names that begin with it')
    .option('--name <name>', 'only this lock')
    .option(
      '--after <revision>',
      'go on after this revision',
      integerArgument(0, Number.MAX_SAFE_INTEGER),
    )
    .addHelpText('after', NOTES)
    .action(async (prefix: string | undefined, options: WatchOptions) => {
      await watch(targetOf(prefix, options), options);
    });
  addExamples(addClusterOptions(command), [
    'holdfast watch',
    'holdfast watch orders/ --json',
    'holdfast watch --name backup',
  ]);
}

function targetOf(prefix: string | undefined, { name }: WatchOptions): object {
  if (name === undefined) return prefix === undefined ? {} : { prefix };
  if (prefix === undefined) return { name: checkLockName(name) };
  const got = JSON.stringify(prefix);
  throw new Failure(EXIT.usage, `USAGE: expected a prefix or --name; got both, ${got} and --name`);
}

function watch(target: object, options: WatchOptions): Promise<void> {
  const print = options.json === true ? printNoticeJson : printNotice;
  const after = options.after === undefined ? {} : { after: options.after };
  return untilStopped((stop) =>
    withClient(options, async (client) => {
      const notices = client.watch({ ...target, ...after, signal: stop.signal });
      note(`watching from revision ${await notices.ready()}`);
      for await (const notice of notices) {
        if (!print(notice)) return;
      }
    }),
  );
}

function printNoticeJson(notice: Notice): boolean {
  const { revision } = notice;
  return printJson(notice.type === 'gap' ? notice : watchEventJson(notice, revision));
}

function printNotice(notice: Notice): boolean {
  const head = `${notice.revision} ${notice.type.padEnd(TYPE_WIDTH)}`;
  if (notice.type !== 'gap') return printLine(`${head} ${eventText(notice)}`);
  return printLine(`${head} the events after ${notice.after} are not known any more`);
}

function eventText(event: WatchEvent): string {
  const { type, name, token, session, value, cause, reason, delayMs } = event;
  const parts = [
    ...(token === 0 ? [] : [`token ${token}`]),
    `session ${session}`,
    ...(value === null ? [] : [`value ${JSON.stringify(value)}`]),
    ...(type === 'delayed' ? [`for ${showMs(delayMs)}`] : []),
    ...(cause === '' || cause === type ? [] : [cause]),
    ...(reason === '' ? [] : [reason]),
  ];
  return visible(`${JSON.stringify(name)} ${parts.join(', ')}`);
}
