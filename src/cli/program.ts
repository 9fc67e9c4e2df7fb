// What all commands share: how they are declared, how they end, and the options that several take.

import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { errorSentence } from './error-json.ts';
import { parseDuration, showDuration } from './duration.ts';
import type { AddressOptions } from './addresses.ts';

/** How questions to a cluster end, after the 0 that each command explains. */
export const QUESTION_EXIT_CODES =
  '64 usage, 69 cluster unavailable, 78 configuration, 80 nodes of another cluster.';

const JSON_OPTION = '--json';

/** What a command is given besides its own arguments, and where it leaves its exit code. */
export interface Invocation {
  readonly program: Command;
  /** The arguments after a `--` that ends the options of a command with a child; null without. */
  readonly childArgv: readonly string[] | null;
  exitCode: number;
}

/** Options of every command that talks to a cluster. */
export interface ClusterOptions extends AddressOptions {
  readonly json?: true;
}

/** Adds --nodes, --config and --json. */
export function addClusterOptions(command: Command): Command {
  return addJsonOption(addAddressOptions(command));
}

/** Adds --json. */
export function addJsonOption(command: Command): Command {
  return command.option(JSON_OPTION, 'print the answer, or the error, as JSON');
}

/** Whether the command that these arguments name is asked for JSON, though they may be wrong. */
export function asksForJson(program: Command, args: readonly string[]): boolean {
  const main = program.commands.find((each) => each.name() === args[0]);
  const command = main?.commands.find((each) => each.name() === args[1]) ?? main;
  const isKnown = command?.options.some((option) => option.long === JSON_OPTION) ?? false;
  const end = args.indexOf('--');
  return isKnown && args.slice(0, end === -1 ? args.length : end).includes(JSON_OPTION);
}

/** Adds --nodes and --config, for a command whose output is not ours. */
export function addAddressOptions(command: Command): Command {
  return command
    .option('--nodes <list>', 'addresses host:port,… of the nodes (default: HOLDFAST_NODES)')
    .option('--config <file>', 'configuration file that names the nodes');
}

/** Puts examples first in a command's help, before usage and options. */
export function addExamples(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  ${example}`).join('\n');
  return command.addHelpText('before', `Examples:\n${lines}\n`);
}

/** Parser of a duration option, for commander. */
export function durationArgument(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(errorSentence(error));
  }
}

/** Parser of a duration within limits in milliseconds, for commander. */
export function durationWithin(minMs: number, maxMs: number): (text: string) => number {
  return (text) => {
    const ms = durationArgument(text);
    if (ms >= minMs && ms <= maxMs) return ms;
    const limits = `from ${showDuration(minMs)} to ${showDuration(maxMs)}`;
    throw new InvalidArgumentError(`expected a duration ${limits}.`);
  };
}

/** Parser of a whole number within limits, for commander. */
export function integerArgument(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}.`);
  };
}
