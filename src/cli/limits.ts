// holdfast limits: what sessions and requests may be, and its change while the cluster works on.

import type { Command } from 'commander';
import type { Admin } from '../client/admin.ts';
import type { ReplicatedLimits } from '../locks/commands.ts';
import { showDuration } from './duration.ts';
import { printJson, printTable } from './output.ts';
import {
  QUESTION_EXIT_CODES,
  addClusterOptions,
  addExamples,
  durationArgument,
  integerArgument,
} from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { withAdmin } from './with-admin.ts';
import { userName } from './with-client.ts';

type LimitName = keyof ReplicatedLimits;

/** Which limit an option changes, and what it is. */
interface LimitOption {
  readonly limit: LimitName;
  readonly flag: string;
  readonly isDuration: boolean;
  readonly meaning: string;
}

const OPTIONS: readonly LimitOption[] = [
  duration('ttlMsMin', 'ttl-min', 'shortest TTL of a session'),
  duration('ttlMsMax', 'ttl-max', 'longest TTL of a session'),
  duration('lockDelayMsMax', 'lock-delay-max', 'longest lock-delay after a session expired'),
  number('windowMax', 'window-max', 'answers kept for a session until it acknowledges them'),
  number('namesPerRequestMax', 'names-per-request-max', 'locks in one request'),
  number('holdingsPerSessionMax', 'holdings-per-session-max', 'names and permits of one session'),
  number('nameBytesMax', 'name-bytes-max', 'size of a name'),
  number('metaBytesMax', 'meta-bytes-max', 'size of metadata and values'),
  number('permitsTotalMax', 'permits-total-max', 'permits of one semaphore'),
  number('permitsPerRequestMax', 'permits-per-request-max', 'permits that one request may take'),
];

const NOTES = `
Without an option the limits in force are shown. With some, those are changed and the rest stays:
for what is asked from then on. Nothing that is there is measured again: a session keeps its TTL, a
holder what it holds. If somebody else changes the limits at the same time, one of both is refused.
What the configuration file says of them counts only when a cluster is founded.

A longer TTL makes the embargo after a restore longer, and a backup knows the longest that ever was.

Exit code: 0 shown, or changed; 1 refused, nothing was changed: somebody else changed them;
64 usage, or a limit out of its range; ${QUESTION_EXIT_CODES.replace('64 usage, ', '')}`;

/** Adds `limits` to the program. */
export function addLimitsCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('limits')
    .description('show the limits of sessions and requests, or change some')
    .addHelpText('after', NOTES);
  for (const { flag, isDuration, meaning } of OPTIONS) {
    const value = isDuration ? '<duration>' : '<n>';
    const parse = isDuration ? durationArgument : integerArgument(0, Number.MAX_SAFE_INTEGER);
    command.option(`--${flag} ${value}`, meaning, parse);
  }
  command.action((options: ClusterOptions) => run(command, options));
  addExamples(addClusterOptions(command), ['holdfast limits', 'holdfast limits --ttl-max 1h']);
}

async function run(command: Command, options: ClusterOptions): Promise<void> {
  const wanted = wantedOf(command);
  const limits = await withAdmin(options, (admin) =>
    Object.keys(wanted).length === 0 ? admin.limits() : change(admin, wanted),
  );
  if (options.json === true) printJson(limits);
  else printLimits(limits);
}

async function change(admin: Admin, wanted: Partial<ReplicatedLimits>): Promise<ReplicatedLimits> {
  const expected = await admin.limits();
  const limits = { ...expected, ...wanted };
  await admin.setLimits({ expected, limits, by: userName() });
  return limits;
}

function wantedOf(command: Command): Partial<ReplicatedLimits> {
  const given = OPTIONS.flatMap(({ limit, flag }) => {
    const value: unknown = command.getOptionValue(camelCase(flag));
    return typeof value === 'number' ? [[limit, value] as const] : [];
  });
  return Object.fromEntries(given);
}

/** How commander calls an option. */
function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function printLimits(limits: ReplicatedLimits): void {
  printTable(
    ['LIMIT', 'VALUE', 'OF'],
    OPTIONS.map(({ limit, flag, isDuration, meaning }) => {
      const value = limits[limit];
      return [flag, isDuration ? showDuration(value) : String(value), meaning];
    }),
  );
}

function duration(limit: LimitName, flag: string, meaning: string): LimitOption {
  return { limit, flag, meaning, isDuration: true };
}

function number(limit: LimitName, flag: string, meaning: string): LimitOption {
  return { limit, flag, meaning, isDuration: false };
}
