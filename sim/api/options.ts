// What simulate may be told. Everything is checked before a world is made.

import { checkKnown, checkWhole, invalid } from '../../src/client/options.ts';
import { millisecondsOf } from './duration.ts';
import type { SimulateOptions } from './types.ts';

const OPTIONS: readonly string[] = [
  'seed',
  'nodes',
  'heartbeatMs',
  'electionMs',
  'network',
  'clocks',
  'faults',
  'limitMs',
  'eventsMax',
  'report',
  'check',
  'console',
] satisfies readonly (keyof SimulateOptions)[];

const SEED_MAX = 2 ** 32 - 1;
const EVENTS_MAX = 1_000_000_000;
const ELECTION_MS_MIN = 10;
const ELECTION_MS_MAX = 3_600_000;
const HEARTBEATS_PER_ELECTION = 10;

/** With settings that fit each other. Throws HoldfastError INVALID. */
export function checkedOptions(options: SimulateOptions): SimulateOptions {
  checkKnown(options, OPTIONS);
  const { seed, nodes = 3, eventsMax = EVENTS_MAX, limitMs = 0, faults = [] } = options;
  checkWhole('seed', seed, [0, SEED_MAX]);
  checkOneOf('nodes', nodes, [1, 3, 5]);
  checkWhole('eventsMax', eventsMax, [1, EVENTS_MAX]);
  checkOneOf('check', options.check ?? 'usual', ['usual', 'references']);
  checkOneOf('console', options.console ?? 'print', ['print', 'keep']);
  millisecondsOf(limitMs);
  if (!Array.isArray(faults)) throw invalid('faults', 'a list', faults);
  return { ...options, ...timing(options) };
}

function timing({ electionMs = 500, heartbeatMs }: SimulateOptions): Partial<SimulateOptions> {
  checkWhole('electionMs', electionMs, [ELECTION_MS_MIN, ELECTION_MS_MAX]);
  const most = Math.floor(electionMs / HEARTBEATS_PER_ELECTION);
  if (heartbeatMs === undefined) return { electionMs, heartbeatMs: Math.min(50, most) };
  checkWhole('heartbeatMs', heartbeatMs, [1, most]);
  return { electionMs, heartbeatMs };
}

function checkOneOf(option: string, value: unknown, choices: readonly unknown[]): void {
  if (choices.includes(value)) return;
  throw invalid(option, choices.map((choice) => JSON.stringify(choice)).join(' or '), value);
}
