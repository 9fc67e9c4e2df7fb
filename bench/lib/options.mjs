// The command line of the harness.

import { parseArgs } from 'node:util';

/** How to call it. */
export const USAGE = `npm run bench -- [--only NAME,…] [--quick] [--list]
  [--rounds 3] [--seconds 5] [--trials 20] [--processes 1] [--dir DIR]
  [--json FILE] [--compare FILE]`;

const ROUNDS_MIN = 3;
/** A run that shows that everything works; its figures mean nothing. */
const QUICK = { rounds: 1, seconds: 0.2, trials: 1, limitCount: 20, isQuick: true };
const USUAL = { rounds: 3, seconds: 5, trials: 20, limitCount: 300, isQuick: false };

/** Settings of a run. Throws with the way it is used when something cannot be meant. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      trials: { type: 'string' },
      processes: { type: 'string', default: '1' },
      dir: { type: 'string' },
      json: { type: 'string' },
      compare: { type: 'string' },
    },
  });
  const usual = values.quick ? QUICK : USUAL;
  const number = (name, least, normal) => {
    const value = values[name] === undefined ? normal : Number(values[name]);
    if (value >= least) return value;
    throw new Error(`--${name} must be a number from ${least} on (got ${values[name]})\n${USAGE}`);
  };
  return {
    ...usual,
    rounds: number('rounds', values.quick ? 1 : ROUNDS_MIN, usual.rounds),
    seconds: number('seconds', 0.1, usual.seconds),
    trials: number('trials', 1, usual.trials),
    processes: number('processes', 1, 1),
    only: values.only === '' ? [] : values.only.split(','),
    isList: values.list,
    directory: values.dir ?? null,
    jsonFile: values.json ?? null,
    compareFile: values.compare ?? null,
  };
}

/**
 * Those whose name is one of `only` or begins with one of them and a hyphen; all when there is
 * none. Throws for a name that fits nothing.
 */
export function chosen(experiments, only) {
  const fits = ({ name }, wanted) => name === wanted || name.startsWith(`${wanted}-`);
  for (const wanted of only) {
    if (experiments.some((each) => fits(each, wanted))) continue;
    const names = experiments.map(({ name }) => name).join(', ');
    throw new Error(`there is no experiment ${wanted}; there are ${names}`);
  }
  if (only.length === 0) return experiments;
  return experiments.filter((each) => only.some((wanted) => fits(each, wanted)));
}
