// A million locks held at a time: scripts/bench-million.mjs in a process of its own, because it
// ends with more clients than it could close in time.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { figure } from '../lib/figures.mjs';

const SCRIPT = fileURLToPath(new URL('../../scripts/bench-million.mjs', import.meta.url));
const LOCKS = 1_000_000;
const QUICK_LOCKS = 2_000;

async function runScript(locks, directory) {
  const args = [SCRIPT, '--locks', String(locks), '--json'];
  const env = { ...process.env, TMPDIR: directory };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await new Promise((resolve) => child.on('close', resolve));
  const facts = JSON.parse(text.trim().split('\n').at(-1));
  if (facts.failed !== undefined) throw new Error(facts.failed);
  return facts;
}

const one = (name, unit, value) => figure(name, unit, [value]);

/** Of [longest stop, most processor time in one go] of each node, the worst. */
function stops(phase, byNode) {
  const worst = (at) => Math.max(...Object.values(byNode).map((pair) => pair[at]));
  return [
    one(`longest loop stop, ${phase}`, 'ms', worst(0)),
    one(`most CPU in one go, ${phase}`, 'ms', worst(1)),
  ];
}

function figuresOf(facts) {
  return [
    figure('taken', '/s', [facts.held / facts.fillSeconds], { better: 'higher', against: 'disk' }),
    one('taken within', 's', facts.fillSeconds),
    one('largest node', 'MiB', Math.max(...Object.values(facts.residentMib))),
    ...stops('taking', facts.fillStopBusyMs),
    ...stops('held', facts.heldStopBusyMs),
    one('a node starts again', 's', facts.restartSeconds),
    ...stops('starting', facts.restartStopBusyMs),
    one('an empty node joins', 's', facts.joinSeconds),
    ...stops('joining', facts.joinStopBusyMs),
  ];
}

/** Takes up to six minutes. */
export const million = {
  name: 'million',
  about: `${LOCKS} locks held at a time, a node that starts again, an empty one that joins`,
  async run({ directory, isQuick, note }) {
    const wanted = isQuick ? QUICK_LOCKS : LOCKS;
    const facts = await runScript(wanted, directory);
    note(`${facts.held} of ${wanted} locks were taken`);
    return figuresOf(facts);
  },
};
