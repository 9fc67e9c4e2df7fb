// The command line of the soak.

import { parseArgs } from 'node:util';
import { FAULT_KINDS } from './soak-schedule.mjs';

/** How to call it. */
export const SOAK_USAGE = `npm run soak -- [--minutes 60] [--rate 400] [--nodes 3] [--seed N]
  [--faults NAME,… | --faults none] [--json FILE] [--dir DIR]
npm run soak -- --table FILE       the report FILE as Markdown
faults: ${Object.keys(FAULT_KINDS).join(', ')}`;

/** A seed that nobody chose. */
const anySeed = () => Date.now() % 1_000_000;

/** Settings of a run. Throws with the way it is used when something cannot be meant. */
export function readSoakOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '400' },
      nodes: { type: 'string', default: '3' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      json: { type: 'string' },
      dir: { type: 'string' },
      table: { type: 'string' },
    },
  });
  const number = (name, least, most) => {
    const value = Number(values[name]);
    if (value >= least && value <= most) return value;
    throw new Error(`--${name} must be from ${least} to ${most} (got ${values[name]})`);
  };
  const kinds = values.faults?.split(',').filter((kind) => kind !== 'none');
  for (const kind of kinds ?? []) {
    if (!Object.hasOwn(FAULT_KINDS, kind)) throw new Error(`no fault ${kind}\n${SOAK_USAGE}`);
  }
  return {
    minutes: number('minutes', 0.05, 10_080),
    rate: number('rate', 1, 20_000),
    nodes: number('nodes', 3, 7),
    seed: values.seed === undefined ? anySeed() : number('seed', 0, 2 ** 32 - 1),
    kinds: kinds ?? Object.keys(FAULT_KINDS),
    jsonFile: values.json ?? null,
    directory: values.dir ?? null,
    tableFile: values.table ?? null,
  };
}
