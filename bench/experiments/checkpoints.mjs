// Checkpoints of a large state on LevelDB, in a process of their own (load/checkpoints.mjs). The
// longest stop of the event loop must stay below 50 ms on a machine that is idle.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Crew } from '../lib/crew.mjs';
import { figure } from '../lib/figures.mjs';

const SIZE = { rowCount: 1_000_000, deltaRows: 8_192, rowBytes: 120 };
const QUICK_SIZE = { ...SIZE, rowCount: 20_000 };
const PHASES = {
  written: 'written in deltas',
  viewed: 'read through a view',
  opened: 'opened and verified',
  read: 'read as by a start',
};

async function runOnce(directory, size) {
  await mkdir(directory);
  const crew = await Crew.start('checkpoints', [{}]);
  try {
    const [{ value }] = await crew.all('run', directory, size);
    return value;
  } finally {
    crew.end();
  }
}

/** Several runs, each with a directory and a process of its own. */
export const checkpoints = {
  name: 'checkpoints',
  about: `${SIZE.rowCount} rows of ${SIZE.rowBytes} bytes, written in deltas of ${SIZE.deltaRows}`,
  async run({ directory, rounds, isQuick }) {
    const runs = [];
    for (let n = 0; n < rounds; n++) {
      runs.push(await runOnce(join(directory, `rows-${n}`), isQuick ? QUICK_SIZE : SIZE));
    }
    const phase = (name, unit, pick) => figure(name, unit, runs.map(pick));
    return [
      ...Object.entries(PHASES).flatMap(([key, text]) => [
        phase(text, 's', ({ phases }) => phases[key].seconds),
        phase(`${text}, CPU`, 's', ({ phases }) => phases[key].cpuSeconds),
        phase(`${text}, longest stop`, 'ms', ({ phases }) => phases[key].longestMs),
      ]),
      phase('a delta p50', 'ms', ({ deltaMs }) => deltaMs.p50),
      phase('a delta, longest', 'ms', ({ deltaMs }) => deltaMs.max),
    ];
  },
};
