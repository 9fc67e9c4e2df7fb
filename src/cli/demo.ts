// holdfast demo pause: how two holders come about, on real processes, and what a guard does.

import { Option } from 'commander';
import { addExamples, addJsonOption, durationWithin } from './program.ts';
import type { Invocation } from './program.ts';

/** What `demo pause` was asked for. */
export interface DemoPauseOptions {
  /** False: nobody compares tokens. */
  readonly guard: boolean;
  readonly both?: true;
  readonly ttl: number;
  readonly svg?: string;
  readonly json?: true;
}

const TTL_MS = 2_000;
const TTL_MS_LIMITS = [1_000, 60_000] as const;

const EXAMPLES = [
  'holdfast demo pause                    # the late write is refused',
  'holdfast demo pause --no-guard         # nobody refuses it: an overwrite that nobody notices',
  'holdfast demo pause --both --svg story.svg',
];

const NOTES = `
Starts three nodes, a database (LevelDB on disk, in a process of its own; its guard is levelFence of
holdfast/fence) and two workers on this machine. The first worker takes the lock, looks that it
holds it, and is stopped (SIGSTOP) before it writes. When its lease is over the second one takes the
lock and writes; then the first one goes on (SIGCONT) and writes as it was about to, with its old
token. Each step waits for the one before it. It takes some seconds and the TTL, and leaves nothing
behind: neither processes nor files.

--json prints one line per act: its events with milliseconds, both tokens, and what the database
holds in the end.

Exit code: 0 the story ended as told, 1 it did not, 64 usage, 69 a process did not start or ended,
130 after Ctrl-C.`;

/** Adds `demo pause` to the program. */
export function addDemoCommand(invocation: Invocation): void {
  const group = invocation.program.command('demo').description('see it happen on real processes');
  const command = group
    .command('pause')
    .description('a holder is stopped for longer than its lease lasts, and writes')
    .option('--no-guard', 'the database takes whatever comes')
    .option('--both', 'without a guard, then with one')
    .addOption(
      new Option('--ttl <duration>', "of the workers' sessions")
        .default(TTL_MS, '2s')
        .argParser(durationWithin(...TTL_MS_LIMITS)),
    )
    .option('--svg <file>', 'draw the story, too')
    .addHelpText('after', NOTES)
    .action(async (options: DemoPauseOptions) => {
      const { demoPause } = await import('./demo/pause.ts');
      invocation.exitCode = await demoPause(options);
    });
  addExamples(addJsonOption(command), EXAMPLES);
}
