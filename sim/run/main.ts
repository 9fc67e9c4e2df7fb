// The commands of the simulator: `npm run sim -- help`.

import { boundsCommand, campaignCommand } from './campaign.ts';
import { EXIT, Failure, Given, note, print, usage, usageLine } from './command.ts';
import type { Command } from './command.ts';
import { determinismCommand, traceCommand } from './determinism.ts';
import { huntCommand } from './hunt.ts';
import { monthCommand } from './month.ts';
import { mutantsCommand } from './mutants.ts';
import { replayCommand } from './replay.ts';
import { workerCommand } from './worker.ts';

const COMMANDS: readonly Command[] = [
  campaignCommand,
  boundsCommand,
  replayCommand,
  determinismCommand,
  traceCommand,
  huntCommand,
  monthCommand,
  mutantsCommand,
  workerCommand,
];

/** Runs one command; resolves with the exit code of the process. Never rejects. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    return await dispatch(argv);
  } catch (error) {
    if (error instanceof Failure) {
      note(`sim: ${error.message}`);
      return error.exitCode;
    }
    note(`sim: INTERNAL: ${error instanceof Error ? error.stack : String(error)}`);
    return EXIT.internal;
  }
}

async function dispatch([name, ...rest]: readonly string[]): Promise<number> {
  const isHelp = (word: string | undefined): boolean => /^(help|--help|-h)$/.test(word ?? '');
  const names = COMMANDS.map((command) => command.name).join(', ');
  if (name === undefined) throw usage(`a command is missing; there are ${names} and help`);
  const wanted = isHelp(name) ? rest[0] : name;
  const command = COMMANDS.find((each) => each.name === wanted);
  if (wanted === undefined) {
    print(...overview());
    return EXIT.kept;
  }
  if (command === undefined)
    throw usage(`unknown command "${wanted}"; there are ${names} and help`);
  if (isHelp(name) || rest.some((word) => /^(--help|-h)$/.test(word))) {
    print(usageLine(command), '', command.summary, ...command.help);
    return EXIT.kept;
  }
  return command.run(new Given(command, rest));
}

function overview(): readonly string[] {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  return [
    'npm run sim -- COMMAND: the shipped node and client under virtual time and faults.',
    '',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'npm run sim -- help COMMAND tells more.',
  ];
}
